#!/bin/sh
# Renders the frames that the model is trained and measured on, those that are not there yet.
#   render.sh RENDERER FOLDER train|eval
# Training has the seeds from 0, in files of 250; evaluation those from 1000000 on. No figure is in both. Pixels are
# square, or as wide as they become when a camera's picture of 4:3 or 16:9 is squeezed into a square.
set -eu
renderer=$1
folder=$2/data
mkdir -p "$folder"

# render KIND FIRST-SEED COUNT PIXEL-ASPECT
render() {
  file=$folder/$1-$2.figures
  [ -f "$file" ] || "$renderer" --output "$file" --seed "$2" --count "$3" --aspect "$4"
}

case $3 in
  train)
    seed=0
    while [ "$seed" -lt "${SIGHTGLASS_FIGURES:-9000}" ]; do
      for aspect in 4/3 1/1 16/9; do
        render train "$seed" 250 "$aspect"
        seed=$((seed + 250))
      done
    done
    ;;
  eval) render eval 1000000 240 4/3 ;;
  *)
    echo "render.sh: train or eval, not $3" >&2
    exit 1
    ;;
esac
