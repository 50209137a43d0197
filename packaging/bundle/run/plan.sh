#!/bin/sh
# Plans the parts of a run into its time, starts programs, and records what they did. Sourced by ./run.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031  # variables of ./run and of the files beside this one

now() { date +%s; }

# weight PART: its share of the time, as far as the parts before it left any.
weight() {
  case $1 in
    models) echo 18 ;;
    engine) echo 20 ;;
    shaders) echo 14 ;;
    interop | doctor) echo 2 ;;
    speed) echo 14 ;;
    operators) echo 3 ;;
    frames) echo 18 ;;
    tuning) echo 9 ;;
    compare) echo 10 ;;
  esac
}

# begin PART: plans its end. Without --minutes, there is none. A part that ends early leaves its time to those after it.
begin() {
  part=$1
  part_end=
  [ -n "$run_end" ] || return 0
  if [ "$part" = train ]; then
    part_end=$((run_end + 60 * train))
    return
  fi
  sum=0 follows=false
  for other in $planned; do
    if [ "$other" = "$part" ]; then follows=true; fi
    if $follows && [ "$other" != train ]; then sum=$((sum + $(weight "$other"))); fi
  done
  left=$((run_end - $(now)))
  part_end=$(($(now) + left * $(weight "$part") / sum))
}

is_over() { [ -n "$part_end" ] && [ "$(now)" -ge "$part_end" ]; }

# seconds_left: of the part; 0 if it has no end. At least one second, so that a program reports that it was stopped.
seconds_left() {
  if [ -z "$part_end" ]; then
    echo 0
  elif is_over; then
    echo 1
  else
    echo $((part_end - $(now)))
  fi
}

# ours_within SECONDS PROGRAM [ARGUMENT…]: stops it then; with 0, never. Waits in a way that signals interrupt.
ours_within() {
  within=$1
  shift
  launch "$@" &
  within=0
  children=$!
  outcome=0
  wait "$children" || outcome=$?
  children=
  return $outcome
}

say() { echo "$*"; }

# record PART STEP STATUS SECONDS [FILE]: appends a line to results.jsonl. FILE has the result, a JSON value.
record() {
  {
    printf '{"part": "%s", "step": "%s", "status": %s, "seconds": %s' "$1" "$2" "$3" "$4"
    if [ $# -gt 4 ] && [ -s "$5" ]; then
      printf ', "result": '
      tr '\n' ' ' <"$5"
    fi
    printf '}\n'
  } >"$work/line"
  # In one write, so that a line is whole.
  cat "$work/line" >>"$results/results.jsonl"
}

# step PART STEP PROGRAM [ARGUMENT…]: runs it within the time of the part, and records what it prints, a JSON value.
step() {
  step_part=$1 step_name=$2
  shift 2
  step_log=$logs/$(echo "$step_part-$step_name" | tr -c 'A-Za-z0-9_.\n-' '_').log
  begun=$(now)
  step_status=0
  ours_within "$(seconds_left)" "$@" >"$work/result.json" 2>"$step_log" || step_status=$?
  record "$step_part" "$step_name" $step_status $(($(now) - begun)) "$work/result.json"
  case $step_status in
    0) ;;
    124 | 137) say "stopped: $step_part of $step_name" ;;
    *)
      failed="$failed $step_part:$step_name"
      tail -n 3 "$step_log"
      ;;
  esac
}

# The family of the GPU, which its tuned kernels are named by.
family() {
  name=$(sed -n 's/.*"family": "\([^"]*\)".*/\1/p' "$logs/doctor.json" 2>/dev/null | head -n 1 | tr '[:upper:]' '[:lower:]')
  echo "${name:-${device%%-*}}"
}

# publish: writes the report and the logs from what there is so far. Each file is replaced as a whole.
publish() {
  new=$(mktemp -d "$work/new-XXXXXX") || return 0
  if ours bench_report --version-name "$(cat "$here/share/version")" --steps "$results/results.jsonl" --logs "$logs" \
    --peers "$here/share/peers.json" --results "$new/$device.json" --report "$new/$device.md" \
    --chart "$new/$device.svg" 2>"$new/errors"; then
    for file in "$device.json" "$device.md" "$device.svg"; do mv "$new/$file" "$results/$file"; done
  else
    cat "$new/errors" >&2
    rm -rf "$new"
    return 1
  fi
  # For tuning/ of the source tree.
  if cat "$work"/cache/sightglass/tuning-*.txt >"$new/tuned" 2>/dev/null && [ -s "$new/tuned" ]; then
    mv "$new/tuned" "$results/$(family).txt"
  fi
  if tar -czf "$new/logs.tar.gz" -C "$work" logs 2>/dev/null; then mv "$new/logs.tar.gz" "$results/logs.tar.gz"; fi
  rm -rf "$new"
}

# Keeps the report up to date while programs run: whoever ends the run may not wait for a last one.
publish_regularly() {
  while sleep "${SIGHTGLASS_PUBLISH_SECONDS:-20}" && kill -0 $$ 2>/dev/null; do publish || true; done
}
