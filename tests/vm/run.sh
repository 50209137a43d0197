#!/bin/sh
# Makes the virtual machine, unless the last run has left it, and runs the tests in it.   run.sh BUILD_DIR [FILTER]
# FILTER is a GoogleTest filter: 'Formats/*'. The machine is switched off after SIGHTGLASS_VM_SECONDS (default: two hours).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
filter=${2:-*}
folder=$build/vm
kernel=$folder/kernel
shared=$folder/shared

# The kernel stays valid until the scripts that build it change.
recipe=$(cat "$here/kernel.sh" "$here/vkms_additions.h" "$here/initramfs_init.sh" | sha256sum | cut -d' ' -f1)
if [ "$(cat "$kernel/recipe" 2>/dev/null)" != "$recipe" ]; then
  mkdir -p "$folder"
  release=$("$here/kernel.sh" release)
  echo "== building the kernel of the virtual machine, $release (once)"
  "$here/kernel.sh" make "$release" "$kernel" >"$folder/kernel.log" 2>&1 || {
    tail -n 30 "$folder/kernel.log" >&2
    exit 1
  }
  echo "$recipe" >"$kernel/recipe"
fi

mkdir -p "$shared"
rm -rf "$shared/pictures" "$shared/log.txt"
cat >"$shared/settings" <<SETTINGS
build='$build'
kernel='$kernel'
programs='vm_interop_test vm_pipeline_test vm_export_test vm_command_test'
filter='$filter'
SETTINGS
echo "== booting; the full output is in $shared/log.txt, images of the display are in $shared/pictures/"
start=$(date +%s)
result=0
nice -n 10 "$here/boot.sh" "$kernel" "$shared" "${SIGHTGLASS_VM_SECONDS:-7200}" "$here/guest.sh" || result=$?
echo "== the virtual machine ran for $(($(date +%s) - start)) s"
exit "$result"
