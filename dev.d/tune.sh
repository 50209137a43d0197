# shellcheck shell=sh
#: tune [MODEL]         measure the kernel variants of models on the GPU of this machine, and write tuning/FAMILY.txt for
#:                      all devices of its family; without MODEL, those of ../shared (half a minute each)
: "${root:?}" "${start:?}"
need build
build_in build sightglass
run_environment build
headless_environment
cd "$start" || exit
exec "$root/bench/tune.sh" "$root/build" "$root/tuning" "$@"
