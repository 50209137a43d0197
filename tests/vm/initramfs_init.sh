#!/bin/busybox sh
# shellcheck shell=dash
# The first program in the virtual machine: mounts the host files as the root, read-only below a layer in memory, and the
# shared directory at /mnt. Then runs the script on the kernel command line: script=PATH.
/bin/busybox mkdir -p /proc /sys /dev /host /layer /new
/bin/busybox --install -s /bin
export PATH=/bin
stop() {
  echo "virtual machine: $*"
  poweroff -f
}
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module in /modules/*; do insmod "$module" || stop "$module does not load"; done
shared=trans=virtio,version=9p2000.L,msize=524288
mount -t 9p -o "ro,cache=loose,$shared" host /host || stop "no files of the host"
mount -t tmpfs -o size=60% tmpfs /layer
mkdir /layer/upper /layer/work
mount -t overlay -o lowerdir=/host,upperdir=/layer/upper,workdir=/layer/work overlay /new || stop "no overlay"
mount -t 9p -o "rw,cache=none,$shared" shared /new/mnt || stop "no shared folder"
script=$(sed 's/.*script=\([^ ]*\).*/\1/' /proc/cmdline)
for folder in proc sys dev; do mount --move "/$folder" "/new/$folder"; done
exec switch_root /new /bin/sh "$script"
