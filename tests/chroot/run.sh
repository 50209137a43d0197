#!/bin/sh
# Runs a command of ./dev in a Debian of its own below build/chroot/, which is made once and kept; as root.
#   run.sh RELEASE ARCHITECTURE COMMAND [ARGUMENT…]
# RELEASE is bookworm, trixie …; ARCHITECTURE the machine's own, or arm64: then COMMAND is test, all is cross-compiled, and
# what needs no GL runs under qemu-user. The exit status is that of COMMAND, or 69 if this machine cannot make or enter such
# a Debian: then the last line says why.
set -eu
release=$1
arch=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
own=$(dpkg --print-architecture)
root=$source/build/chroot/$release-$arch
log=$root.log
shared=$source/../shared
[ "${SIGHTGLASS_NO_SHARED:-}" = 1 ] && shared=

# enter COMMAND [ARGUMENT…]: in namespaces of their own, mounts go, and processes end, with the command.
enter() {
  unshare --mount --pid --fork --kill-child --propagation private \
    "$source/tests/chroot/enter.sh" "$root" "$shared" "$@" </dev/null
}
unavailable() {
  cat "$log" >&2
  echo "== Debian $release was not tested here: this machine cannot $1: $(grep -m 1 -E '^(E|[a-z]+): ' "$log")" >&2
  exit 69
}

mkdir -p "$(dirname "$root")"
if [ ! -e "$root.made" ]; then
  echo "== making $root"
  rm -rf "$root"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates "$release" "$root" ${SIGHTGLASS_MIRROR:+"$SIGHTGLASS_MIRROR"} \
    >"$log" 2>&1 || unavailable "make it"
  touch "$root.made"
fi

# The tree as git sees it, edits and new files with it; without git, all but what was built. Only what differs is replaced,
# with the time of now: what was built there before from other versions of a file is older then.
tree=$root/srv/sightglass
next=$root/srv/next
rm -rf "$next"
mkdir -p "$tree" "$next"
files() {
  git -c safe.directory='*' ls-files -z -co --exclude-standard 2>/dev/null ||
    find . \( -path './build*' -o -path ./.git \) -prune -o ! -type d -print0
}
(cd "$source" && files | tar -c --null --ignore-failed-read -T - 2>/dev/null) | tar -x -C "$next"
rsync --recursive --links --perms --checksum --delete --exclude '/build' --exclude '/build-*' "$next/" "$tree/"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

enter true >"$log" 2>&1 || unavailable "enter it"

if [ "$arch" = "$own" ]; then
  set -- ./dev "$@"
else
  shift
  set -- tests/chroot/cross.sh "$arch" "$@"
fi
enter "$@"
