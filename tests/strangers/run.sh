#!/bin/sh
# Runs ./dev as strangers do: on a fresh Debian below build/strangers/, in their folders, with their settings. Needs root.
#   run.sh RELEASE [CTEST-OPTION…]
# RELEASE is bookworm, trixie, …. The exit status is 0 if every stranger succeeds, or 69 if this machine cannot create such
# a Debian. CTEST-OPTIONs, such as -R command, select the tests.
#
#   stranger   tree                                  who and what is special
#   user       my code/sight glass, in a home        a user with sudo, umask 077, German, without /dev/pts: the demo
#   root       p, in the home directory of root      root, as in a container: the demo and the tests
#   offline    as the user                           the user without a network, now that the packages are there: the tests
#   homeless   as the user                           offline without HOME: the demo and the tests of the command
#   sealed     as the user                           offline with a read-only home directory: the same
set -eu
release=$1
shift
source=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck disable=SC2034  # for roots.sh
task='had no strangers'
# shellcheck source-path=SCRIPTDIR source=../chroot/roots.sh
. "$source/tests/chroot/roots.sh"
root=$source/build/strangers/$release
name=alice
home="/home/$name"

make_root "$root" "$release"
copy_tree "$root"
cp -L /etc/resolv.conf "$root/etc/resolv.conf"

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
if [ ! -e "$root.user" ]; then
  inside sh -c 'apt-get -qq update && apt-get -qq install -y --no-install-recommends sudo locales' >"$root.log" 2>&1 ||
    unavailable "$root.log" "$release" "install sudo and locales in it"
  inside sh -c 'echo "de_DE.UTF-8 UTF-8" >/etc/locale.gen && locale-gen' >"$root.log"
  inside useradd --create-home --shell /bin/sh "$name"
  echo "$name ALL=(ALL) NOPASSWD:ALL" >"$root/etc/sudoers.d/$name"
  touch "$root.user"
fi

# settle TREE OWNER: a copy of the tree. Files that did not change keep their times, so outputs stay.
settle() {
  mkdir -p "$root$1"
  rsync --recursive --links --perms --times --delete --exclude '/build*' "$root/root/sightglass/" "$root$1/"
  inside chown -R "$2:$2" "$(dirname "$1")"
}

failed=
# meet NAME NETWORK PLACE COMMAND…: runs ./dev as a stranger. NETWORK is yes or no, and PLACE are settings of enter.sh.
meet() {
  stranger=$1 net=--net place=$3
  [ "$2" = no ] || net=
  shift 3
  echo "== $stranger: ./dev $*"
  # shellcheck disable=SC2086  # no word, or one
  if unshare --mount --pid $net --fork --kill-child --propagation private \
    "$source/tests/strangers/enter.sh" "$root" "$place" "$@" </dev/null; then
    echo "== $stranger: ./dev $1 succeeded"
  else
    echo "== $stranger: ./dev $1 failed"
    failed="$failed $stranger:$1"
  fi
}

settle "$home/my code/sight glass" "$name"
root_tree="/root/p"
settle "$root_tree" root
user="who=$name umask=077 pts=no"
german="home=$home locale=de_DE.UTF-8"
as_root="tree=$root_tree who=root home=${root_tree%/p}"
meet user yes "$user $german" demo --seconds 2
meet root yes "$as_root" demo --seconds 2
meet root yes "$as_root" test "$@"
meet offline no "$user $german" test "$@"
for settings in "homeless:$user" "sealed:$user home=$home sealed=yes"; do
  meet "${settings%%:*}" no "${settings#*:}" demo --seconds 2 --output "/tmp/${settings%%:*}.mp4"
  meet "${settings%%:*}" no "${settings#*:}" test -R '^(Doctor|Command|VideoCommand|Batch|Models)' "$@"
done
[ -z "$failed" ] || {
  echo "== failed:$failed"
  exit 1
}
echo "== every stranger succeeded on $release"
