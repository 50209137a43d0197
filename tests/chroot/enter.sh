#!/bin/sh
# Runs a command in the tree within a root folder; as root, in mount and process namespaces of its own.
#   enter.sh ROOT SHARED COMMAND [ARGUMENT…]
# SHARED, a folder of models and media, is seen next to the tree, read-only, if it exists; empty: nothing is there.
set -eu
root=$1
shared=$2
shift 2
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
if [ -d "$shared" ]; then
  mkdir -p "$root/srv/shared"
  mount --bind "$shared" "$root/srv/shared"
  mount -o remount,bind,ro "$root/srv/shared"
else
  # The place to mount it at, from a run that had it.
  rmdir "$root/srv/shared" 2>/dev/null || true
fi
exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin CI="${CI:-}" \
  ${SIGHTGLASS_VM_SECONDS:+SIGHTGLASS_VM_SECONDS="$SIGHTGLASS_VM_SECONDS"} \
  TOOLS="${TOOLS:-}" LIBRARIES="${LIBRARIES:-}" \
  ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
  sh -c 'cd /srv/sightglass && exec "$@"' sh "$@"
