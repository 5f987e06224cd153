# SPDX-License-Identifier: MIT
# Takes the C++ operators' object out of a copy of jemalloc's archive; where there is none, that is well.
execute_process(COMMAND ${AR} t ${ARCHIVE} OUTPUT_VARIABLE members OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "\n" ";" members "${members}")
foreach(member IN LISTS members)
    if(member MATCHES "jemalloc_cpp")
        execute_process(COMMAND ${AR} d ${ARCHIVE} ${member} COMMAND_ERROR_IS_FATAL ANY)
    endif()
endforeach()
