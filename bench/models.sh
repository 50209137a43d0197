#!/bin/sh
# Times models on this machine's GPU and writes a Markdown table.   models.sh BUILD_DIR [MODEL.tflite…]
# Without models: the float models in ../shared/models next to the source tree.
set -eu
build=$1
shift
source=$(cd "$(dirname "$0")/.." && pwd)
command=$build/pipelines/sightglass/sightglass
runs=${RUNS:-20}

if [ $# -eq 0 ]; then
  models=$source/../shared/models
  [ -d "$models" ] || {
    echo "no models next to the source tree; name some: ./dev bench MODEL.tflite…" >&2
    exit 1
  }
  set -- "$models"/segmentation/mediapipe_selfie_segmenter_256.tflite \
    "$models"/segmentation/deeplabv3_257_mv_gpu.tflite "$models"/segmentation/bodypix_float_050_8.tflite \
    "$models"/pose/blazepose_landmark_lite.tflite "$models"/face/face_detection_short_range.tflite \
    "$models"/face/face_landmark_468_f16.tflite "$models"/face/face_landmark_468_f32.tflite \
    "$models"/classify_detect/mobilenet_v1_0.25_224_float.tflite
fi

out=$build/bench
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# number FILE SECTION KEY: a number of the JSON report; SECTION is "-" for the top level.
number() {
  awk -v section="$2" -v key="$3" '
    /^  "[a-z_]+": \{/ { split($0, parts, "\""); current = parts[2] }
    /^  \}/ { current = "-" }
    BEGIN { current = "-" }
    current == section && index($0, "\"" key "\":") { sub(/.*: /, ""); sub(/,$/, ""); print; exit }
  ' "$1"
}

table=$out/models.md
{
  echo "Milliseconds: median (minimum) of $runs warm runs; with upload and readback; first and second start, which are"
  echo "context, import, plan, session and first run, without and with the driver's shader cache."
  echo
  echo "| model | run | with transfers | first start | second start | dispatches | programs | arena KiB | bound KiB | weights KiB |"
  echo "|---|---|---|---|---|---|---|---|---|---|"
} >"$table"

for model in "$@"; do
  name=$(basename "$model" .tflite)
  echo "== $name"
  rm -rf "$work/cache"
  MESA_SHADER_CACHE_DIR=$work/cache "$command" run "$model" --runs 0 --json >"$work/first.json"
  MESA_SHADER_CACHE_DIR=$work/cache "$command" run "$model" --runs "$runs" --json >"$out/$name.json"
  json=$out/$name.json
  start_of() { awk -v a="$(number "$1" start_ms total)" -v b="$(number "$1" run_ms first)" 'BEGIN { printf "%.0f", a + b }'; }
  awk -v name="$name" -v median="$(number "$json" run_ms median)" -v minimum="$(number "$json" run_ms min)" \
    -v transfers="$(number "$json" run_with_transfers_ms median)" -v first="$(start_of "$work/first.json")" \
    -v second="$(start_of "$json")" -v dispatches="$(number "$json" - dispatches)" \
    -v programs="$(number "$json" - programs)" -v arena="$(number "$json" memory arena_bytes)" \
    -v bound="$(number "$json" memory lower_bound_bytes)" -v weights="$(number "$json" memory weight_bytes)" \
    'BEGIN { printf "| %s | %.1f (%.1f) | %.1f | %d | %d | %d | %d | %.0f | %.0f | %.0f |\n", name, median, minimum,
             transfers, first, second, dispatches, programs, arena / 1024, bound / 1024, weights / 1024 }' |
    tee -a "$table"
done
echo "== the table is $table; the full reports lie beside it"
