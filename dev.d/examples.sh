# shellcheck shell=sh
#: examples [CTEST-OPTION]
#:                      install everything below a temporary prefix, build all of examples/ against it, and run their
#:                      tests; installs GTK 4, Qt 6, and WebRTC packages (200 MB)
need build example more-example introspection broker
build_in build-examples all -DSIGHTGLASS_TESTS=OFF
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say "installing below $work/prefix/"
cmake --install build-examples --prefix "$work/prefix" >"$work/install.log"
cmake -S examples -B "$work/examples" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" -DSIGHTGLASS_ALL_EXAMPLES=ON
cmake --build "$work/examples"
headless_environment
say "running the examples"
result=0
ctest --test-dir "$work/examples" --output-on-failure --timeout 600 "$@" </dev/null || result=$?
list_skipped "$work/examples"
[ "$result" = 0 ] || fail "examples failed"
say "all examples passed"
