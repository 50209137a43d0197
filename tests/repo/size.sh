#!/bin/sh
# Measures a program without symbols.   size.sh PROGRAM MOST_BYTES
set -eu
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$1"
bytes=$(stat -c %s "$stripped")
echo "$(basename "$1"): $bytes bytes of at most $2, by section:"
size -A "$stripped" | awk '$1 ~ /^\./ { print $2, $1 }' | sort -rn | head -n 8
[ "$bytes" -le "$2" ] || { echo "it is too large" && exit 1; }
