# Lists the tests that skipped themselves, with their reasons, from a ctest log. GoogleTest also calls tests skipped whose
# suite could not be set up: they have no reason, and their program fails.
/: Skipped$/ {
  reason = ""
  while ((getline line) > 0 && line !~ /^\[  SKIPPED \]/) if (reason == "") reason = line
  $0 = line
}
/^\[  SKIPPED \] .*\([0-9]+ ms\)$/ {
  lines[count++] = sprintf("  %-60s %s", $4, reason == "" ? "did not run: no reason was given, so its suite failed" : reason)
  reason = ""
}
END {
  print count ? count " tests skipped themselves:" : "No test skipped itself."
  for (i = 0; i < count; i++) print lines[i]
}
