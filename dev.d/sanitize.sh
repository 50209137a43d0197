# shellcheck shell=sh
#: sanitize [CTEST-OPTION]
#:                      run the tests with AddressSanitizer and UndefinedBehaviorSanitizer in build-asan/
: "${root:?}"
need build
build_in build-asan all -DSIGHTGLASS_SANITIZE=address,undefined
# A helper process without the sanitizer run-time library cannot load our plugin, so tests scan in their own process.
# The other GStreamer plugins are scanned beforehand, because loading them all reports leaks that are not ours.
run_environment build-asan
env -u GST_PLUGIN_PATH gst-inspect-1.0 >/dev/null
export GST_REGISTRY_FORK=no
# LeakSanitizer of GCC 12 crashes on what it records of thread-local variables in modules that are loaded later.
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:intercept_tls_get_addr=0}"
export LSAN_OPTIONS="suppressions=$root/tests/lsan.supp:print_suppressions=0"
export UBSAN_OPTIONS=print_stacktrace=1
# Ours are scanned by a program that links none of their code: a test that does would have two copies of their types.
ASAN_OPTIONS=detect_leaks=0 build-asan/tools/property_tables/property_tables docs/elements/glsegment.md >/dev/null
# Tests that start such helpers report that they are skipped.
run_tests build-asan "$@"
