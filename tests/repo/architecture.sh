#!/bin/sh
# Checks that docs/architecture.md names only files and functions that exist.   architecture.sh SOURCE_DIR
set -eu
cd "$1"
page=docs/architecture.md
bad=0
# shellcheck disable=SC2016
quoted() { grep -oE '`[^`]+`' "$page" | tr -d '`' | sort -u; }
for path in $(quoted | grep -E '^[A-Za-z_]+/[A-Za-z0-9_./]+$'); do
  [ -e "$path" ] || { echo "$page: $path does not exist" && bad=1; }
done
for function in $(quoted | grep -E '^[A-Za-z_:]+\(\)$' | sed 's/()$//'); do
  grep -rqE "(^|[^A-Za-z_])$function\(" --include='*.cpp' gpu_engine gst_plugin interop models ||
    { echo "$page: $function() is in no source file" && bad=1; }
done
[ "$bad" = 0 ] && echo "every file and function in $page exists"
exit "$bad"
