#!/bin/sh
# Runs a ./dev command in a separate Debian below build/chroot/, which is created once and kept. Needs root.
#   run.sh RELEASE ARCHITECTURE COMMAND [ARGUMENT…]
# RELEASE is bookworm, trixie, …. ARCHITECTURE is that of the machine, or arm64. With arm64, COMMAND must be test: everything
# is cross-compiled, and tests run under qemu-user. The exit status is that of COMMAND, or 69 if this machine cannot create
# or enter such a Debian. In that case, the last line states the reason.
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

# enter COMMAND [ARGUMENT…]: in separate namespaces, mounts disappear and processes end with the command.
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

# The tree as git sees it, including edits and new files; without git, everything except build outputs. Only files that
# differ are replaced, with the current time, so that outputs built from earlier versions are older.
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
