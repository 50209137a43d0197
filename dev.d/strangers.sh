# shellcheck shell=sh
#: strangers [RELEASE] [CTEST-OPTION]
#:                      run the demo and the tests on a fresh Debian (default: bookworm) as root, as a user with sudo and
#:                      blanks in the path, in German, without a network, without HOME, and with a read-only home
#:                      directory (tests/strangers); needs root
release=bookworm
case ${1:-} in '' | -*) ;; *) release=$1 && shift ;; esac
need_chroot "$release had no strangers"
as_root tests/strangers/run.sh "$release" "$@"
