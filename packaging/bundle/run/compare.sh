#!/bin/sh
# The part that compares with other engines. Sourced by ./run.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031  # variables of ./run and of the files beside this one

# find_python: sets python to one with PyTorch; to nothing if there is none, with what it needs in python_needs.
find_python() {
  python='' python_needs='torch and numpy'
  # The bundle brings it if the machine that made the bundle has it.
  if [ ! -d "$here/share/run/schema/flatbuffers" ]; then python_needs='torch, numpy, and flatbuffers'; fi
  for name in "${SIGHTGLASS_PYTHON:-python3}" /usr/bin/python3; do
    if [ -z "$python" ] && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here/share/run/schema" "$name" \
      -c 'import torch, numpy, flatbuffers' 2>/dev/null; then python=$name; fi
  done
}

# theirs COMMAND…: with the libraries of this machine, within the time of the part, and a minute.
theirs() {
  their_seconds=$(seconds_left)
  if [ "$their_seconds" = 0 ] || [ "$their_seconds" -gt 60 ]; then their_seconds=60; fi
  env PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 timeout -k 3 "$their_seconds" "$@" &
  children=$!
  outcome=0
  wait "$children" || outcome=$?
  children=
  return $outcome
}

# record_lines STEP STATUS FILE: each line of JSON is a result.
record_lines() {
  while read -r line; do
    case $line in '{'*) ;; *) continue ;; esac
    echo "$line" >"$work/one.json"
    record compare "$1" "$2" 0 "$work/one.json"
  done <"$3"
}

missing() {
  printf '{"model": "%s", "engine": "%s", "missing": "%s"}\n' "$1" "$2" "$3" >"$work/one.json"
  record compare "$2" 0 0 "$work/one.json"
}

# The median of a report of `sightglass run`, with upload and readback.
median_with_transfers() {
  tr -d '\n' <"$1" | sed -n 's/.*"run_with_transfers_ms": {[^}]*"median": \([0-9.eE+-]*\).*/\1/p'
}

# compare_litert NAME MODEL: LiteRT in Node, in a folder with litert_ref.mjs and its modules.
compare_litert() {
  for accelerator in wasm webgpu; do
    # shellcheck disable=SC2086  # a list of words
    theirs node "$SIGHTGLASS_LITERT/litert_ref.mjs" "$2" --accelerator $accelerator $input_options --threads "$litert_threads" \
      --seconds "$compare_seconds" --json >"$work/theirs.json" 2>"$logs/litert-$1-$accelerator.log" || true
    their_ms=$(sed -n 's/.*"median_ms":\([0-9.]*\).*/\1/p' "$work/theirs.json" | head -n 1)
    if [ -z "$their_ms" ]; then
      missing "$1" "LiteRT, $accelerator" "$1: it does not run; the logs have its messages"
    elif grep -q '"fully_accelerated":false' "$work/theirs.json"; then
      missing "$1" "LiteRT, $accelerator" "$1: not all operators run on the GPU"
    else
      printf '{"model": "%s", "engine": "LiteRT", "device": "%s", "ms": %s, "ours_ms": %s}\n' "$1" \
        "$accelerator" "$their_ms" "$ours_ms" >"$work/one.json"
      record compare "LiteRT of $1" 0 0 "$work/one.json"
    fi
  done
}

part_compare() {
  compare_seconds=1
  if $quick; then compare_seconds=0.2; fi
  find_python
  if [ -z "$python" ]; then
    missing '' 'PyTorch and ONNX Runtime' "no python3 that has $python_needs"
    say "no python3 that has $python_needs: neither PyTorch nor ONNX Runtime is measured"
  fi
  litert=true litert_threads=$(nproc)
  if [ "$litert_threads" -gt 8 ]; then litert_threads=8; fi
  if ! command -v node >/dev/null || [ ! -f "${SIGHTGLASS_LITERT:-/nonexistent}/litert_ref.mjs" ]; then
    litert=false
    missing '' LiteRT 'no node, or SIGHTGLASS_LITERT names no folder with litert_ref.mjs and its modules'
    say "no node, or SIGHTGLASS_LITERT names no folder with litert_ref.mjs and its modules: LiteRT is not measured"
  fi
  while read -r model; do
    if is_over; then
      record compare "$(basename "$model" .tflite)" 124 0
      continue
    fi
    compare_model "$(basename "$model" .tflite)" "$model"
  done <"$work/models"
}

# compare_model NAME MODEL: ours first, then the others with the same inputs.
compare_model() {
  folder=$work/compare
  rm -rf "$folder"
  mkdir "$folder"
  input_options='--input random:1'
  if [ -n "$python" ] && theirs "$python" "$here/share/run/compare.py" inputs "$2" "$folder" \
    2>"$logs/compare-$1-inputs.log"; then
    input_options=
    for file in "$folder"/in*.raw; do input_options="$input_options --input $file"; done
  fi
  # shellcheck disable=SC2086  # a list of words; the working directory has no blanks
  ours_within "$(seconds_left)" sightglass run "$2" $input_options --runs "$runs" --json --output-prefix "$folder/ours" \
    >"$work/ours.json" 2>"$logs/compare-$1.log" || {
    our_status=$?
    record compare "$1" $our_status 0
    case $our_status in
      124 | 137) ;;
      *) failed="$failed compare:$1" ;;
    esac
    return
  }
  ours_ms=$(median_with_transfers "$work/ours.json")
  if [ -n "$python" ]; then
    theirs "$python" "$here/share/run/compare.py" run "$2" "$folder" "$ours_ms" "$compare_seconds" \
      >"$work/theirs.jsonl" 2>"$logs/compare-$1-python.log" || true
    record_lines "$1" 0 "$work/theirs.jsonl"
  fi
  if $litert; then compare_litert "$1" "$2"; fi
}
