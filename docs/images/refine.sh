#!/bin/sh
# Makes refine.jpg: two heads, cut out with refine=none, bilateral, and guided. `./dev pictures` runs it.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
side=400
chains='' places='' row=0
for seed in 2000001 2000010; do
  column=0
  for refine in none bilateral guided; do
    pad=$((3 * row + column))
    places="$places sink_$pad::xpos=$((side * column)) sink_$pad::ypos=$((side * row))"
    chains="$chains glfiguresrc num-buffers=1 seed=$seed framing=selfie !
      video/x-raw(memory:GLMemory),width=1280,height=720 !
      glsegment model=figure refine=$refine background=color background-color=0xffe0e0e0 ! gldownload !
      videocrop left=440 right=440 top=60 bottom=260 ! videoconvert ! sheet.sink_$pad"
    column=$((column + 1))
  done
  row=$((row + 1))
done
# shellcheck disable=SC2086  # lists of words
gst-launch-1.0 -q compositor name=sheet $places ! videoconvert ! jpegenc quality=85 ! \
  filesink location="$folder/refine.jpg" $chains
