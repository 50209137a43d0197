#!/bin/sh
# Compares the functions of a header, the list of exported symbols, and the symbols that the library exports.
#   symbols.sh HEADER MACRO SYMBOLS_MAP LIBRARY SONAME   (MACRO begins each declaration in the header)
# A symbol that disappears breaks programs: the list changes only by additions until the soname changes.
set -eu
header=$1
macro=$2
map=$3
library=$4
soname=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The name is the last word before the parenthesis.
tr '\n' ' ' <"$header" | grep -oE "$macro [^;(]*\(" | grep -oE 'sightglass_[a-z_]+' | sort >"$work/declared"
grep -oE '^ +sightglass_[a-z_]+;' "$map" | tr -d ' ;' | sort >"$work/listed"
nm --dynamic --defined-only --format=posix "$library" | awk '$2 != "A" { sub(/@.*/, "", $1); print $1 }' | sort >"$work/exported"

bad=0
diff -u "$work/declared" "$work/listed" || { echo "^ $header and $map differ" && bad=1; }
diff -u "$work/listed" "$work/exported" || { echo "^ $map and the exported symbols differ" && bad=1; }
actual=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$actual" = "$soname" ] || { echo "the soname is '$actual' instead of $soname" && bad=1; }
[ "$bad" = 0 ] && echo "$(wc -l <"$work/exported") symbols"
exit "$bad"
