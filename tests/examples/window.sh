#!/bin/sh
# Runs an example in an X server and takes screenshots: the window shows a moving picture, and its controls act.
#   window.sh PROGRAM SHORT ENDLESS SIGNAL [X Y]
# With the argument SHORT, it ends by itself. With ENDLESS, it plays until it gets SIGNAL, and then ends without an error.
# At X Y is its list of backgrounds: blur, color, …
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR="$work" GSETTINGS_BACKEND=memory

"$1" "$2"
echo "it ended by itself"

"$1" "$3" >/dev/null &
player=$!
end() {
  kill -s "$1" "$player"
  status=0
  wait "$player" || status=$?
}
# grab FILE: the screen in 16x8 pixels. The controls of a window have few colors.
grab() {
  gst-launch-1.0 -q ximagesrc num-buffers=1 show-pointer=false ! videoconvert ! videoscale ! \
    video/x-raw,format=RGB,width=16,height=8 ! filesink location="$1"
  colors=$(od -An -v -tu1 -w3 "$1" | sort -u | wc -l)
}
shows_a_picture() { grab "$work/first.raw" && [ "$colors" -ge 48 ]; }
moves() { grab "$work/next.raw" && [ "$(cmp -l "$work/first.raw" "$work/next.raw" | wc -l)" -ge 8 ]; }
has_one_background() { grab "$work/next.raw" && [ "$colors" -lt "$limit" ]; }
# soon CONDITION TEXT: after some seconds; more the first time, when the programs are compiled.
soon() {
  tries=0
  until "$1"; do
    sleep 1
    tries=$((tries + 1))
    [ "$tries" -lt 90 ] || { end KILL && echo "not after $tries seconds: $2; $colors colors" && exit 1; }
  done
  echo "$2; $colors colors"
}

soon shows_a_picture "the window shows a picture"
soon moves "it moves"
if [ $# -gt 4 ] && command -v xdotool >/dev/null; then
  limit=$((colors * 3 / 4))
  xdotool mousemove "$5" "$6"
  xdotool windowfocus "$(xdotool getmouselocation --shell | sed -n 's/WINDOW=//p')"
  for action in 'click 1' 'key Down' 'key Return'; do
    # shellcheck disable=SC2086  # words
    sleep 1 && xdotool $action
  done
  soon has_one_background "after a click on the list, the background has one color"
elif [ $# -gt 4 ]; then
  echo "xdotool is not installed: the controls were not tested"
fi
[ -z "${SIGHTGLASS_SCREENSHOT:-}" ] ||
  gst-launch-1.0 -q ximagesrc num-buffers=1 ! videoconvert ! pngenc ! filesink location="$SIGHTGLASS_SCREENSHOT"
end "$4"
[ "$status" = 0 ] || { echo "the exit status is $status after $4" && exit 1; }
