#!/bin/sh
# The part that trains the bundled model. Sourced by ./run.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031  # variables of ./run and of the files beside this one

# keep_checkpoint: the newest state of the network, as results.
keep_checkpoint() {
  if [ -f "$work/figure/checkpoint.pt" ]; then
    cp "$work/figure/checkpoint.pt" "$results/checkpoint.part"
    mv "$results/checkpoint.part" "$results/checkpoint.pt"
  fi
}

# render_frames KIND FIRST-SEED COUNT PIXEL-ASPECT [OPTION…]: in files of 250, several at once, until the time is over.
render_frames() {
  render_kind=$1 seed=$2 last=$(($2 + $3)) aspect=$4
  shift 4
  while [ "$seed" -lt "$last" ] && [ "$(now)" -lt "$render_end" ]; do
    render_children=
    slot=0
    while [ $slot -lt "$renderers" ] && [ "$seed" -lt "$last" ]; do
      (
        work=$work/render$slot
        mkdir -p "$work/cache" "$work/tmp"
        within=$((render_end - $(now) + 1))
        launch sightglass-render-figures --output "$frames/$render_kind-$seed.figures" --seed "$seed" \
          --count "$frames_of_file" --aspect "$aspect" "$@" >>"$logs/render-$slot.log" 2>&1
      ) &
      render_children="$render_children $!"
      seed=$((seed + frames_of_file)) slot=$((slot + 1))
    done
    children=$render_children
    for child in $render_children; do wait "$child" || true; done
    children=
  done
}

# A sixth of the time is for rendering, the rest for training.
part_train() {
  find_python
  if [ -z "$python" ]; then
    say "no python3 that has $python_needs: nothing is trained"
    record training training 1 0
    failed="$failed train"
    return
  fi
  train_end=$(($(now) + 60 * train))
  render_end=$(($(now) + 10 * train))
  frames=$work/figure/data
  mkdir -p "$frames"
  frames_of_file=250 renderers=4 batch=256 rate=6e-3 workers=$(($(nproc) - 2)) figures=100000
  if $software; then renderers=1 batch=8 rate=3e-3 workers=1 frames_of_file=10 figures=20; fi
  if [ "$workers" -lt 1 ]; then workers=1; fi
  # Rooms first: there are fewer, and no batch goes without.
  render_frames room 700000 $((figures / 10)) 4/3 --rooms
  render_frames train 0 $((figures * 2 / 3)) 4/3
  render_frames train 400000 $((figures / 3)) 16/9
  say "$(find "$frames" -name '*.figures' | wc -l) files of $frames_of_file frames"
  begun=$(now)
  left=$((train_end - begun - 5))
  if [ -f "$here/share/figure/objects.npz" ]; then
    cp "$here/share/figure/objects.npz" "$frames"
  else
    say "the bundle has no pictures of objects: polygons are behind the figures"
    PYTHONDONTWRITEBYTECODE=1 theirs "$python" "$here/share/figure/objects.py" --shapes 500 --output "$frames/objects.npz" \
      >"$logs/objects.log" 2>&1 || say "cannot draw them: $(tail -n 1 "$logs/objects.log")"
  fi
  # Its own clock ends it, so that the last state is written; this one ends it if it hangs.
  env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here/share/run/schema" CUBLAS_WORKSPACE_CONFIG=:4096:8 \
    timeout -k 3 $((left + 30)) "$python" -u "$here/share/figure/train.py" --folder "$work/figure" --device auto \
    --batch $batch --rate $rate --workers "$workers" --seconds "$left" --from-model \
    "$here/share/sightglass/models/figure_recurrent.tflite" >"$logs/train.log" 2>&1 &
  children=$!
  trainer=$!
  while kill -0 $trainer 2>/dev/null; do
    sleep 5
    keep_checkpoint
  done
  train_status=0
  wait $trainer || train_status=$?
  children=
  keep_checkpoint
  tail -n 3 "$logs/train.log"
  sed -n 's/^step \([0-9]*\) of \([0-9]*\), \([0-9.]*\) min: mask \([0-9.]*\), keypoints \([0-9.]*\)$/{"step": \1, "minutes": \3, "mask": \4, "keypoints": \5}/p' \
    "$logs/train.log" | tail -n 1 >"$work/training.json"
  record training training $train_status $(($(now) - begun)) "$work/training.json"
  [ $train_status = 0 ] || failed="$failed train"
}
