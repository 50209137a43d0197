#!/bin/sh
# Checks that docs/architecture.md names only files and functions that exist.   architecture.sh SOURCE_DIR
set -eu
cd "$1"
. dev.d/lib/sources.sh
page=docs/architecture.md
bad=0
# shellcheck disable=SC2016
quoted() { grep -oE '`[^`]+`' "$page" | tr -d '`' | sort -u; }
for path in $(quoted | grep -E '^[A-Za-z_]+/[A-Za-z0-9_./]+$'); do
  [ -e "$path" ] || { echo "$page: $path does not exist" && bad=1; }
done
for function in $(quoted | grep -E '^[A-Za-z_:]+\(\)$' | sed 's/()$//'); do
  # shellcheck disable=SC2046  # a list of directories
  grep -rqE "(^|[^A-Za-z_])$function\(" --include='*.cpp' $(folders_of product) ||
    { echo "$page: $function() is in no source file" && bad=1; }
done
[ "$bad" = 0 ] && echo "every file and function in $page exists"
exit "$bad"
