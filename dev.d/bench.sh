# shellcheck shell=sh
#: bench [OPTION] [MODEL]
#:                      measure models, operators, starts, and pipelines on the GPU of this machine, and write the report
#:                      build/bench/report.md; `./dev bench --help` lists the options
#: bench --growth [--quick]
#:                      measure how time and memory grow with models, frames, and streams, with fitted lines, and write
#:                      build/bench/growth.md
: "${root:?}" "${start:?}" "${python:?}"
if [ "${1:-}" = --growth ]; then
  shift
  need build python
  build_in build 'gstsightglass gstsightglasstest operator_bench frames_bench'
  run_environment build
  headless_environment
  exec "$python" -B bench/growth.py build build/bench/growth.md "$@"
fi
need build
build_in build 'sightglass gstsightglass operator_bench element_bench bench_report'
run_environment build
headless_environment
cd "$start" || exit
exec "$root/bench/run.sh" "$root/build" "$@"
