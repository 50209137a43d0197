# shellcheck shell=sh
#: evaluate-mattes [OPTION]
#:                      compare the mattes of glsegment with the true ones of rendered figures and with the masks of
#:                      photographs in ../shared; `./dev evaluate-mattes --help` lists the options
#: evaluate-mattes --gate [OPTION]
#:                      check that no defaults are worse than the plain masks of a model, with noise, lights that change,
#:                      and cuts
: "${python:?}"
need build matte
build_in build 'gstsightglass gstsightglasstest'
run_environment build
headless_environment
script=evaluate models=mediapipe_selfie_segmenter_256
if [ "${1:-}" = --gate ]; then
  script=gate models="$models deeplabv3_257_mv_gpu bodypix_float_050_8"
  shift
fi
for media in ../shared/media ../shared/second/media; do
  [ -d $media ] && set -- --media $media "$@"
done
for model in $models; do
  model=../shared/models/segmentation/$model.tflite
  [ -f "$model" ] && set -- --photograph-model "$model" "$@"
done
exec "$python" -B bench/mattes/$script.py --folder build/mattes "$@"
