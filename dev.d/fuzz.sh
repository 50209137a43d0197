# shellcheck shell=sh
#: fuzz [SECONDS]       fuzz the code that reads files, and compare random graphs on the GPU with the reference, in
#:                      build-fuzz/ (default: 60 seconds per target); --short: 5 seconds, without random graphs
need build fuzz
exec tests/fuzz/run.sh build-fuzz "${1:-60}"
