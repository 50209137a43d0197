#!/bin/sh
# Builds the Debian packages in one clean Debian, and installs and runs them in another, both below build/chroot/. Needs root.
#   run.sh RELEASE
# Writes the packages to build/packages/RELEASE/. The exit status is 69 if this machine cannot create or enter such a Debian.
set -eu
release=$1
source=$(cd "$(dirname "$0")/.." && pwd)
task='has no packages from here'
# shellcheck source-path=SCRIPTDIR source=../tests/chroot/roots.sh
. "$source/tests/chroot/roots.sh"
base=$source/build/chroot/$release-$(dpkg --print-architecture)-clean
builder=${base%clean}package
installed=${base%clean}installed
output=$source/build/packages/$release

make_root "$base" "$release"
enter "$base" '' true >"$base.log" 2>&1 || unavailable "$base.log" "$release" "enter it"

# The first chroot is kept while it has nothing but the packages that this tree asks for. The compiler cache is kept longer.
needed=$(sed '/^$/q' "$source/debian/control" | sha256sum)
if [ "$(cat "$builder.made" 2>/dev/null)" != "$needed" ]; then
  rm -f "$builder.made"
  [ ! -d "$builder/root/ccache" ] || mv "$builder/root/ccache" "$builder.ccache"
  rm -rf "$builder"
  cp -a --reflink=auto "$base" "$builder"
  [ ! -d "$builder.ccache" ] || mv "$builder.ccache" "$builder/root/ccache"
fi
copy_tree "$builder"
enter "$builder" '' packaging/build.sh /srv/packages
printf '%s\n' "$needed" >"$builder.made"
rm -rf "$output"
mkdir -p "$output"
cp "$builder/srv/packages/"* "$output"

# The second is new each time. Only the packages, and the checks with the tutorial, are copied to it.
rm -rf "$installed"
cp -a --reflink=auto "$base" "$installed"
mkdir -p "$installed/srv/packages"
cp "$output"/*.deb "$installed/srv/packages"
cp "$source/packaging/check.sh" "$source/packaging/sightglass-serve.service" "$installed/srv"
mkdir -p "$installed/srv/tutorial/docs" "$installed/srv/tutorial/tests"
cp "$source/docs/tutorial.md" "$installed/srv/tutorial/docs"
cp -r "$source/tests/docs" "$installed/srv/tutorial/tests"
enter "$installed" '' /srv/check.sh /srv/packages
status=0
"$source/packaging/service/boot.sh" "$installed" || status=$?
[ "$status" = 69 ] || [ "$status" = 0 ] || exit "$status"
rm -rf "$installed"
echo "== the packages are in build/packages/$release/"
