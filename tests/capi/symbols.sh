#!/bin/sh
# Compares the functions of sightglass.h, the list of exported symbols, and the symbols that the library exports.
#   symbols.sh SOURCE_DIR LIBRARY
# A symbol that disappears breaks programs: capi/symbols.map changes only by additions until the soname changes.
set -eu
source=$1
library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Declarations begin with SIGHTGLASS_API; the name is the last word before the parenthesis.
tr '\n' ' ' <"$source/capi/include/sightglass/sightglass.h" | grep -oE 'SIGHTGLASS_API [^;(]*\(' |
  grep -oE 'sightglass_[a-z_]+' | sort >"$work/declared"
grep -oE '^ +sightglass_[a-z_]+;' "$source/capi/symbols.map" | tr -d ' ;' | sort >"$work/listed"
nm --dynamic --defined-only --format=posix "$library" | awk '$2 != "A" { sub(/@.*/, "", $1); print $1 }' | sort >"$work/exported"

bad=0
diff -u "$work/declared" "$work/listed" || { echo "^ sightglass.h and capi/symbols.map differ" && bad=1; }
diff -u "$work/listed" "$work/exported" || { echo "^ capi/symbols.map and the exported symbols differ" && bad=1; }
soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = libsightglass.so.0 ] || { echo "the soname is '$soname' instead of libsightglass.so.0" && bad=1; }
[ "$bad" = 0 ] && echo "$(wc -l <"$work/exported") symbols"
exit "$bad"
