#!/bin/sh
# Builds the Debian packages of this tree, and checks them with lintian. Installs what this takes, so it runs as root in a
# chroot or a container.   build.sh OUTPUT_DIR
set -eu
mkdir -p "$1"
output=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

if ! { command -v ccache && command -v lintian && dpkg-checkbuilddeps; } >/dev/null 2>&1; then
  echo "== installing build dependencies"
  apt-get -qq update
  apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends build-essential ccache lintian >/dev/null
  apt-get -qq -o Dpkg::Use-Pty=0 build-dep -y --no-install-recommends ./ >/dev/null
fi

echo "== building the packages"
# dpkg-buildpackage writes them next to the tree.
built() { find .. -maxdepth 1 -type f \( -name '*.deb' -o -name 'sightglass_*' \) "$@"; }
built -delete
# CMake reads the first two variables. ccache requires the settings for precompiled headers.
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
export CCACHE_DIR="${CCACHE_DIR:-$(dirname "$PWD")/ccache}" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
dpkg-buildpackage --unsigned-source --unsigned-changes

echo "== lintian"
lintian --allow-root --fail-on error --tag-display-limit 0 ../sightglass_*.changes
rm -f "$output"/*.deb "$output"/sightglass_*
built -exec mv {} "$output" \;
