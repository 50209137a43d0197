#!/bin/sh
# Runs all benchmarks and writes one report.   run.sh BUILD_DIR [OPTION…] [MODEL.tflite…]
# Default models: those of ../shared/models next to the source tree. --help lists the options.
set -eu
build=$(cd "$1" && pwd)
shift
source=$(cd "$(dirname "$0")/.." && pwd)

usage() {
  cat <<'USAGE'
Usage: ./dev bench [OPTION…] [MODEL.tflite…]

  --runs N          runs per model (20)
  --against FILE    results to compare with, or none (previous run: build/bench/results.json)
  --report FILE     additional copy of the report
  --tuning MODE     tuning mode of `sightglass bench`: off, cached or on (cached)
  --only PARTS      comma-separated: models, operators, element; models are always measured

The report is build/bench/report.md; build/bench/ also has the results as JSON.
USAGE
}

fail() {
  echo "bench: $*" >&2
  exit 1
}

runs=20
against=
report=
tuning=cached
only=models,operators,element
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h)
      usage
      exit 0
      ;;
    --runs | --against | --report | --tuning | --only)
      [ $# -gt 1 ] || fail "$1 needs a value"
      case $1 in
        --runs) runs=$2 ;;
        --against) against=$2 ;;
        --report) report=$2 ;;
        --tuning) tuning=$2 ;;
        --only) only=$2 ;;
      esac
      shift 2
      ;;
    --*) fail "unknown option $1; ./dev bench --help lists them" ;;
    *) break ;;
  esac
done
[ -z "$against" ] || [ "$against" = none ] || [ -f "$against" ] || fail "cannot compare with $against: file not found"

models=$source/../shared/models
segmenter=$models/segmentation/mediapipe_selfie_segmenter_256.tflite
if [ $# -eq 0 ]; then
  [ -d "$models" ] || fail "no models found next to the source tree; name some: ./dev bench MODEL.tflite…"
  set -- "$segmenter" "$models"/segmentation/deeplabv3_257_mv_gpu.tflite \
    "$models"/segmentation/bodypix_float_050_8.tflite "$models"/pose/blazepose_landmark_lite.tflite \
    "$models"/pose/movenet_singlepose_lightning_int8_v4.tflite "$models"/face/face_detection_short_range.tflite \
    "$models"/face/face_landmark_468_f16.tflite "$models"/face/face_landmark_468_f32.tflite \
    "$models"/classify_detect/mobilenet_v1_0.25_224_float.tflite
fi

out=$build/bench
mkdir -p "$out"
new=$(mktemp -d "$out/new-XXXXXX")
trap 'rm -rf "$new"' EXIT
wants() { case ",$only," in *",$1,"*) return 0 ;; *) return 1 ;; esac }

echo "== models" >&2
"$build/tools/sightglass/sightglass" bench --json --runs "$runs" --tuning "$tuning" "$@" >"$new/models.json"
set --
if wants operators && [ -x "$build/bench/operator_bench" ]; then
  echo "== operators" >&2
  "$build/bench/operator_bench" >"$new/operators.json"
  set -- "$@" --operators "$new/operators.json"
fi
if wants element && [ -x "$build/bench/element_bench" ]; then
  echo "== pipelines" >&2
  if [ -f "$segmenter" ]; then model="--model $segmenter"; else model=; fi
  # shellcheck disable=SC2086  # none or two words
  "$build/bench/element_bench" $model >"$new/element.json"
  set -- "$@" --element "$new/element.json"
fi

[ -n "$against" ] || [ ! -f "$out/results.json" ] || against=$out/results.json
if [ -n "$against" ] && [ "$against" != none ]; then
  cp "$against" "$new/before.json"
  set -- "$@" --against "$new/before.json"
fi
version=$(git -C "$source" describe --always --dirty --tags 2>/dev/null || echo "unknown version")
"$build/bench/bench_report" --version-name "$version" --models "$new/models.json" \
  --peers "$source/docs/benchmarks/peers.json" --results "$out/results.json" --report "$out/report.md" "$@"
if [ -n "$report" ]; then cp "$out/report.md" "$report"; fi
echo "== the report is $out/report.md${report:+ and $report}; the results are $out/results.json" >&2
