#!/bin/sh
# Tests and measures Sightglass on the GPU of this machine, with nothing installed but its driver.
# shellcheck disable=SC2034,SC2154  # variables of the files that are sourced below
set -eu
here=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat <<'USAGE'
Usage: ./run [OPTION…] [MODEL.tflite…]

Tests the engine and the elements on the GPU of this machine, measures them, and writes a report. Measures the bundled
models, or MODEL….

  --minutes N     plan all parts into this time: each part is stopped at its share
  --only PARTS    comma-separated parts to run (all but compare)
  --skip PARTS    comma-separated parts to leave out
  --frames        only the part frames
  --compare       only the part compare; --only and these options add up
  --train MINUTES also train the bundled model with PyTorch for this time, after the other parts; --only train: no others
  --runs N        runs per model (20)
  --quick         only the bundled model `figure`, with three runs and without its tests of other limits
  --software      use the Mesa software renderer; otherwise a software renderer is an error
  --results DIR   directory of the results (results, next to this program)
  --add           keep the results that are there, and replace those of the parts that run; otherwise all are replaced
  --report DIR    write the report again from the results in DIR, and end
  --list          print parts and models, and end
  --help          print this text, and end

Parts, in this order:
  shaders    every variant of every shader compiles
  engine     operators, plans, and sessions, compared with a reference
  models     whole models, compared with outputs of TensorFlow Lite
  interop    EGL contexts and DMABUFs
  doctor     facts about drivers, cameras, and displays, without anything private
  speed      time, roofline, and cold and warm start of each model
  operators  time of single operators
  frames     elements on frames in GPU memory: frames per second, GPU time, latency, memory, and copies
  tuning     time of each model with tuned kernels
  compare    time of each model with other engines that this machine has

The results are DEVICE.md, DEVICE.json, and DEVICE.svg, named by the GPU; results.jsonl, a line for each finished step;
logs.tar.gz; and FAMILY.txt, the tuned kernels of the family of the GPU. They are kept up to date during the run, so that
one that is killed still has a report. The exit status is 0 if everything passed, 1 if a test or a measurement failed, and
2 if an option is wrong or this machine cannot run the programs. Parts that were stopped at their share are no failures;
the report names them.

Environment:
  SIGHTGLASS_GL_PATH  directories of the GPU driver, separated by colons, if neither ldconfig nor EGL finds it
  SIGHTGLASS_PYTHON   a Python with PyTorch, for compare and --train (python3)
  SIGHTGLASS_LITERT   a directory with litert_ref.mjs and the Node modules that it imports, for compare
USAGE
}

fail() {
  echo "run: $*" >&2
  exit 2
}

all='shaders engine models interop doctor speed operators frames tuning compare'
only=
skip=
runs=20
minutes=
train=
results=$here/results
quick=false
software=false
list=false
report_only=false
add=false
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --quick) quick=true runs=3 ;;
    --software) software=true && export LIBGL_ALWAYS_SOFTWARE=1 ;;
    --list) list=true ;;
    --add) add=true ;;
    --frames) only=${only:+$only,}frames ;;
    --compare) only=${only:+$only,}compare ;;
    --only | --skip | --runs | --results | --minutes | --train | --report)
      [ $# -gt 1 ] || fail "$1 needs a value"
      case $1 in
        --only) only=${only:+$only,}$2 ;;
        --skip) skip=$2 ;;
        --runs) runs=$2 ;;
        --results) results=$2 ;;
        --minutes) minutes=$2 ;;
        --train) train=$2 ;;
        --report) report_only=true results=$2 ;;
      esac
      shift
      ;;
    -*) fail "unknown option $1; ./run --help lists them" ;;
    *) break ;;
  esac
  shift
done
positive() { case $2 in '' | *[!0-9]* | 0) fail "$1 $2: not a positive number" ;; esac }
positive --runs "$runs"
if [ -n "$minutes" ]; then positive --minutes "$minutes"; fi
if [ -n "$train" ]; then positive --train "$train"; fi
for part in $(echo "$only,$skip" | tr , ' '); do
  case " $all train " in *" $part "*) ;; *) fail "there is no part $part; the parts are $all" ;; esac
  if [ "$part" = train ] && [ -z "$train" ]; then fail "--train MINUTES says how long to train"; fi
done
for model in "$@"; do [ -f "$model" ] || fail "$model: no such file"; done
wants() {
  case ",$skip," in *",$1,"*) return 1 ;; esac
  if [ -z "$only" ]; then [ "$1" != compare ] && return; fi
  case ",$only," in *",$1,"*) return 0 ;; esac
  return 1
}

for file in plan environment tests measurements compare train; do
  # shellcheck disable=SC1090  # beside this file
  . "$here/share/run/$file.sh"
done

if $list; then
  echo "parts: $all"
  echo "models:"
  models | sed 's,.*/,  ,'
  exit 0
fi

# Files of the run are elsewhere: the results are few files.
work=$(mktemp -d)
logs=$work/logs
children=
publisher=
failed=
mkdir -p "$logs/tests" "$work/cache/mesa" "$work/cache/nvidia" "$work/tmp"

# leave STATUS: ends everything that was started.
leave() {
  trap - EXIT INT TERM HUP
  # shellcheck disable=SC2086  # a list of words
  kill $publisher $children 2>/dev/null || true
  rm -rf "$work"
  exit "$1"
}
trap 'leave $?' EXIT
trap 'leave 2' INT TERM HUP

# read_logs: those of the results that are there.
read_logs() {
  tar -xzf "$results/logs.tar.gz" -C "$work" 2>/dev/null || say "$results/logs.tar.gz is missing: the report lacks tests"
  mkdir -p "$logs/tests"
}

if $report_only; then
  [ -f "$results/results.jsonl" ] || fail "$results has no results.jsonl"
  results=$(cd "$results" && pwd)
  read_logs
  device=$(device_name "$(sed -n 's/.*"renderer": "\([^"]*\)".*/\1/p' "$results/results.jsonl" | head -n 1)")
  publish || fail "cannot write the report"
  say "written: $results/$device.md"
  leave 0
fi

mkdir -p "$results" 2>/dev/null || fail "cannot create $results; choose another directory with --results"
results=$(cd "$results" && pwd)
begun_at=$(now)
find_device
device=$(device_name "$renderer")
planned=
for part in $all; do
  if wants "$part"; then planned="$planned $part"; fi
done
if [ -n "$train" ]; then planned="$planned train"; fi

if $add && [ -f "$results/results.jsonl" ]; then
  read_logs
  for part in $planned; do
    # Tests have the names of programs there, and replace what they wrote before.
    grep -v "^{\"part\": \"$part" "$results/results.jsonl" >"$work/kept" || true
    mv "$work/kept" "$results/results.jsonl"
  done
else
  rm -f "$results/results.jsonl" "$results/logs.tar.gz" "$results/$device".*
fi
record device device 0 0 "$work/device.json"
# The last seconds are for the report.
run_end=
if [ -n "$minutes" ]; then run_end=$((begun_at + 60 * (minutes - ${train:-0}) - 15)); fi

if [ $# -gt 0 ]; then printf '%s\n' "$@"; else models; fi >"$work/models"
publish || fail "cannot write the report"
publish_regularly >/dev/null 2>&1 &
publisher=$!
# Whoever ends the run gets what there is.
trap 'publish || true; say "interrupted: the report has what was done, in $results/$device.md"; leave 2' INT TERM HUP

for part in $planned; do
  begin "$part"
  case $part in
    shaders | engine | models | interop) ;;
    *) say "== $part" ;;
  esac
  "part_$part"
  publish || failed="$failed report"
done

kill $publisher 2>/dev/null || true
publisher=
publish || fail "cannot write the report"
say "the results are in $results: $device.md, $device.json, $device.svg, results.jsonl, and logs.tar.gz"
if [ -n "$failed" ]; then
  say "FAILED:$failed"
  leave 1
fi
if grep -qE '"status": (124|137)' "$results/results.jsonl"; then
  say "what ran passed; the report names what was stopped"
else
  say "everything passed"
fi
leave 0
