#!/bin/sh
# Runs the tests in a Debian of its own below build/chroot/, which is made once and kept; as root.
#   run.sh RELEASE ARCHITECTURE [CTEST-OPTION…]
# RELEASE is bookworm, trixie …; ARCHITECTURE the machine's own, or arm64: then all is cross-compiled, and what needs no
# GL runs under qemu-user.
set -eu
release=$1
arch=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
own=$(dpkg --print-architecture)
root=$source/build/chroot/$release-$arch

if [ ! -e "$root.made" ]; then
  echo "== making $root"
  rm -rf "$root"
  mkdir -p "$(dirname "$root")"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates "$release" "$root" ${SIGHTGLASS_MIRROR:+"$SIGHTGLASS_MIRROR"}
  touch "$root.made"
fi

# The tree as git sees it, edits and new files with it. Only what differs is replaced, with the time of now: what was built
# there before from other versions of a file is older then.
tree=$root/srv/sightglass
next=$root/srv/next
rm -rf "$next"
mkdir -p "$tree" "$next"
(cd "$source" && git -c safe.directory='*' ls-files -z -co --exclude-standard | tar -c --null --ignore-failed-read -T - 2>/dev/null) |
  tar -x -C "$next"
rsync --recursive --links --perms --checksum --delete --exclude '/build' --exclude '/build-*' "$next/" "$tree/"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

if [ "$arch" = "$own" ]; then
  set -- ./dev test "$@"
else
  set -- tests/chroot/cross.sh "$arch" "$@"
fi
# In namespaces of their own: mounts go, and processes end, with the command.
exec unshare --mount --pid --fork --propagation private "$source/tests/chroot/enter.sh" "$root" "$source/../shared" "$@" </dev/null
