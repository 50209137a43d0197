#!/bin/sh
# Fuzzes the code that reads files, then compares random graphs on the GPU with the reference: run.sh BUILD-FOLDER
# [SECONDS|--short]. Each target runs for that many seconds. --short: for 5 seconds, without random graphs, which the
# ordinary tests compare as well. Exits non-zero on a finding: a file in BUILD-FOLDER/findings, or a seed and its
# graph in BUILD-FOLDER/graphs.log.
set -eu
[ $# -ge 1 ] || {
  echo "usage: $0 BUILD-FOLDER [SECONDS|--short]" >&2
  exit 2
}
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
build=$(cd "$1" && pwd)
seconds=${2:-60} graphs=fuzz_graphs
[ "$seconds" = --short ] && seconds=5 graphs=

launcher=
command -v ccache >/dev/null && launcher=ccache
# Assertions are on, including those of the standard library: an index out of range is a finding where it occurs.
echo "== building $build with clang, AddressSanitizer, and UndefinedBehaviorSanitizer"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_UNITY_BUILD=ON -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_CXX_COMPILER_LAUNCHER=$launcher -DCMAKE_C_COMPILER_LAUNCHER=$launcher \
  -DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS -DCMAKE_CXX_FLAGS_RELWITHDEBINFO='-O1 -g' \
  -DSIGHTGLASS_FUZZ=ON -DSIGHTGLASS_SANITIZE=address,undefined >"$build/configure.log"
targets='importer weights metadata tuning_file program_cache archive bundle changing labels package picture report http offer address'
# shellcheck disable=SC2046,SC2086  # lists of words
cmake --build "$build" --target fuzz_seeds $graphs $(printf 'fuzz_%s ' $targets)

"$build/tests/fuzz/fuzz_seeds" "$build/corpus" "$root/../shared/models/ops"
mkdir -p "$build/findings"
for target in $targets; do
  corpus=$build/corpus/$target log=$build/fuzz_$target.log known=$root/tests/fuzz/corpus/$target
  mkdir -p "$corpus"
  set -- "$corpus"
  [ -d "$known" ] && set -- "$corpus" "$known"
  echo "== fuzzing $target for $seconds seconds; findings go to $build/findings"
  # One input may take 1 GB with what sanitizers add, 256 MB at once, and 5 s.
  "$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=16384 -rss_limit_mb=1024 -malloc_limit_mb=256 \
    -timeout=5 -print_final_stats=1 -verbosity=1 -artifact_prefix="$build/findings/$target-" "$@" >"$log" 2>&1 || {
    tail -n 40 "$log" >&2
    echo "== finding; the full log is $log" >&2
    exit 1
  }
  grep '^stat::' "$log"
  echo "== no finding; the log is $log, the corpus is $corpus"
done

[ -n "$graphs" ] || exit 0
# New seeds every second; the log names them.
echo "== comparing random graphs for $seconds seconds"
export EGL_PLATFORM=surfaceless MESA_SHADER_CACHE_DIR="${MESA_SHADER_CACHE_DIR:-$build/shader-cache}"
export LSAN_OPTIONS="suppressions='$root/tests/lsan.supp':print_suppressions=0"
"$build/tests/fuzz/fuzz_graphs" --seconds "$seconds" --first "$(date +%s)000" >"$build/graphs.log" 2>&1 || {
  tail -n 100 "$build/graphs.log" >&2
  echo "== finding; the full log is $build/graphs.log" >&2
  exit 1
}
tail -n 1 "$build/graphs.log"
