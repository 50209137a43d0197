#!/bin/sh
# Checks that docs/operators.md matches the tables of the engine.   operators.sh COMMAND SOURCE_DIR
set -eu
page=$2/docs/operators.md
made=$(mktemp)
trap 'rm -f "$made"' EXIT
"$1" operators --markdown >"$made"
if ! diff -u "$page" "$made"; then
  echo "docs/operators.md is stale. Refresh it with: ./dev operators"
  exit 1
fi
echo "docs/operators.md is up to date: $(grep -c '^| ' "$page") rows"
