#!/bin/sh
# Functions for scripts that make a separate Debian below build/chroot/ and enter it. Needs root. Source it with `source`
# set to the source tree, and `task` to the end of the line "== Debian RELEASE …" that unavailable prints.
: "${source:?}" "${task:?}"
# Other users read the files of a Debian, whatever the caller keeps private.
umask 022

# unavailable LOG RELEASE REASON: exits with 69, the status of a machine that cannot make or enter a chroot.
unavailable() {
  cat "$1" >&2
  echo "== Debian $2 $task: this machine cannot $3: $(grep -m 1 -E '^(E|[a-z]+): ' "$1")" >&2
  exit 69
}

# make_root ROOT RELEASE: a minimal Debian, unless ROOT.made exists.
make_root() {
  [ -e "$1.made" ] && return
  echo "== making $1"
  mkdir -p "$(dirname "$1")"
  rm -rf "$1"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates --dpkgopt=force-unsafe-io "$2" "$1" \
    ${SIGHTGLASS_MIRROR:+"$SIGHTGLASS_MIRROR"} >"$1.log" 2>&1 || unavailable "$1.log" "$2" "make it"
  touch "$1.made"
}

# copy_tree ROOT: copies the tree to the home directory of its root user, as git sees it, including edits and new files; without git, everything except build
# outputs. Only files that differ are replaced, with the current time, so that outputs built from earlier versions are older.
copy_tree() {
  tree=$1/root/sightglass
  next=$1/root/next
  rm -rf "$next"
  mkdir -p "$tree" "$next"
  (cd "$source" && files | tar -c --null --ignore-failed-read -T - 2>/dev/null) | tar -x -C "$next"
  rsync --recursive --links --perms --checksum --delete --exclude '/build' --exclude '/build-*' "$next/" "$tree/"
}
files() {
  git -c safe.directory='*' ls-files -z -co --exclude-standard 2>/dev/null ||
    find . \( -path './build*' -o -path ./.git \) -prune -o ! -type d -print0
}

# enter ROOT SHARED COMMAND [ARGUMENT…]: in separate namespaces, mounts disappear and processes end with the command.
enter() {
  cp -L /etc/resolv.conf "$1/etc/resolv.conf"
  unshare --mount --pid --fork --kill-child --propagation private "$source/tests/chroot/enter.sh" "$@" </dev/null
}
