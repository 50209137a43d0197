# shellcheck shell=sh
#: test [CTEST-OPTION]  build everything and run the tests; without options, those of a few seconds
case ${1:-} in --release | --arch) in_chroot test "$@" ;; esac
build_tests
# Options choose the tests by themselves.
[ $# -gt 0 ] || set -- --exclude-regex "$(long_tests)"
run_tests build --label-exclude '^(other-gl|frames)$' "$@"
