#!/bin/sh
# install.sh FOLDER: installs LiteRT there by npm, from whatever registry it is set to. package-lock.json has the versions
# and checksums. Installs nothing if it is there already. Exit status 77 if it cannot.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
if cmp -s "$here/package-lock.json" "$1/node_modules/installed.json"; then exit 0; fi
for tool in node npm; do
  command -v "$tool" >/dev/null && continue
  echo "$tool is not installed (Debian: nodejs npm)"
  exit 77
done
cp "$here/package.json" "$here/package-lock.json" "$1"
if ! npm ci --prefix "$1" --ignore-scripts --no-audit --no-fund --fetch-retries 1 --fetch-retry-mintimeout 2000 \
  >"$1/npm.log" 2>&1; then
  echo "npm cannot install the package @litertjs/core:"
  tail -n 5 "$1/npm.log"
  exit 77
fi
cp "$here/package-lock.json" "$1/node_modules/installed.json"
