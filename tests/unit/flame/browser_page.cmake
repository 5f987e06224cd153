# SPDX-License-Identifier: MIT
#
# cmake -DCOUNTALLOC=COMMAND -DCHROMIUM=BROWSER -DFOLDER=FOLDER -P browser_page.cmake: draws a flame graph, puts it into a page
# with browser_test.js, and prints what a browser makes of it.
file(WRITE ${FOLDER}/browser.folded "main;copy 35\nmain;parse 9\nmain;parse;strcmp 56\n")
execute_process(COMMAND ${COUNTALLOC} flamegraph ${FOLDER}/browser.folded
                OUTPUT_FILE ${FOLDER}/browser.svg COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FOLDER}/browser.svg svg)
string(REGEX REPLACE "^<[?]xml[^\n]*\n" "" svg "${svg}")
file(READ ${CMAKE_CURRENT_LIST_DIR}/browser_test.js script)
file(WRITE ${FOLDER}/browser.html
     "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<body>\n${svg}\n<script>\n${script}</script>\n</body>\n")
execute_process(
    COMMAND ${CHROMIUM} --headless --no-sandbox --disable-gpu --user-data-dir=${FOLDER}/browser
            --dump-dom file://${FOLDER}/browser.html
    ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
