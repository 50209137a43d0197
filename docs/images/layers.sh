#!/bin/sh
# Makes layers.jpg: a picture of glfiguresrc in fine detail, its alpha, foreground and background. `./dev pictures` runs it.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
width=640 height=360
chains='' places='' pad=0
for output in picture alpha foreground background; do
  places="$places sink_$pad::xpos=$((width * (pad % 2))) sink_$pad::ypos=$((height * (pad / 2)))"
  chains="$chains glfiguresrc num-buffers=1 seed=2000002 framing=selfie detail=fine output=$output !
    video/x-raw(memory:GLMemory),width=$width,height=$height ! gldownload ! videoconvert ! sheet.sink_$pad"
  pad=$((pad + 1))
done
# shellcheck disable=SC2086  # lists of words
gst-launch-1.0 -q compositor name=sheet $places ! videoconvert ! jpegenc quality=85 ! \
  filesink location="$folder/layers.jpg" $chains
