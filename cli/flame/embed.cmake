# SPDX-License-Identifier: MIT
#
# cmake -DOUTPUT=FILE.c -DCSS=FILE -DJS=FILE -P embed.cmake: a C file with the two files as strings.
set(text "/* Made by embed.cmake. */\n#include \"flame/flame_assets.h\"\n")
foreach(asset CSS JS)
    string(TOLOWER ${asset} name)
    file(READ "${${asset}}" bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    # Lines of 16 bytes: compilers and people dislike longer ones.
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
           bytes "${bytes}")
    string(APPEND text "const char ca_flame_${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}")
