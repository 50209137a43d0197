#!/bin/sh
# Tests that skip themselves must say why.   skips.sh SOURCE
set -eu
cd "$1"
status=0
fail() {
  echo "skips.sh: $1"
  status=1
}
silent=$(grep -rnE 'GTEST_SKIP\(\)($|[^ ]| [^<])' tests --include='*.cpp' --include='*.h' || true)
[ -z "$silent" ] || fail "without a reason:
$silent"
# Scripts print the three lines of GoogleTest, from which `./dev test` makes its list.
# shellcheck disable=SC2013  # names without spaces
for script in $(grep -rl 'SKIPPED \]' tests --include='*.py' --include='*.sh'); do
  [ "$script" = tests/repo/skips.sh ] && continue
  grep -qE ': Skipped\\n.*\\n\[  SKIPPED \] .* \(0 ms\)' "$script" || fail "$script skips in a format that is not listed"
done

listed=$(
  awk -f tests/harness/list_skipped.awk <<'LOG'
[ RUN      ] Suite.HasAReason
../tests/a_test.cpp:3: Skipped
no folder ../shared
[  SKIPPED ] Suite.HasAReason (0 ms)
[ RUN      ] Broken.SuiteWithAnEmptyLine
../tests/a_test.cpp:4: Skipped

[  SKIPPED ] Broken.SuiteWithAnEmptyLine (0 ms)
[ RUN      ] Broken.SuiteWithoutALine
../tests/a_test.cpp:5: Skipped
[  SKIPPED ] Broken.SuiteWithoutALine (0 ms)
[  SKIPPED ] 3 tests, listed below:
LOG
)
expected='3 tests skipped themselves:
  Suite.HasAReason                                             no folder ../shared
  Broken.SuiteWithAnEmptyLine                                  did not run: no reason was given, so its suite failed
  Broken.SuiteWithoutALine                                     did not run: no reason was given, so its suite failed'
[ "$listed" = "$expected" ] || fail "listed:
$listed"
exit "$status"
