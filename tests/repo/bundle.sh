#!/bin/sh
# Makes a bundle of the bundled model and runs it. `./dev bundle --check` also measures.   bundle.sh BUILD_DIR SOURCE_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2/packaging/bundle/make.sh" "$1" "$work" --figure --folder
"$2/packaging/bundle/check.sh" --fast "$work"/sightglass-bundle-*
