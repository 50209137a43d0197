# shellcheck shell=sh
#: sanitize [CTEST-OPTION]
#:                      run the tests with AddressSanitizer and UndefinedBehaviorSanitizer in build-asan/
#: sanitize --no-gl [GTEST-OPTION]
#:                      build and run only the test programs that need no GL (tests/without_gl.txt)
: "${root:?}"
need build
sanitizer_options() {
  # LeakSanitizer of GCC 12 crashes on what it records of thread-local variables in modules that are loaded later.
  export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:intercept_tls_get_addr=0}"
  export LSAN_OPTIONS="suppressions='$root/tests/lsan.supp':print_suppressions=0"
  export UBSAN_OPTIONS=print_stacktrace=1
}
if [ "${1:-}" = --no-gl ]; then
  shift
  programs=$(grep -v '^#' tests/without_gl.txt)
  build_in build-asan "$(printf '%s\n' "$programs" | sed 's,.*/,,')" -DSIGHTGLASS_SANITIZE=address,undefined
  run_environment build-asan
  sanitizer_options
  failed=
  for program in $programs; do
    say "$program"
    log=build-asan/${program##*/}.log
    "build-asan/tests/$program" "$@" >"$log" 2>&1 || {
      failed="$failed $program"
      tail -n 60 "$log"
    }
    grep -E '^\[  (PASSED|FAILED|SKIPPED)' "$log" || true
  done
  [ -z "$failed" ] || fail "failed with sanitizers:$failed; the full output is in build-asan/*.log"
  say "no sanitizer found anything"
else
  build_in build-asan all -DSIGHTGLASS_SANITIZE=address,undefined
  # A helper process without the sanitizer run-time library cannot load our plugin, so tests scan in their own process.
  # The other GStreamer plugins are scanned beforehand, because loading them all reports leaks that are not ours.
  run_environment build-asan
  env -u GST_PLUGIN_PATH gst-inspect-1.0 >/dev/null
  export GST_REGISTRY_FORK=no
  sanitizer_options
  # Ours are scanned by a program that links none of their code: a test that does would have two copies of their types.
  ASAN_OPTIONS=detect_leaks=0 build-asan/tools/property_tables/property_tables docs/elements/glsegment.md >/dev/null
  # Tests that start such helpers report that they are skipped.
  run_tests build-asan "$@"
fi
