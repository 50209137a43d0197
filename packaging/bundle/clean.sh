#!/bin/sh
# Checks a bundle in a Debian that has nothing but EGL and the Mesa software renderer. Needs root.
#   clean.sh RELEASE BUNDLE_DIR
# The exit status is 69 if this machine cannot create or enter such a Debian.
set -eu
release=$1
bundle=$(cd "$2" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
task='did not run the bundle'
# shellcheck source-path=SCRIPTDIR source=../../tests/chroot/roots.sh
. "$source/tests/chroot/roots.sh"
root=$source/build/chroot/$release-$(dpkg --print-architecture)-egl

make_root "$root" "$release"
mkdir -p "$root/root/sightglass"
enter "$root" '' true >"$root.log" 2>&1 || unavailable "$root.log" "$release" "enter it"
enter "$root" '' sh -c 'apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y \
  --no-install-recommends libegl1 libegl-mesa0 libgl1-mesa-dri' >"$root.log" 2>&1 ||
  unavailable "$root.log" "$release" "install Mesa"
rm -rf "$root/root/sightglass/bundle"
cp -r "$bundle" "$root/root/sightglass/bundle"
cp "$source/packaging/bundle/check.sh" "$root/root/sightglass"
enter "$root" '' ./check.sh bundle
