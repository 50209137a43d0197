#!/bin/sh
# Tests and measures Sightglass on the GPU of this machine, with nothing installed but its driver.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat <<'USAGE'
Usage: ./run [OPTION…] [MODEL.tflite…]

Tests the engine on the GPU of this machine, measures it, and writes a report. Measures the bundled models, or MODEL….

  --only PARTS    comma-separated parts to run (all)
  --skip PARTS    comma-separated parts to leave out
  --runs N        runs per model (20)
  --quick         only the bundled model `figure`, with three runs and without its tests of other limits
  --software      use the Mesa software renderer
  --results DIR   directory of the results (results, next to this program)
  --list          print parts and models, and end
  --help          print this text, and end

Parts, in this order:
  models     whole models, compared with outputs of TensorFlow Lite
  engine     operators, plans, and sessions, compared with a reference
  shaders    every variant of every shader compiles
  interop    EGL contexts and DMABUFs
  speed      time, roofline, and cold and warm start of each model
  tuning     time of each model with tuned kernels
  operators  time of single operators
  doctor     facts about drivers, cameras, and displays, without anything private

The results are report.md, report.json, report.svg, and the logs. The exit status is 0 if everything passed, 1 if a
test or a measurement failed, and 2 if an option is wrong or this machine cannot run the programs.
USAGE
}

fail() {
  echo "run: $*" >&2
  exit 2
}

all='models engine shaders interop speed tuning operators doctor'
only=
skip=
runs=20
results=$here/results
quick=false
list=false
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --quick) quick=true runs=3 ;;
    --software) export LIBGL_ALWAYS_SOFTWARE=1 ;;
    --list) list=true ;;
    --only | --skip | --runs | --results)
      [ $# -gt 1 ] || fail "$1 needs a value"
      case $1 in
        --only) only=$2 ;;
        --skip) skip=$2 ;;
        --runs) runs=$2 ;;
        --results) results=$2 ;;
      esac
      shift
      ;;
    -*) fail "unknown option $1; ./run --help lists them" ;;
    *) break ;;
  esac
  shift
done
case $runs in '' | *[!0-9]* | 0) fail "--runs $runs: not a positive number" ;; esac
for part in $(echo "$only,$skip" | tr , ' '); do
  case " $all " in *" $part "*) ;; *) fail "there is no part $part; the parts are $all" ;; esac
done
for model in "$@"; do [ -f "$model" ] || fail "$model: no such file"; done
wants() {
  case ",$skip," in *",$1,"*) return 1 ;; esac
  case ",${only:-$1}," in *",$1,"*) return 0 ;; esac
  return 1
}

# Models to measure: single operators take no measurable time, and the rest is slow on small devices.
models() {
  echo "$here/share/sightglass/models/figure.tflite"
  if ! $quick && [ -d "$here/files/shared/models" ]; then
    find "$here/files/shared/models" -name '*.tflite' ! -path '*/ops/*' | sort
  fi
}
if $list; then
  echo "parts: $all"
  echo "models:"
  models | sed 's,.*/,  ,'
  exit 0
fi

# The programs find our libraries, then those of the machine, then those of ours that drivers use as well.
machine=$(uname -m)
libraries=$here/lib:${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}
for directory in /usr/lib/"$machine"-linux-gnu /lib/"$machine"-linux-gnu /usr/lib64 /lib64 /usr/lib /lib; do
  if [ -d "$directory" ]; then libraries=$libraries$directory:; fi
done
libraries=$libraries$here/lib/after-system

mkdir -p "$results/logs" 2>/dev/null || fail "cannot create $results; choose another directory with --results"
results=$(cd "$results" && pwd)
rm -rf "$results/logs" "$results/cache" "$results"/report.*
mkdir -p "$results/logs" "$results/cache/mesa"

# ours PROGRAM [ARGUMENT…]: it stores everything below the results. Plugins of this machine do not fit our libraries.
ours() {
  program=$1
  shift
  env LC_ALL=C LD_LIBRARY_PATH="$libraries" SIGHTGLASS_TEST_FILES="$here/files/source" XDG_CACHE_HOME="$results/cache" \
    MESA_SHADER_CACHE_DIR="$results/cache/mesa" GDK_PIXBUF_MODULE_FILE=/dev/null GIO_MODULE_DIR="$here/lib/none" \
    GST_PLUGIN_SYSTEM_PATH_1_0="$here/lib/none" GST_PLUGIN_PATH_1_0= GST_REGISTRY_1_0="$results/cache/gstreamer.bin" \
    "$here/bin/$program" "$@"
}

# cannot_start STATUS: explains why a program did not start, or found no GPU.
cannot_start() {
  log=$results/logs/device.log
  tail -n 5 "$log" >&2
  glibc="glibc $(cat "$here/lib/glibc-version") or later"
  if grep -q 'libEGL\.so[.0-9]*: cannot open' "$log"; then
    fail "EGL is not installed; install the driver of your GPU, or Mesa: libegl1 and libegl-mesa0 (Debian, Ubuntu),
  mesa-libEGL (Fedora), Mesa-libEGL1 (openSUSE), or mesa and libglvnd (Arch)"
  elif grep -q "version .GLIBC_.* not found" "$log"; then
    fail "the C library of this system is too old; the programs need $glibc"
  elif [ "$1" -ge 126 ]; then
    fail "the programs do not start on this system ($machine); they need the processor in the name of this bundle,
  and $glibc"
  fi
  fail "cannot create an OpenGL ES 3.1 context; install a GPU driver with EGL, and make sure that you can read
  /dev/dri/renderD* (group render or video). ./run --software uses the Mesa software renderer"
}

echo "== device"
status=0
ours sightglass bench --json >"$results/logs/device.json" 2>"$results/logs/device.log" || status=$?
[ $status = 0 ] || cannot_start $status
sed -n 's/.*"renderer": "\(.*\)",*/\1/p' "$results/logs/device.json"

failed=
tests=
# check PROGRAM [GTEST-OPTION…]
check() {
  name=$1
  echo "== $name"
  log=$results/logs/$name.log
  tests="$tests $name"
  # A failed test is a failure of the run, after the other parts.
  ours "$@" --gtest_output="json:$results/logs/$name.json" >"$log" 2>&1 || failed="$failed $name"
  grep -E '^\[=+\] .* ran|^\[  (PASSED|FAILED)' "$log" || tail -n 5 "$log"
}
filter=
if $quick; then filter='--gtest_filter=*/figure_device'; fi
# shellcheck disable=SC2086  # none or one word
if wants models; then check models_test $filter; fi
if wants engine; then
  for program in graph_test ref_test rewrites_test plan_test gl_test ops_test; do check $program; done
fi
if wants shaders; then
  export SIGHTGLASS_EVERY_VARIANT=1
  check shader_syntax_test
fi
if wants interop; then check interop_test; fi

# measure NAME COMMAND…: writes NAME.json, if the program prints it.
measure() {
  name=$1
  shift
  echo "== $name"
  ours "$@" >"$results/logs/new.json" 2>"$results/logs/$name.log" || {
    failed="$failed $name"
    tail -n 5 "$results/logs/$name.log"
  }
  if [ -s "$results/logs/new.json" ]; then mv "$results/logs/new.json" "$results/logs/$name.json"; fi
  rm -f "$results/logs/new.json"
}
IFS='
'
# shellcheck disable=SC2046  # a list of lines
[ $# -gt 0 ] || set -- $(models)
unset IFS
if wants speed; then
  measure speed sightglass bench --json --profile --tuning off --runs "$runs" "$@"
fi
if wants tuning; then
  measure tuning sightglass bench --json --no-starts --tuning on --runs "$runs" "$@"
fi
if wants operators; then measure operators operator_bench; fi
if wants doctor; then
  echo "== doctor"
  # It reports problems of the machine, which are not failures of the engine.
  ours sightglass doctor --json >"$results/logs/doctor.json" 2>"$results/logs/doctor.log" || true
fi

echo "== report"
set --
for name in $tests; do set -- "$@" --tests "$results/logs/$name.json"; done
measured=device
if [ -s "$results/logs/speed.json" ]; then measured=speed; fi
if [ -s "$results/logs/tuning.json" ]; then set -- "$@" --tuned "$results/logs/tuning.json"; fi
if [ -s "$results/logs/operators.json" ]; then set -- "$@" --operators "$results/logs/operators.json"; fi
ours bench_report --version-name "$(cat "$here/share/version")" --models "$results/logs/$measured.json" \
  --peers "$here/share/peers.json" --results "$results/report.json" --report "$results/report.md" \
  --chart "$results/report.svg" "$@" || fail "cannot write the report"
rm -rf "$results/cache"
echo "the results are in $results: report.md, report.json, report.svg, and logs"
if [ -n "$failed" ]; then
  echo "FAILED:$failed"
  exit 1
fi
echo "everything passed"
