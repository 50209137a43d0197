# shellcheck shell=sh
#: evaluate-mattes [OPTION]
#:                      compare the mattes of glsegment with the true ones of rendered figures and with the masks of
#:                      photographs in ../shared; `./dev evaluate-mattes --help` lists the options
: "${python:?}"
need build matte
build_in build 'gstsightglass gstsightglasstest'
run_environment build
headless_environment
model=../shared/models/segmentation/mediapipe_selfie_segmenter_256.tflite
[ -f $model ] && set -- --photograph-model $model --media ../shared/media --media ../shared/second/media "$@"
exec "$python" -B bench/mattes/evaluate.py --folder build/mattes "$@"
