#!/bin/sh
# Runs examples/appsrc_appsink: its frames are those of the same pipeline in gst-launch-1.0, and nothing is copied.
#   own_frames.sh PROGRAM
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

gst-launch-1.0 -q glfiguresrc num-buffers=1 framing=half ! 'video/x-raw(memory:GLMemory),width=640,height=360' ! \
  gldownload ! pngenc ! filesink location="$work/image.png"
gst-launch-1.0 -q filesrc location="$work/image.png" ! pngdec ! video/x-raw,format=RGBA ! glupload ! \
  glsegment model=figure ! gldownload ! filesink location="$work/expected.raw"
"$1" "$work/image.png" 1 "$work/last.png" >"$work/output.txt"
[ "$(cat "$work/output.txt")" = "1 frames pushed, 1 received" ] || { cat "$work/output.txt" && exit 1; }
gst-launch-1.0 -q filesrc location="$work/last.png" ! pngdec ! videoconvert ! video/x-raw,format=RGBA ! \
  filesink location="$work/last.raw"
differences=$(cmp -l "$work/expected.raw" "$work/last.raw" | wc -l)
echo "$differences of $(wc -c <"$work/last.raw") bytes differ from gst-launch-1.0"
[ "$differences" = 0 ]

GST_TRACERS='zerocopy(fail=true)' "$1" "$work/image.png" 20 >"$work/output.txt" 2>"$work/copies.txt" ||
  { cat "$work/copies.txt" && exit 1; }
grep -E 'nothing was copied|frames' "$work/copies.txt" "$work/output.txt"
[ "$(cat "$work/output.txt")" = "20 frames pushed, 20 received" ]

status=0
"$1" "$work/none.png" 2>"$work/error.txt" || status=$?
cat "$work/error.txt"
[ "$status" = 1 ] && grep -q 'none.png' "$work/error.txt"
