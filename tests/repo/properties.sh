#!/bin/sh
# Checks that the property tables in docs/elements match the elements.   properties.sh PROGRAM SOURCE_DIR
# Set GST_PLUGIN_PATH to the directory of the plugin.
set -eu
made=$(mktemp)
trap 'rm -f "$made"' EXIT
bad=0
for page in "$2"/docs/elements/*.md; do
  "$1" "$page" >"$made"
  diff -u "$page" "$made" || bad=1
done
if [ "$bad" = 1 ]; then
  echo "docs/elements is stale. Refresh it with: ./dev properties"
  exit 1
fi
echo "docs/elements is up to date: $(cat "$2"/docs/elements/*.md | grep -cE '\| (yes|no|–) \|') properties"
