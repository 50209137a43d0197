#!/bin/sh
# Blurs the background of a camera, or of rendered figures without a camera: `sightglass segment` with its options.
# Without a display, and unless an output is given, writes ten seconds of video and a contact sheet. Needs a built tree
# (./dev build). SIGHTGLASS_BUILD sets another build directory.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${SIGHTGLASS_BUILD:-$root/build}/tools/sightglass/sightglass
if [ ! -x "$program" ]; then
  echo "demo: $program is missing; run ./dev build first" >&2
  exit 1
fi
output_given=
for word in "$@"; do
  case $word in
    --output | --output=* | --help) output_given=1 ;;
  esac
done
if [ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}$output_given" ]; then
  set -- --output sightglass-demo.mp4 --contact-sheet sightglass-demo.png "$@"
fi
exec "$program" segment "$@"
