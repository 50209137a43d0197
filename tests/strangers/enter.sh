#!/bin/sh
# Runs ./dev as one stranger, within a root directory, in namespaces that the caller made. Needs root.
#   enter.sh ROOT 'NAME=VALUE …' COMMAND [ARGUMENT…]
#
#   tree=DIRECTORY   the source tree; default: "my code/sight glass" in the home directory of the user
#   who=NAME         the user
#   home=DIRECTORY   the variable HOME; default: unset
#   umask=MASK       default: 022
#   locale=NAME      LC_ALL and LANG; default: unset
#   pts=no           without /dev/pts
#   sealed=yes       the home directory is read-only, except the source tree
set -eu
root=$1
tree='' who=root home='' umask=022 locale='' pts=yes sealed=no
# shellcheck disable=SC2086  # a list of words
for setting in $2; do
  case $setting in
    tree=*) tree=${setting#*=} ;;
    who=*) who=${setting#*=} ;;
    home=*) home=${setting#*=} ;;
    umask=*) umask=${setting#*=} ;;
    locale=*) locale=${setting#*=} ;;
    pts=*) pts=${setting#*=} ;;
    sealed=*) sealed=${setting#*=} ;;
    *) echo "enter.sh: unknown setting $setting" >&2 && exit 2 ;;
  esac
done
shift 2
[ -n "$tree" ] || tree="/home/$who/my code/sight glass"

# A network namespace of its own has only this interface, for servers and clients on the same machine.
ip link set lo up 2>/dev/null || true
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 devices "$root/dev"
for device in null:3 zero:5 full:7 random:8 urandom:9; do
  mknod -m 666 "$root/dev/${device%:*}" c 1 "${device#*:}"
done
mknod -m 666 "$root/dev/tty" c 5 0
ln -s /proc/self/fd "$root/dev/fd"
mkdir -m 1777 "$root/dev/shm"
if [ "$pts" = yes ]; then
  mkdir "$root/dev/pts"
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
fi
if [ "$sealed" = yes ]; then
  mount --bind "$root/home/$who" "$root/home/$who"
  mount -o remount,bind,ro "$root/home/$who"
  mount --bind "$root$tree" "$root$tree"
  mount -o remount,bind,rw "$root$tree"
fi
# shellcheck disable=SC2016  # for the inner shell
exec chroot --userspec "$who" "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin CI="${CI:-}" \
  ${home:+HOME="$home"} ${locale:+LC_ALL="$locale" LANG="$locale"} \
  ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
  sh -c 'umask "$1" && cd "$2" && shift 2 && exec ./dev "$@"' sh "$umask" "$tree" "$@"
