# shellcheck shell=sh
#: serve-test [CTEST-OPTION]
#:                      run the tests of `sightglass serve`, with 10,000 requests of hostile clients, and with the page in
#:                      headless Chromium (300 MB)
need build browser
build_in build 'sightglass gstsightglass gstsightglasstest serve_test serve_server_test serve_browser_test'
run_tests build --build-config Long -R '^serve' "$@"
