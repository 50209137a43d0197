#!/bin/sh
# Makes the files that command lines of the documentation read: videos and photographs of rendered figures.
#   media.sh BUILD FOLDER      with BUILD "installed", by the installed elements
set -eu
[ "$1" = installed ] || export GST_PLUGIN_PATH="$1/gst_plugin"
rm -rf "$2"
mkdir -p "$2"
cd "$2"
# shellcheck disable=SC2086  # a list of words
record() { gst-launch-1.0 -q -e glfiguresrc num-buffers="$1" ! "video/x-raw(memory:GLMemory),width=320,height=240" ! gldownload ! $2 ! filesink location="$3"; }
record 3 'videoconvert ! video/x-raw,format=I420 ! x264enc ! mp4mux' clip.mp4
record 1 'videoconvert ! jpegenc' portrait.jpg
record 1 pngenc picture.png
cp clip.mp4 squats.mp4
cp portrait.jpg beach.jpg
cp portrait.jpg burger.jpg
mkdir clips
cp clip.mp4 clips
