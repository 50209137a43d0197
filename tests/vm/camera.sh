#!/bin/sh
# In the guest: plugs in the camera, with a still image, or unplugs it, even if it is in use.
#   camera.sh plug|unplug KERNEL_DIR
set -eu
case $1 in
  plug)
    # An unplugged camera leaves its module loaded.
    modprobe -d "$2" -r vivid 2>/dev/null || true
    modprobe -d "$2" vivid n_devs=1 node_types=0x1 no_error_inj=1
    waited=0
    until [ -e /dev/video0 ]; do
      waited=$((waited + 1))
      [ "$waited" -le 300 ] || { echo "camera.sh: /dev/video0 does not appear" && exit 1; }
      sleep 0.2
    done
    # Vertical bars of 75% white, yellow, cyan, green, magenta, red, blue, and black, without the time overlay.
    v4l2-ctl -d /dev/video0 -c osd_text_mode=2 -c test_pattern=0
    ;;
  unplug) echo vivid.0 >/sys/bus/platform/drivers/vivid/unbind ;;
  *) echo "camera.sh: unknown command: $1" >&2 && exit 2 ;;
esac
