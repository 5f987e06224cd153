# SPDX-License-Identifier: MIT
# Sourced by the other scripts: finds out which packages are missing and installs them with the system's own package manager.
#
#   need_packages WHAT...     WHAT: build test ci cross trust loop demo (groups below). Says what is missing before it installs anything.
#
# COUNTALLOC_INSTALL=no only says what is missing, with the command to install it, and gives up.

# One line for each thing: group, then its package for apt, dnf, apk and brew; "-" where there is none or it is not needed.
package_table() {
    cat <<'TABLE'
build gcc              gcc                 gcc           -
build libc6-dev        glibc-devel         musl-dev      -
build cmake            cmake               cmake         cmake
build make             make                make          -
build pkg-config       pkgconf-pkg-config  pkgconf       pkg-config
build libjansson-dev   jansson-devel       jansson-dev   jansson
build libiberty-dev    binutils-devel      binutils-dev  -
build libdw-dev        elfutils-devel      elfutils-dev  -
build libunwind-dev    libunwind-devel     libunwind-dev -
build libjemalloc-dev  jemalloc-devel      -             -
test  g++              gcc-c++             g++           -
test  libcriterion-dev criterion-devel     criterion-dev criterion
test  valgrind         valgrind            valgrind      -
test  sqlite3          sqlite              sqlite        sqlite
test  jq               jq                  jq            jq
test  perl             perl                perl          perl
test  python3          python3             python3       python3
test  mawk             mawk                mawk          mawk
test  mandoc           mandoc              mandoc        mandoc
test  libexpat1-dev    expat-devel         expat-dev     expat
test  libxml2-utils    libxml2             libxml2-utils libxml2
test  gawk             gawk                gawk          gawk
test  libjemalloc2     jemalloc            -             -
test  libmimalloc2.0   mimalloc            mimalloc2     -
test  libtcmalloc-minimal4 gperftools-libs -             -
test  git              git                 git           git
test  libdebuginfod-dev elfutils-debuginfod-client-devel - -
ci    clang            clang                 clang         -
trust pigz             pigz                pigz          pigz
trust zstd             zstd                zstd          zstd
trust ripgrep          ripgrep             ripgrep       ripgrep
trust fd-find          fd-find             fd            fd
trust lua5.4           lua                 lua5.4        lua
trust busybox          -                   -             -
cross clang            clang                 clang         -
cross lld              lld                   lld           -
cross llvm             llvm                  llvm          -
cross dpkg-dev         -                     -             -
cross python3          python3               python3       -
loop  linux-perf       perf                  perf          -
loop  valgrind         valgrind              valgrind      -
loop  python3          python3               python3       python3
demo  jq               jq                  jq            jq
TABLE
}

package_manager() {
    for manager in apt-get dnf apk brew; do
        if command -v "$manager" >/dev/null 2>&1; then
            echo "$manager"
            return
        fi
    done
    echo none
}

is_installed() { # MANAGER PACKAGE
    case $1 in
    apt-get) [ "$(dpkg-query -W -f='${db:Status-Status}' "$2" 2>/dev/null)" = installed ] ;;
    dnf) rpm -q --whatprovides "$2" >/dev/null 2>&1 ;;
    apk) apk info -e "$2" >/dev/null 2>&1 ;;
    brew) brew list --versions "$2" >/dev/null 2>&1 ;;
    esac
}

need_packages() {
    manager=$(package_manager)
    case $manager in
    apt-get) column=2 install="apt-get install -y --no-install-recommends" refresh="apt-get update" ;;
    dnf) column=3 install="dnf install -y" refresh=true ;;
    apk) column=4 install="apk add" refresh=true ;;
    brew) column=5 install="brew install" refresh=true ;;
    none)
        echo "No apt-get, dnf, apk or brew here: install by hand what CONTRIBUTING.md lists, if the build stops." >&2
        return 0
        ;;
    esac
    missing=
    for group in "$@"; do
        for package in $(package_table | awk -v g="$group" -v c="$column" '$1 == g && $c != "-" { print $c }'); do
            case " $missing " in *" $package "*) continue ;; esac
            is_installed "$manager" "$package" || missing="$missing $package"
        done
    done
    missing=${missing# }
    [ -n "$missing" ] || return 0
    sudo=
    if [ "$manager" != brew ] && [ "$(id -u)" -ne 0 ]; then
        sudo=sudo
    fi
    echo "Missing packages: $missing" >&2
    if [ "${COUNTALLOC_INSTALL:-yes}" = no ]; then
        echo "Install them with: ${sudo:+$sudo }$install $missing" >&2
        return 1
    fi
    echo "Installing them:  ${sudo:+$sudo }$install $missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    $sudo $refresh >&2 || echo "($refresh failed; trying with the lists that are there)" >&2
    # Names and options hold no spaces: split on purpose.
    # shellcheck disable=SC2086
    $sudo $install $missing >&2 || {
        echo "Could not install: $missing. Run the command above by hand and look at its message." >&2
        return 1
    }
}
