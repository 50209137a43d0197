#!/bin/sh
# Measures the kernel variants of models on the GPU of this machine, and writes them as the file of its family.
#   tune.sh BUILD_DIR OUTPUT_DIR [MODEL.tflite…]
# Without models, those of ../shared next to the source tree that run.
set -eu
build=$(cd "$1" && pwd)
folder=$2
shift 2
source=$(cd "$(dirname "$0")/.." && pwd)
sightglass=$build/tools/sightglass/sightglass

if [ $# -eq 0 ]; then
  set -- "$source/models/figure/figure.tflite"
  for model in "$source"/../shared/models/*/*.tflite "$source"/../shared/second/models/*.tflite; do
    [ ! -f "$model" ] || set -- "$@" "$model"
  done
fi
family=$("$sightglass" doctor --json --no-measure | sed -n 's/.*"family": "\([^"]*\)".*/\1/p' | tr '[:upper:]' '[:lower:]')
[ -n "$family" ] || {
  echo "tune.sh: no GPU found; see sightglass doctor" >&2
  exit 1
}

cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
tuned=0
for model; do
  for precision in fp32 fp16; do
    if "$sightglass" run --tuning on --cache-dir "$cache" --runs 0 --precision "$precision" "$model" >"$cache/log" 2>&1; then
      tuned=$((tuned + 1))
    else
      echo "not tuned: $model $precision: $(tail -n 1 "$cache/log")" >&2
    fi
  done
done
mkdir -p "$folder"
cat "$cache"/tuning-*.txt >"$folder/$family.txt"
echo "$folder/$family.txt: $(grep -c ': ' "$folder/$family.txt") kinds of steps of $tuned models"
