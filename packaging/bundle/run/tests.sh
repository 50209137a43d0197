#!/bin/sh
# The parts that test. Sourced by ./run.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031  # variables of ./run and of the files beside this one

# check PROGRAM SHARDS [GTEST-OPTION…]: runs a test program, in several processes at once if SHARDS exceeds 1, for at most
# $percent of the time of its part. Its results are named $label, or as the program. A failed test is a failure of the run,
# after the other parts. Processes divide the tests, or the variants of shaders in each, as $divides says.
percent=100
label=
divides=tests
check() {
  program=$1 name=${label:-$1} shards=$2
  shift 2
  if is_over; then
    record test "$name" 124 0
    say "no time left for $name"
    return
  fi
  say "== $name"
  begun=$(now)
  within=$(seconds_left)
  if [ "$within" -gt 1 ]; then within=$((within * percent / 100 + 1)); fi
  children=
  shard=0
  while [ $shard -lt "$shards" ]; do
    step=$name
    if [ "$shards" -gt 1 ]; then step=$name.$shard; fi
    # Each has a cache of its own: they would write the same files.
    (
      work=$work/shard$shard
      mkdir -p "$work/cache" "$work/tmp"
      case $divides in
        tests) export GTEST_TOTAL_SHARDS="$shards" GTEST_SHARD_INDEX=$shard ;;
        variants) export SIGHTGLASS_VARIANT_SHARD="$shard/$shards" ;;
      esac
      launch "$program" "$@" --gtest_output="json:$logs/tests/$step.json" >"$logs/tests/$step.log" 2>&1
    ) &
    children="$children $!"
    shard=$((shard + 1))
  done
  within=0
  shard=0
  for child in $children; do
    step=$name
    if [ "$shards" -gt 1 ]; then step=$name.$shard; fi
    test_status=0
    wait "$child" || test_status=$?
    record test "$step" $test_status $(($(now) - begun))
    case $test_status in
      0) grep -E '^\[=+\] .* ran|^\[  PASSED' "$logs/tests/$step.log" ;;
      124 | 137) say "stopped: $step, at the end of the time of $part" ;;
      *)
        failed="$failed $step"
        grep -E '^\[=+\] .* ran|^\[  (PASSED|FAILED)' "$logs/tests/$step.log" || tail -n 5 "$logs/tests/$step.log"
        ;;
    esac
    shard=$((shard + 1))
  done
  children=
}

# Processes that compile programs at the same time: drivers compile on the CPU. A software renderer uses all cores by itself.
compilers() {
  if $software; then
    echo 1
    return
  fi
  cores=$(nproc 2>/dev/null || echo 1)
  if [ "$cores" -ge 16 ]; then echo 8; elif [ "$cores" -ge 4 ]; then echo $((cores / 2)); else echo 1; fi
}

part_shaders() {
  driver_test=ShaderDriverTest.TheDriverBuildsEveryPairOfDefines
  check shader_syntax_test 1 "--gtest_filter=-$driver_test"
  export SIGHTGLASS_EVERY_VARIANT=1
  divides=variants label=shader_variants
  check shader_syntax_test "$(compilers)" "--gtest_filter=$driver_test"
  divides=tests label=
  unset SIGHTGLASS_EVERY_VARIANT
}
# Operators first; the others need no GPU, or little of it.
part_engine() {
  percent=60
  check ops_test "$(compilers)"
  for engine_test in plan_test gl_test graph_test ref_test rewrites_test; do check $engine_test 1; done
  percent=100
}
# Outputs of TensorFlow Lite first.
part_models() {
  if $quick; then
    check models_test 1 '--gtest_filter=*/figure_device'
    return
  fi
  percent=80
  check models_test "$(compilers)" '--gtest_filter=*ModelsTest*'
  percent=100 label=models_test_others
  check models_test "$(compilers)" '--gtest_filter=-*ModelsTest*'
  label=
}
part_interop() { check interop_test 1; }
