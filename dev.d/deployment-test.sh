# shellcheck shell=sh
#: deployment-test [CTEST-OPTION]
#:                      run the tests of docs/deployment.md, with an array job of Slurm, the manifests for Kubernetes, and
#:                      ten streams in one process for a minute
need build introspection broker deployment
build_in build 'sightglass gstsightglass gstsightglasstest video_command_test'
export SIGHTGLASS_STREAM_SECONDS=60
run_tests build -R '^deployment|many_streams|ServesRtsp|mqtt_publish' "$@"
