# SPDX-License-Identifier: MIT
#
# libcountalloc.dylib. One image owns the state, and nothing in it is thread-local. The only name that is visible is the table behind countalloc/phase.h.
add_library(countalloc SHARED
    ${RECORD_SOURCES}
    allocator_none.c
    arena.c
    argument_list.c
    child_environment.c
    count.c
    exec_note.c
    lifecycle.c
    live.c
    mach_image.c
    module.c
    outermost.c
    outermost_free.c
    phase.c
    region.c
    sample.c
    self_report.c
    site.c
    stack.c
    start_test.c
    statistics.c
    thread.c
    thread_pool.c
    platform/child_darwin.c
    platform/hooks_darwin.c
    platform/interpose_darwin.c
    platform/loaded_darwin.c
    platform/next_darwin.c
    platform/process_darwin.c
    platform/program_hooks_darwin.c
    platform/stack_darwin.c
    platform/start_darwin.c
    platform/thread_words_darwin.c
    platform/typed_hooks_darwin.c
    platform/zone_hooks_darwin.c)
target_link_libraries(countalloc PRIVATE countalloc_flags countalloc_headers)
target_include_directories(countalloc PRIVATE ${PROJECT_SOURCE_DIR})
# No stubs that are bound at their first call, which may be in a hook, but for what the compiler itself calls (memcpy, bzero, division of
# 128 bits); no builtins, so that a hook's own call stays the one that it names.
target_compile_options(countalloc PRIVATE -O2 -fvisibility=hidden -fno-stack-protector -fno-builtin -fno-plt
    # Entries that are newer than the oldest system are weak, and asked for by nobody where they are not there.
    -Wno-unguarded-availability-new)
target_link_options(countalloc PRIVATE
    -Wl,-dead_strip
    -Wl,-exported_symbols_list,${CMAKE_CURRENT_SOURCE_DIR}/platform/exports_darwin.txt)
# The SDK's stubs may be older than malloc_type_*: those are looked up weakly, in libSystem all the same. First libSystem itself, which is
# not weak.
target_link_libraries(countalloc PRIVATE -lSystem ${CMAKE_CURRENT_SOURCE_DIR}/platform/libSystem_newer_darwin.tbd)
set_target_properties(countalloc PROPERTIES
    INSTALL_NAME_DIR @rpath
    BUILD_WITH_INSTALL_NAME_DIR ON
    LINK_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/platform/exports_darwin.txt;${CMAKE_CURRENT_SOURCE_DIR}/platform/libSystem_newer_darwin.tbd")
install(TARGETS countalloc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
