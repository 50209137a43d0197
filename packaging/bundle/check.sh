#!/bin/sh
# Runs a bundle on the Mesa software renderer with an empty environment, and checks its results, its messages, that a wrong
# output of TensorFlow Lite makes it fail, and that a run that is killed leaves a report.   check.sh [--fast] BUNDLE_DIR
# With --fast, measures no models and no frames.
set -eu
fast=false
if [ "$1" = --fast ]; then fast=true && shift; fi
bundle=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "check.sh: $*" >&2
  exit 1
}
# run EXPECTED_STATUS [OPTION…]
run() {
  expected=$1
  shift
  status=0
  env -i PATH=/usr/bin:/bin "$copy/run" --software --results "$work/results" "$@" >"$work/output.txt" 2>&1 || status=$?
  [ "$status" = "$expected" ] || { cat "$work/output.txt" && fail "run $* exits with $status, not $expected"; }
}
has() { grep -qE -e "$2" "$1" || { cat "$1" && fail "$(basename "$1") lacks $2"; }; }

# A path with a space, where nothing else is.
copy="$work/a bundle"
cp -r "$bundle" "$copy"

echo "== options"
run 0 --help
has "$work/output.txt" '^Usage: '
run 0 --list
has "$work/output.txt" '^  figure\.tflite$'
run 2 --fast
has "$work/output.txt" 'unknown option --fast'
run 2 --only speed,luck
has "$work/output.txt" 'no part luck'
run 2 --runs none
run 2 --minutes 0
run 2 --only train
run 2 "$work/none.tflite"

echo "== a software renderer that was not asked for"
begun=$(date +%s)
status=0
env -i PATH=/usr/bin:/bin LIBGL_ALWAYS_SOFTWARE=1 "$copy/run" --results "$work/results" >"$work/output.txt" 2>&1 || status=$?
[ "$status" = 2 ] || { cat "$work/output.txt" && fail "it exits with $status, not 2"; }
has "$work/output.txt" '^llvmpipe .*, from Mesa'
has "$work/output.txt" 'this is a software renderer, not a GPU'
# An emulated processor takes longer.
[ -d "$copy/bin/emulated" ] || [ $(($(date +%s) - begun)) -le 5 ] || fail "it takes more than five seconds"

echo "== tests and measurements"
parts=models,interop,speed,frames,tuning
if $fast; then parts=models,interop; fi
run 0 --quick --only $parts
report=$work/results/llvmpipe.md
has "$report" '^\| models_test \| [1-9][0-9]* \| 0 \|'
has "$report" '^\| interop_test \| [1-9][0-9]* \| 0 \|'
has "$report" '^Nothing\.$'
has "$work/results/llvmpipe.json" '"renderer": "llvmpipe'
has "$work/results/llvmpipe.svg" '^</svg>$'
if ! $fast; then
  has "$report" '^\| device, measured \| [0-9.]+ GFLOP/s'
  has "$report" '^\| glsegment blur, then glpose, 320 × 180 \| 2 \| [0-9.]+ \|.* \| 0 \|$'
  for section in Models Roofline Frames Tuning Starts; do has "$report" "^## $section\$"; done
  has "$report" '^\| figure \| [0-9.]+ \|'
  has "$work/results/llvmpipe.svg" '>figure</text>'
fi
sed -n '/^## Tests/,/^## Models/p' "$report"
files=$(find "$work/results" | wc -l)
[ "$files" -le 8 ] || fail "the results are $files files and directories, more than 8"

echo "== the same report again"
cp "$report" "$work/before.md"
rm "$report"
run 0 --report "$work/results"
cmp "$work/before.md" "$report"

echo "== one more part in the same report"
run 0 --add --only doctor
has "$report" '^\| models_test \| [1-9][0-9]* \| 0 \|'
run 0 --add --quick --only interop
has "$report" '^\| interop_test \| [1-9][0-9]* \| 0 \|'
has "$report" '^Nothing\.$'

echo "== a run that is killed"
# A program that does not end.
cp "$copy/bin/ops_test" "$work/ops_test"
printf '#!/bin/sh\necho "[ RUN      ] Some.Test"\nexec sleep 1000\n' >"$copy/bin/ops_test"
env -i PATH=/usr/bin:/bin SIGHTGLASS_PUBLISH_SECONDS=1 setsid "$copy/run" --software --results "$work/killed" --minutes 1 \
  --only engine,interop >"$work/output.txt" 2>&1 &
running=$!
tries=0
until grep -qs '^- .ops_test. was stopped after 0 tests, in .Some.Test.$' "$work/killed/llvmpipe.md"; do
  tries=$((tries + 1))
  [ $tries -le 20 ] || { cat "$work/output.txt" && fail "no report of the running test within 20 seconds"; }
  sleep 1
done
kill -KILL -$running
wait $running || true
! grep -vE '^\{"part": .*\}$' "$work/killed/results.jsonl" || fail "these lines of results.jsonl are incomplete"
run 0 --report "$work/killed"
has "$work/killed/llvmpipe.md" '^\| ops_test \| – \| did not finish'
mv "$work/ops_test" "$copy/bin"

echo "== a wrong output of TensorFlow Lite"
samples=$copy/files/source/tests/golden/samples.bin
head -c 65536 /dev/zero >"$work/zeros"
dd if="$work/zeros" of="$samples" conv=notrunc 2>"$work/dd.log"
run 1 --quick --only models
has "$work/output.txt" '^FAILED: models_test$'
has "$report" '^- .models_test.: 1 of [0-9]+ tests failed: .Real/ModelsTest.MatchesTensorFlowLite/figure_device.'
has "$report" '^- .models_test., .Real/ModelsTest.MatchesTensorFlowLite/figure_device.: '

echo "== a program that does not finish"
printf '#!/bin/sh\nexit 3\n' >"$copy/bin/interop_test"
run 1 --only interop
has "$report" '^\| interop_test \| – \| did not finish'
has "$report" '^- .interop_test. ended early after 0 tests$'
echo "== the bundle works"
