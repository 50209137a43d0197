#!/bin/sh
# Makes refine.jpg: the best and the worst of the first frames of the clips that docs/mattes.md evaluates, by edge color,
# cut out with refine=none, bilateral, guided, and the defaults of the model. `./dev pictures` runs it.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
width=480 height=640
chains='' places='' row=0
# Seed, and the columns left of the shown part.
for shown in 2000003:120 2000005:400; do
  seed=${shown%:*} left=${shown#*:}
  column=0
  for properties in 'refine=none softness=0.5' 'refine=bilateral softness=0.5' 'refine=guided softness=0.5' 'refine=auto'; do
    pad=$((4 * row + column))
    places="$places sink_$pad::xpos=$((width * column)) sink_$pad::ypos=$((height * row))"
    chains="$chains glfiguresrc num-buffers=1 seed=$seed detail=fine shutter=0.5 !
      video/x-raw(memory:GLMemory),width=1280,height=720 !
      glsegment model=figure $properties background=color background-color=0xff00c000 ! gldownload !
      videocrop left=$left right=$((1280 - width - left)) bottom=80 ! videoconvert ! sheet.sink_$pad"
    column=$((column + 1))
  done
  row=$((row + 1))
done
# shellcheck disable=SC2086  # lists of words
gst-launch-1.0 -q compositor name=sheet $places ! videoconvert ! videoscale ! \
  video/x-raw,format=I420,width=1440,height=960 ! jpegenc quality=80 ! \
  filesink location="$folder/refine.jpg" $chains
