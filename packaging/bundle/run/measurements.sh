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

# bench_each PART OPTION…: a process for each model, so that what is done is recorded when the time is over.
bench_each() {
  bench_part=$1
  shift
  while read -r model; do
    if is_over; then
      record "$bench_part" "$(basename "$model" .tflite)" 124 0
      continue
    fi
    step "$bench_part" "$(basename "$model" .tflite)" sightglass bench --json --runs "$runs" "$@" "$model"
  done <"$work/models"
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

# frames_of NAME SOURCE ELEMENTS WIDTH HEIGHT STREAMS
frames_of() {
  if is_over; then
    record frames "$1, $4x$5, $6" 124 0
    return
  fi
  source=$2
  set -- "$1" "$(echo "$3" | sed "s/HALF/$(($4 / 2))/g; s/HEIGHT/$5/g")" "$4" "$5" "$6"
  if [ -n "$source" ]; then
    source=$(echo "$source" | sed "s/HALF/$(($3 / 2))/g; s/HEIGHT/$4/g")
  else
    source='glfiguresrc seed=1'
  fi
  step frames "$1, $3x$4, $5" frames_bench --name "$1" --source "$source" --elements "$2" --width "$3" --height "$4" \
    --streams "$5" --seconds "$frame_seconds" --frames "$most_frames"
}

# Every measurement at one size and with one stream before the next. The chain of two elements has the programs of both:
# it suffices for a quick run.
part_frames() {
  frame_cases >"$work/frame-cases"
  frame_seconds=2 most_frames=100000 sizes='1280x720 1920x1080 3840x2160' streams='4 16'
  if $software; then frame_seconds=1 most_frames=20; fi
  if $quick; then
    frame_seconds=0.2 most_frames=3 sizes=320x180 streams=2
    sed -i '/^source only/b; /^glsegment blur, then/b; d' "$work/frame-cases"
  fi
  for size in $sizes; do
    while IFS='|' read -r name source elements; do
      frames_of "$name" "$source" "$elements" "${size%x*}" "${size#*x}" 1
    done <"$work/frame-cases"
  done
  size=${sizes%% *}
  for number in $streams; do
    grep -E '^(source only|glsegment blur, guided|glsegment blur, then glpose)\|' "$work/frame-cases" >"$work/many-cases"
    while IFS='|' read -r name source elements; do
      frames_of "$name" "$source" "$elements" "${size%x*}" "${size#*x}" "$number"
    done <"$work/many-cases"
  done
}
