#!/bin/sh
# Runs a ./dev command in a separate Debian below build/chroot/, which is created once and kept. Needs root.
#   run.sh RELEASE ARCHITECTURE COMMAND [ARGUMENT…]
# RELEASE is bookworm, trixie, …. ARCHITECTURE is that of the machine, or arm64. With arm64, COMMAND must be test or bundle:
# everything is cross-compiled, and programs run under qemu-user. The exit status is that of COMMAND, or 69 if this machine
# cannot create or enter such a Debian. In that case, the last line states the reason.
set -eu
release=$1
arch=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
task='was not tested here'
# shellcheck source-path=SCRIPTDIR source=roots.sh
. "$source/tests/chroot/roots.sh"
own=$(dpkg --print-architecture)
root=$source/build/chroot/$release-$arch
shared=$source/../shared
[ "${SIGHTGLASS_NO_SHARED:-}" = 1 ] && shared=

make_root "$root" "$release"
copy_tree "$root"
enter "$root" "$shared" true >"$root.log" 2>&1 || unavailable "$root.log" "$release" "enter it"

if [ "$arch" = "$own" ]; then
  set -- ./dev "$@"
else
  set -- tests/chroot/cross.sh "$arch" "$@"
fi
enter "$root" "$shared" "$@"
