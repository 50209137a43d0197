# shellcheck shell=sh
#: gl-test [CTEST-OPTION]
#:                      run tests again that `test` runs once: on desktop OpenGL, softpipe, and virgl; validate SPIR-V
#: gl-test --fake [--mode MODE] [WORD…]
#:                      run the programs of tests/drivers/fake_suite.txt, or those whose names contain a WORD, in each mode
#:                      of a driver that delays, reorders, and fails as GPUs may (over an hour)
case ${1:-} in --release | --arch) in_chroot gl-test "$@" ;; esac
: "${python:?}"
build_tests
if [ "${1:-}" = --fake ]; then
  shift
  run_environment build
  headless_environment
  exec "$python" -B tests/drivers/fake_suite.py --build build "$@"
fi
run_tests build --label-regex '^other-gl$' "$@"
