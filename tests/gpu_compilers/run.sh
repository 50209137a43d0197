#!/bin/sh
# Compiles all default programs for stubs of real GPUs, starts `sightglass run` on each, and writes the report.
#   run.sh BUILD [DEVICE…]
# BUILD is a build directory with compile_programs and the command; the report is BUILD/gpu-compilers/report.md. DEVICE is
# a name of device.sh or the first part of one: mali, videocore-7. Default: all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
shift
mesa=$build/gpu-compilers
results=$mesa/results
report=$mesa/report.md
say() { printf '%s\n' "== $*"; }

"$here/mesa.sh" "$mesa"
# Words without spaces: names of our own test data.
models=$(find "$root/models/figure/figure.tflite" "$root/../shared/models" "$root/../shared/second/models" \
  -name '*.tflite' 2>/dev/null | sort)
say "$(echo "$models" | wc -l) models"
rm -rf "$results"
mkdir -p "$results"
result=0
for device in mali-g52 mali-g57 videocore-6 videocore-7 adreno-630 adreno-730 intel-tgl amd-renoir amd-navi; do
  chosen=
  [ $# != 0 ] || chosen=1
  for name in "$@"; do case $device in "$name"*) chosen=1 ;; esac; done
  [ -n "$chosen" ] || continue
  say "$device"
  # shellcheck disable=SC2086  # a list of words
  "$here/device.sh" "$mesa" "$device" "$build/tests/gpu_compilers/compile_programs" $models \
    >"$results/$device.jsonl" 2>"$results/$device.log" || {
    tail -n 5 "$results/$device.log" >&2
    result=1
  }
  "$here/device.sh" "$mesa" "$device" "$build/tools/sightglass/sightglass" run "$root/models/figure/figure.tflite" --no-cache --runs 1 \
    >"$results/$device.run" 2>&1 || {
    say "sightglass run does not start on $device:"
    tail -n 5 "$results/$device.run" >&2
    result=1
  }
done
python3 "$here/report.py" "$results" "$report" || result=1
say "written: $report"
exit $result
