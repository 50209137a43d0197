#!/bin/sh
# Runs an example in an X server and takes a screenshot: the window shows a picture.
#   window.sh PROGRAM SHORT ENDLESS SIGNAL
# With the argument SHORT, it ends by itself. With ENDLESS, it plays until it gets SIGNAL, and then ends without an error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR="$work" GSETTINGS_BACKEND=memory

"$1" "$2"
echo "it ended by itself"

# The picture is there after some seconds, the first time when the programs are compiled. The controls of a window have
# few colors.
"$1" "$3" >/dev/null &
player=$!
tries=0
colors=0
while [ "$colors" -lt 48 ] && [ "$tries" -lt 60 ]; do
  sleep 1
  tries=$((tries + 1))
  gst-launch-1.0 -q ximagesrc num-buffers=1 show-pointer=false ! videoconvert ! videoscale ! \
    video/x-raw,format=RGB,width=16,height=8 ! filesink location="$work/screen.raw"
  colors=$(od -An -v -tu1 -w3 "$work/screen.raw" | sort -u | wc -l)
done
[ -z "${SIGHTGLASS_SCREENSHOT:-}" ] ||
  gst-launch-1.0 -q ximagesrc num-buffers=1 ! videoconvert ! pngenc ! filesink location="$SIGHTGLASS_SCREENSHOT"
kill -s "$4" "$player"
status=0
wait "$player" || status=$?
[ "$colors" -ge 48 ] || { echo "the screen has $colors colors" && exit 1; }
[ "$status" = 0 ] || { echo "the exit status is $status after $4" && exit 1; }
echo "$colors colors on the screen"
