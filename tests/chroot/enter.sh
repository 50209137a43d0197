#!/bin/sh
# Runs a command in the tree, in the home directory of root within a root directory, in separate mount and process namespaces. Needs root.
#   enter.sh ROOT SHARED COMMAND [ARGUMENT…]
# SHARED, a directory of models and media, appears read-only next to the tree if it exists. Empty: no such directory.
set -eu
root=$1
shared=$2
shift 2
mkdir -p "$root/root/sightglass"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
if [ -d "$shared" ]; then
  mkdir -p "$root/root/shared"
  mount --bind "$shared" "$root/root/shared"
  mount -o remount,bind,ro "$root/root/shared"
else
  # The mount point, from an earlier run with SHARED.
  rmdir "$root/root/shared" 2>/dev/null || true
fi
exec chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin CI="${CI:-}" \
  ${SIGHTGLASS_VM_SECONDS:+SIGHTGLASS_VM_SECONDS="$SIGHTGLASS_VM_SECONDS"} \
  ${SIGHTGLASS_BUNDLE_VERSION:+SIGHTGLASS_BUNDLE_VERSION="$SIGHTGLASS_BUNDLE_VERSION"} \
  ${DEB_BUILD_OPTIONS:+DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS"} TOOLS="${TOOLS:-}" LIBRARIES="${LIBRARIES:-}" \
  ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
  sh -c 'cd ~/sightglass && exec "$@"' sh "$@"
