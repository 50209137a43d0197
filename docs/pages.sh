#!/bin/sh
# Lists the Markdown pages of the tree, as paths relative to its root.
set -eu
cd "$(dirname "$0")/.."
find . \( -path './build*' -o -path ./.git \) -prune -o -name '*.md' -print | sed 's|^\./||' | LC_ALL=C sort
