# shellcheck shell=sh
#: demo [OPTION]        blur the background of a camera, a video file, or rendered figures; downloads the model
#:                      selfie-segmenter (249 kB) once; `./dev demo --help` lists the options
: "${root:?}" "${start:?}"
need demo
build_in build 'sightglass gstsightglass gstsightglasstest'
run_environment build
# As packages are: once, and unless that is switched off.
[ "${SIGHTGLASS_NO_DEPS:-}" = 1 ] ||
  build/tools/sightglass/sightglass models fetch --stall-timeout 10 --timeout 120 selfie-segmenter ||
  say "the demo goes on with the bundled model, with which parts of real people are missing"
cd "$start" || exit
exec "$root/pipelines/demo.sh" "$@"
