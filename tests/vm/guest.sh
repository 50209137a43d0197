#!/bin/sh
# The first program in the virtual machine: sets up the camera and the display, runs the test programs one after the other,
# and switches the machine off. /mnt is shared with the host: it provides `settings` and receives `status` and `pictures`.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8
status=1
finish() {
  echo "$status" >/mnt/status
  sync
  echo o >/proc/sysrq-trigger
  # The files are unmounted before the power is off.
  while :; do :; done
}
trap finish EXIT

mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
mkdir -p /dev/shm /dev/pts
mount -t tmpfs tmpfs /dev/shm
mount -t devpts devpts /dev/pts
mount -t debugfs debugfs /sys/kernel/debug
build='' kernel='' programs='' filter=''
# shellcheck source=/dev/null
. /mnt/settings
# vkms loads first, so that it is card0. vgem must not load, because Mesa might use it instead.
modprobe -d "$kernel" vkms enable_writeback=1 || exit
waited=0
until [ -e /dev/dri/card0 ]; do
  waited=$((waited + 1))
  [ "$waited" -le 300 ] || { echo "/dev/dri/card0 does not appear" && exit; }
  sleep 0.2
done
camera=$(dirname "$0")/camera.sh
"$camera" plug "$kernel" || exit
modprobe -d "$kernel" v4l2loopback video_nr=10 exclusive_caps=1 || exit
modprobe -d "$kernel" vicodec || exit
export SIGHTGLASS_VM_UNPLUG="$camera unplug $kernel"
echo "up after $(cut -d' ' -f1 /proc/uptime) s: Linux $(uname -r), /dev/video0 is vivid, /dev/dri/card0 is vkms"

export GST_GL_WINDOW=gbm GST_GL_PLATFORM=egl GST_GL_API=gles2 GST_GL_GBM_DRM_DEVICE=/dev/dri/card0
# GStreamer 1.22 takes the first EGL configuration, which has 10 bits, and displays it as if it had 8 bits.
export allow_rgb10_configs=false
export EGL_LOG_LEVEL=fatal
# Compiled shaders and the GStreamer registry are kept between runs. The shared directory cannot be mapped, but /tmp can.
export MESA_SHADER_CACHE_DIR=/tmp/shaders GST_REGISTRY=/tmp/registry.bin XDG_CACHE_HOME=/tmp/cache
mkdir -p /mnt/kept /mnt/pictures
(cd /mnt/kept && tar -c .) | tar -x -C /tmp
export SIGHTGLASS_VM_PICTURES=/mnt/pictures

status=0
for program in $programs; do
  # Each test has its own process: GStreamer keeps its GL display as long as the process, and a crash ends only one test.
  "$build/tests/vm/$program" --gtest_list_tests "--gtest_filter=$filter" >/tmp/tests || status=1
  awk '/^[^ ]+\.( |$)/ { suite = $1 } /^  / { print suite $1 }' /tmp/tests | sort >/tmp/names
  while read -r name; do
    # The previous test may have unplugged it.
    [ -e /dev/video0 ] || "$camera" plug "$kernel" || status=1
    before=$(cut -d. -f1 /proc/uptime)
    if "$build/tests/vm/$program" "--gtest_filter=$name" --gtest_color=no >/mnt/output.txt 2>&1 </dev/null; then
      result=ok
      grep -q '^\[  SKIPPED' /mnt/output.txt && result=skipped
      sed -n -e 's/^vm: /     /p' -e '/: Skipped$/{n;s/^/     /p}' /mnt/output.txt
    else
      result="FAILED with status $?"
      status=1
      grep -vE '^\[(==|--)|^Note: |^MESA-LOADER|^failed to load driver|^kmsro|^ATTENTION' /mnt/output.txt | tail -n 60
    fi
    cat /mnt/output.txt >>/mnt/log.txt
    echo "$result  $name, $(($(cut -d. -f1 /proc/uptime) - before)) s"
  done </tmp/names
done
rm -f /mnt/output.txt
dmesg | grep -E 'BUG|Oops|WARNING:|general protection' && status=1
(cd /tmp && tar -c shaders registry.bin 2>/dev/null) | tar -x -C /mnt/kept
