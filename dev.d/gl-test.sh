# shellcheck shell=sh
#: gl-test [CTEST-OPTION]
#:                      run tests again that `test` runs once: on desktop OpenGL, softpipe, and virgl; validate SPIR-V
case ${1:-} in --release | --arch) in_chroot gl-test "$@" ;; esac
build_tests
run_tests build --label-regex '^other-gl$' "$@"
