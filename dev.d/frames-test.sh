# shellcheck shell=sh
#: frames-test [--record] [NAME…]
#:                      compare frames, GL calls, statistics, and log lines of some 70 pipelines with tests/frames/record.txt;
#:                      --record: write that file; NAME: only these lines of tests/frames/lines.txt
need build
: "${python:?}"
build_in build 'frame_record sightglass_c sightglass_metadata sightglass-gl-watch'
run_environment build
headless_environment
exec "$python" -B tests/frames/frames_test.py --build build "$@"
