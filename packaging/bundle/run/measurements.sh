#!/bin/sh
# The parts that measure. Sourced by ./run.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031  # variables of ./run and of the files beside this one

# Models to measure: single operators take no measurable time, and the rest is slow on small devices.
models() {
  echo "$here/share/sightglass/models/figure.tflite"
  if ! $quick && [ -d "$here/files/shared/models" ]; then
    find "$here/files/shared/models" -name '*.tflite' ! -path '*/ops/*' | sort
  fi
}

# bench_each PART OPTION…: a process for each model, so that what is done is recorded when the time is over. A model gets a
# third of the time that is left, so that one that hangs leaves some to the others.
bench_each() {
  bench_part=$1 models_end=$part_end
  shift
  while read -r model; do
    part_end=$models_end
    if is_over; then
      record "$bench_part" "$(basename "$model" .tflite)" 124 0
      continue
    fi
    third=$(($(seconds_left) / 3))
    if [ $third -gt 10 ]; then part_end=$(($(now) + third)); fi
    step "$bench_part" "$(basename "$model" .tflite)" sightglass bench --json --runs "$runs" "$@" "$model"
  done <"$work/models"
  part_end=$models_end
}
part_speed() { bench_each speed --profile --tuning off; }
# The second pass measures no model: it finds the variants of the other precision.
part_tuning() {
  bench_each tuning --no-starts --tuning on
  while read -r model; do
    is_over || step tuned_fp16 "$(basename "$model" .tflite)" sightglass run --tuning on --precision fp16 --runs 0 --json "$model"
  done <"$work/models"
}
part_operators() { step operators operators operator_bench; }
part_doctor() {
  # It reports problems of the machine, which are not failures of the engine.
  ours_within "$(seconds_left)" sightglass doctor --json >"$logs/doctor.json" 2>"$logs/doctor.log" || true
}

# model NAME…: the path of the first of these models that the bundle has; nothing without one.
model() {
  for name in "$@"; do
    find "$here/share/sightglass/models" "$here/files" -name "$name.tflite" | head -n 1
  done | head -n 1
}

# The measurements of elements: NAME|SOURCE|ELEMENTS, with HALF of the width, and HEIGHT. Two people are two rendered
# figures side by side. Paths may have blanks.
frame_cases() {
  figure=$(model mediapipe_selfie_segmenter_256 figure)
  blur="glsegment model=\"$figure\" background=blur"
  picture=$(find "$here/files/source/tests/golden/figure" -name '*.png' | head -n 1)
  echo "source only||"
  echo "glsegment blur, guided||$blur refine=guided"
  echo "glsegment blur, not refined||$blur refine=none"
  echo "glsegment color, guided||glsegment model=\"$figure\" background=color refine=guided"
  echo "glsegment image, guided||glsegment model=\"$figure\" background=image background-location=\"$picture\" refine=guided"
  half='video/x-raw(memory:GLMemory),width=HALF,height=HEIGHT'
  two="glvideomixerelement name=people sink_1::xpos=HALF glfiguresrc seed=1 ! $half ! people. glfiguresrc seed=4 ! $half ! people. people. ! identity"
  pose=$(model blazepose_landmark_lite) detector=$(model blazepose_detection_224)
  if [ -n "$pose" ] && [ -n "$detector" ]; then
    pose="glpose model=\"$pose\" detector=\"$detector\" max-persons=2"
  else
    pose="glpose model=\"$(model figure)\" max-persons=2"
  fi
  echo "two figures, source only|$two|"
  echo "glpose, two people|$two|$pose"
  face=$(model face_landmark_468_f16 face_landmark_468_f32) detector=$(model face_detection_short_range)
  if [ -n "$face" ] && [ -n "$detector" ]; then
    echo "glinfer, landmarks of a face||glinfer model=\"$face\" detector=\"$detector\""
  else
    say "the bundle has no detector of faces with landmarks: glinfer runs without one" >&2
    echo "glinfer, tensors||glinfer model=\"$figure\" task=tensors"
  fi
  echo "glsegment blur, then glpose||$blur refine=guided ! glpose model=\"$(model figure)\""
}

# frame_rows: the rows of the report, a line NAME|SOURCE|ELEMENTS|WIDTH|HEIGHT|STREAMS each, with those first that a report
# needs most: blur at each size and with each number of streams. The chain of two elements has the programs of both: it
# suffices for a quick run.
frame_rows() {
  if $quick; then
    grep -E '^(source only|glsegment blur, then glpose)\|' "$work/frame-cases" | sed 's/$/|320|180|1/; p; s/1$/2/'
    return
  fi
  blur=$(grep '^glsegment blur, guided|' "$work/frame-cases")
  for place in '1280|720|1' '1920|1080|1' '3840|2160|1' '1280|720|4' '1280|720|16'; do echo "$blur|$place"; done
  for place in '1280|720|1' '1920|1080|1' '3840|2160|1'; do
    grep -v '^glsegment blur, guided|' "$work/frame-cases" | sed "s/\$/|$place/"
  done
  for place in '1280|720|4' '1280|720|16'; do
    grep -E '^(source only|glsegment blur, then glpose)\|' "$work/frame-cases" | sed "s/\$/|$place/"
  done
}
most_needed=5

# row_seconds ROW ROWS: the time of a row, of which those that a report needs most get more. Without --minutes, as much as a
# slow device needs, of which software renderers would use all.
row_seconds() {
  if [ -z "$frames_end" ]; then
    if $software; then echo 60; else echo 360; fi
    return
  fi
  left=$((frames_end - $(now)))
  share=$((left / ($2 - $1 + 1)))
  most=8
  if ! $quick && [ "$1" -le $most_needed ]; then most=$((left * 3 / 4 / (most_needed - $1 + 1))); fi
  if [ $share -lt $most ]; then share=$most; fi
  if [ $share -gt $left ]; then share=$left; fi
  echo $share
}

part_frames() {
  frame_cases >"$work/frame-cases"
  frame_rows >"$work/frame-rows"
  frame_seconds=1 most_frames=100000
  if $software; then most_frames=5; fi
  if $quick; then frame_seconds=0.2 most_frames=3; fi
  rows=$(wc -l <"$work/frame-rows") row=0 frames_end=$part_end
  while IFS='|' read -r name source elements width height streams; do
    row=$((row + 1))
    share=$(row_seconds $row "$rows")
    # Less would measure nothing but the start.
    if [ "$share" -lt 3 ]; then
      record frames "$name, ${width}x$height, $streams" 124 0
      continue
    fi
    if [ -z "$source" ]; then source='glfiguresrc seed=1'; fi
    replace="s/HALF/$((width / 2))/g; s/HEIGHT/$height/g"
    # The program ends by itself unless the end of its streams takes long.
    part_end=$(($(now) + share))
    step frames "$name, ${width}x$height, $streams" frames_bench --name "$name" --source "$(echo "$source" | sed "$replace")" \
      --elements "$(echo "$elements" | sed "$replace")" --width "$width" --height "$height" --streams "$streams" \
      --seconds $frame_seconds --frames $most_frames --limit $((share * 3 / 4))
  done <"$work/frame-rows"
}
