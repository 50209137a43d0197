#!/bin/sh
# The walks of docs/architecture.md pass through files and functions that exist.   architecture.sh SOURCE_DIR
set -eu
cd "$1"
page=docs/architecture.md
bad=0
# shellcheck disable=SC2016
quoted() { grep -oE '`[^`]+`' "$page" | tr -d '`' | sort -u; }
for path in $(quoted | grep -E '^[A-Za-z_]+/[A-Za-z0-9_./]+$'); do
  [ -e "$path" ] || { echo "$page: there is no $path" && bad=1; }
done
for function in $(quoted | grep -E '^[A-Za-z_:]+\(\)$' | sed 's/()$//'); do
  grep -rqE "(^|[^A-Za-z_])$function\(" --include='*.cpp' gpu_engine gst_plugin interop models ||
    { echo "$page: no file has $function()" && bad=1; }
done
[ "$bad" = 0 ] && echo "the walks pass through what there is"
exit "$bad"
