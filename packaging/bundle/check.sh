#!/bin/sh
# Runs a bundle on the Mesa software renderer with an empty environment, and checks its results, its messages, and that a
# wrong output of TensorFlow Lite makes it fail.   check.sh [--fast] BUNDLE_DIR
# With --fast, measures the device only, no model.
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
run 2 "$work/none.tflite"

echo "== tests and measurements"
parts=models,interop,speed,tuning
if $fast; then parts=models,interop; fi
run 0 --quick --only $parts
report=$work/results/report.md
has "$report" '^\| models_test \| [1-9][0-9]* \| 0 \|'
has "$report" '^\| interop_test \| [1-9][0-9]* \| 0 \|'
has "$report" '^\| device, measured \| [0-9.]+ GFLOP/s'
has "$work/results/report.json" '"renderer": "llvmpipe'
has "$work/results/report.svg" '^</svg>$'
if ! $fast; then
  for section in Models Roofline Tuning Starts; do has "$report" "^## $section\$"; done
  has "$report" '^\| figure \| [0-9.]+ \|'
  has "$work/results/report.svg" '>figure</text>'
fi
sed -n '/^## Tests/,/^## Models/p' "$report"

echo "== a wrong output of TensorFlow Lite"
samples=$copy/files/source/tests/golden/samples.bin
head -c 65536 /dev/zero >"$work/zeros"
dd if="$work/zeros" of="$samples" conv=notrunc 2>"$work/dd.log"
run 1 --quick --only models
has "$work/output.txt" '^FAILED: models_test$'
has "$report" '^- .models_test., .Real/ModelsTest.MatchesTensorFlowLite/figure_device.: '

echo "== a program that does not finish"
printf '#!/bin/sh\nexit 3\n' >"$copy/bin/interop_test"
run 1 --only interop
has "$report" '^\| interop_test \| – \| did not finish'
echo "== the bundle works"
