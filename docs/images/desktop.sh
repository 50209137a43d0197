#!/bin/sh
# Makes window.png, progress.png and doctor.png: a window with its terminal, a progress bar, and a report, on a virtual X
# server. `./dev pictures` runs it.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
if [ $# = 0 ]; then
  exec xvfb-run --auto-servernum --server-args='-screen 0 1400x800x24' "$0" inside
fi
unset GST_GL_WINDOW
work=$(mktemp -d)
export XDG_RUNTIME_DIR="$work"
trap 'rm -rf "$work"' EXIT
# terminal GEOMETRY COMMAND
terminal() {
  xterm -bw 0 -bg '#14181d' -fg '#dfe5ec' -fa 'DejaVu Sans Mono' -fs 11 -geometry "$1" \
    -e sh -c "printf '%s\n' '\$ $2'; $2; sleep 600" &
}
# picture NAME LEFT TOP WIDTH HEIGHT
picture() {
  gst-launch-1.0 -q ximagesrc num-buffers=1 use-damage=false show-pointer=false startx="$2" starty="$3" \
    endx=$(($2 + $4 - 1)) endy=$(($3 + $5 - 1)) ! videoconvert ! pngenc ! filesink location="$folder/$1"
}
PATH=$(cd "$folder/../../build/tools/sightglass" && pwd):$PATH
cd "$work"
gst-launch-1.0 -q glfiguresrc num-buffers=300 ! 'video/x-raw(memory:GLMemory),width=320,height=180,framerate=30/1' ! \
  gldownload ! videoconvert ! x264enc ! mp4mux ! filesink location=clip.mp4
terminal 76x18+645+0 'sightglass pose --input figures --size 640x360'
sleep 25
picture window.png 0 0 1334 360
kill $!
terminal 110x6+0+0 'sightglass pose --input clip.mp4 --output poses.mp4'
sleep 10
picture progress.png 0 0 991 116
kill $!
# The last lines, which are those to read first.
terminal 120x15+0+0 'sightglass doctor'
sleep 60
picture doctor.png 0 0 1081 287
kill $!
