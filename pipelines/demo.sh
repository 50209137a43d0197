#!/bin/sh
# Plays a camera, a video file, or rendered figures through glsegment: ./demo.sh [--input FILE|/dev/videoN|figures]
# [--model …] [--background …] [--output FILE] …; `--help` lists all options. Needs a built tree (./dev build).
# SIGHTGLASS_BUILD sets another build directory.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${SIGHTGLASS_BUILD:-$root/build}
program=$build/pipelines/demo/sightglass-demo
if [ ! -x "$program" ]; then
  echo "demo: $program is missing; run ./dev build first" >&2
  exit 1
fi
export GST_PLUGIN_PATH="$build/gst_plugin${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}"
exec "$program" "$@"
