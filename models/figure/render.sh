#!/bin/sh
# Renders missing frames for training and evaluation of the model.
# render.sh RENDERER FOLDER train|eval
# Training uses the seeds from 0, in files of 250, those from 500000 with fine detail, and the rooms, without figures, of
# those from 700000; evaluation those from 1000000.
# No figure is in both. Pixels are square, or as wide as when a 4:3, 16:9 or upright 3:4 camera frame is squeezed into a
# square.
set -eu
renderer=$1
folder=$2/data
mkdir -p "$folder"

# render KIND FIRST-SEED COUNT PIXEL-ASPECT [OPTION...]
render() {
  file=$folder/$1-$2.figures
  first=$2 count=$3 aspect=$4
  shift 4
  [ -f "$file" ] || "$renderer" --output "$file" --seed "$first" --count "$count" --aspect "$aspect" "$@"
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
    # A frame takes six times as long.
    seed=500000
    while [ "$seed" -lt $((500000 + ${SIGHTGLASS_FINE_FIGURES:-500})) ]; do
      for aspect in 3/4 4/3; do
        render train "$seed" 250 "$aspect" --detail fine --shutter 0.3
        seed=$((seed + 250))
      done
    done
    seed=700000
    while [ "$seed" -lt $((700000 + ${SIGHTGLASS_ROOMS:-2000})) ]; do
      for aspect in 4/3 1/1 16/9; do
        render room "$seed" 250 "$aspect" --rooms
        seed=$((seed + 250))
      done
    done
    ;;
  eval) render eval 1000000 240 4/3 ;;
  *)
    echo "render.sh: cannot render '$3'; give train or eval" >&2
    exit 1
    ;;
esac
