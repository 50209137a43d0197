#!/bin/sh
# Compares the files of the Debian packages with the facts of the tree that they repeat. `./dev package` builds and runs the
# packages.   packages.sh SOURCE_DIR
set -eu
cd "$1"
bad=0
complain() {
  echo "$*"
  bad=1
}

version=$(sed -nE 's/^project\(sightglass VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
packaged=$(sed -nE '1s/^sightglass \(([^)]+)\) .*/\1/p' debian/changelog)
echo "version: $version in CMakeLists.txt, $packaged in debian/changelog"
if [ -z "$version" ] || [ "$version" != "$packaged" ]; then complain "  ^ the versions differ"; fi

author=$(sed -nE 's/^#define SIGHTGLASS_AUTHOR "(.*)"$/\1/p' gst_plugin/gobject/guarded.h)
maintainer=$(sed -n 's/^Maintainer: //p' debian/control)
echo "maintainer: $maintainer"
[ "$author" = "$maintainer" ] || complain "  ^ the author of the elements is $author"

# Shared libraries: the package has the soname in its name, and one row per version of the list of symbols.
soname=${version%%.*}
for row in libsightglass=capi libsightglass-metadata=introspection; do
  package=${row%=*}$soname
  in_tree=$(grep -oE '^SIGHTGLASS[A-Z0-9_.]+' "${row#*=}/symbols.map")
  in_package=$(sed -nE 's/^ \(symver\)([^ ]+) .*/\1/p' "debian/$package.symbols")
  echo "$package: versions $in_tree"
  [ "$in_tree" = "$in_package" ] || complain "debian/$package.symbols has the versions $in_package"
done

# Every package has a list of files, and every list has a package.
packages=$(sed -n 's/^Package: //p' debian/control | sort)
lists=$(find debian -name '*.install' | sed 's,.*/,,; s/\.install$//' | sort)
echo "packages: $packages"
[ "$packages" = "$lists" ] || complain "  ^ not those of debian/*.install: $lists"

# Build dependencies are installed by ./dev as well, except those of packages in general.
count=0
build_depends=$(sed -n '/^Build-Depends:/,/^$/s/^ \([a-z0-9.+-]*\).*/\1/p' debian/control)
for package in $build_depends; do
  case $package in debhelper-compat | dh-sequence-gir) continue ;; esac
  count=$((count + 1))
  grep -qE "(^| )$package( |\$)" dev.d/packages.txt || complain "debian/control: ./dev does not install $package"
done
echo "$count build dependencies"
[ "$count" -ge 15 ] || complain "  ^ too few"

# The container installs every package that the command-line tool recommends.
recommends=$(sed -n '/^Package: sightglass$/,/^Description:/{/^Recommends:/,/^Description:/s/^ \([a-z0-9.+-]*\).*/\1/p}' \
  debian/control)
for package in $recommends; do
  grep -qE "[ /]${package}[_ ]" Containerfile || complain "Containerfile does not install $package"
done
[ "$bad" = 0 ] && echo "the packages agree with the tree"
exit "$bad"
