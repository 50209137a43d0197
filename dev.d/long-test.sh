# shellcheck shell=sh
#: long-test [CTEST-OPTION]
#:                      run the tests of tests/long.txt, which `test` without options leaves out
case ${1:-} in --release | --arch) in_chroot long-test "$@" ;; esac
build_tests
run_tests build --label-exclude '^(other-gl|frames)$' --tests-regex "$(long_tests)" "$@"
