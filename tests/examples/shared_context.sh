#!/bin/sh
# Runs the example in an X server and takes a screenshot: the window shows a picture.   shared_context.sh PROGRAM
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" 3 >"$work/short.txt"
[ "$(cat "$work/short.txt")" = "3 frames" ] || { echo "not 3 frames:" && cat "$work/short.txt" && exit 1; }

# It plays until it is killed: the picture is there after some seconds, the first time when the programs are compiled.
"$1" 0 >/dev/null &
player=$!
tries=0
colors=0
while [ "$colors" -lt 16 ] && [ "$tries" -lt 60 ]; do
  sleep 1
  tries=$((tries + 1))
  gst-launch-1.0 -q ximagesrc num-buffers=1 ! videoconvert ! videoscale ! video/x-raw,format=RGB,width=16,height=8 ! \
    filesink location="$work/screen.raw"
  colors=$(od -An -v -tu1 -w3 "$work/screen.raw" | sort -u | wc -l)
done
kill "$player"
wait "$player" || true
[ "$colors" -ge 16 ] || { echo "the screen has $colors colors" && exit 1; }
echo "$colors colors on the screen"
