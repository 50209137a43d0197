# shellcheck shell=sh
#: bench [OPTION] [MODEL]
#:                      measure models, operators, starts, and pipelines on the GPU of this machine, and write the report
#:                      build/bench/report.md; `./dev bench --help` lists the options
: "${root:?}" "${start:?}"
need build
build_in build 'sightglass gstsightglass operator_bench element_bench bench_report'
run_environment build
headless_environment
cd "$start" || exit
exec "$root/bench/run.sh" "$root/build" "$@"
