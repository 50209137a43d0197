#!/bin/sh
# Boots the virtual machine, runs a script in it, and exits with the status of the script.
#   boot.sh KERNEL_DIR SHARED_DIR SECONDS SCRIPT
# SCRIPT is a path on the host: the guest has the host files, and SHARED_DIR as /mnt, where SCRIPT writes its exit status
# to the file `status`. After SECONDS the machine is switched off.
set -eu
kernel=$1
shared=$2
limit=$3
script=$4

rm -f "$shared/status"
# no_timer_check: on a busy machine, the kernel finds that its timer does not tick, and panics.
# Without AVX: QEMU emulates the AVX code of llvmpipe incorrectly. One processor: two emulated ones are not faster.
timeout --foreground "$limit" qemu-system-x86_64 -nodefaults -no-user-config -machine q35 -accel tcg,tb-size=512 \
  -cpu Nehalem -smp 1 -m 3072 -kernel "$kernel/vmlinuz" -initrd "$kernel/initramfs.gz" \
  -append "console=ttyS0 quiet panic=-1 mitigations=off tsc=unstable no_timer_check script=$script" \
  -display none -serial stdio -no-reboot -device virtio-rng-pci \
  -fsdev "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap" \
  -device virtio-9p-pci,fsdev=host,mount_tag=host \
  -fsdev "local,id=shared,path=$shared,security_model=none,multidevs=remap" \
  -device virtio-9p-pci,fsdev=shared,mount_tag=shared </dev/null |
  sed -u -e 's/\r$//' -e 's/\x1b\[[0-9;]*[A-Za-z]//g' -e 's/\x1bc//g'
[ -f "$shared/status" ] || {
  echo "boot.sh: the virtual machine ended without a result within $limit seconds" >&2
  exit 1
}
exit "$(cat "$shared/status")"
