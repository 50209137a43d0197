#!/bin/sh
# Checks that the messages in the troubleshooting page are in the sources.   messages.sh SOURCE
# Each text block of the page is a message. … stands for names and values. The pieces between must be literals in the sources.
set -eu
cd "$1"
. dev.d/lib/sources.sh
page=docs/troubleshooting.md
literals=$(mktemp)
trap 'rm -f "$literals"' EXIT
# Adjacent literals are one literal.
# shellcheck disable=SC2046  # a list of directories
find $(folders_of product) \( -name '*.cpp' -o -name '*.h' \) -exec cat {} + |
  tr '\n' ' ' | sed -E 's/" +(\+ +)?"//g; s/\\"/"/g' >"$literals"
missing=$(awk '/^```/ { inside = !inside && $0 == "```text"; next } inside' "$page" | sed 's/…/\n/g' |
  sed -E 's/^[ :;.,]+//; s/[ :;.,]+$//' | grep -E '...' | while read -r piece; do
  grep -qF -- "$piece" "$literals" || printf '  %s\n' "$piece"
done)
[ -z "$missing" ] || { echo "$page quotes messages that no source file contains:" && echo "$missing" && exit 1; }
echo "every message of $page is in the sources"
