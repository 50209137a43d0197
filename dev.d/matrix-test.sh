# shellcheck shell=sh
#: matrix-test          the command over every pair of sizes, pixel formats, containers, outputs, rates, pixel aspect
#:                      ratios, and orientations, with each frame compared with what went in (some minutes)
need build
build_in build 'sightglass gstsightglass gstsightglasstest video_command_test'
run_environment build
SIGHTGLASS_MATRIX=all exec build/tests/command/video_command_test --gtest_filter='Matrix.*'
