# shellcheck shell=sh
# Tests of a build directory.
: "${root:?}"

# Builds everything, with all that the tests need.
build_tests() {
  need build
  # GStreamer analytics metadata. Only the tests install it, because it pulls in the OpenCV headers (0.8 GB).
  if pkg-config --atleast-version=1.26 gstreamer-1.0; then need analytics; fi
  need broker command driver example font introspection matte obs
  build_in build all
}

# Prints a regular expression for the tests that take long.
long_tests() { sed -n '/^#/d; s/ *=>.*//p' tests/long.txt | tr -s ' \n' '||' | sed 's/|$//'; }

# Lists the tests that skipped themselves, with their reasons, from the ctest log.
list_skipped() { awk -f "$root/tests/harness/list_skipped.awk" "$1/Testing/Temporary/LastTest.log"; }

# run_tests FOLDER [CTEST-OPTION…]
run_tests() {
  dir=$1
  shift
  run_environment "$dir"
  headless_environment
  say "running the tests"
  result=0
  ctest --test-dir "$dir" -j "$(nproc)" --output-on-failure --no-tests=error --timeout 600 "$@" </dev/null || result=$?
  list_skipped "$dir"
  [ "$result" = 0 ] || fail "tests failed; the full output is in $dir/Testing/Temporary/LastTest.log"
  say "all tests passed; the full output is in $dir/Testing/Temporary/LastTest.log"
}
