#!/bin/sh
# Makes tutorial.jpg, with frames of the pipelines in the tutorial, and bins.jpg, with a second video as background.
# `./dev pictures` runs it.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
width=320 height=240
chains='' places='' count=0

# tile CAPTION ELEMENTS: plays some frames of one figure, and shows the last one.
tile() {
  places="$places sink_$count::xpos=$((width * count))"
  chains="$chains glfiguresrc num-buffers=12 seed=7 framing=half !
    video/x-raw(memory:GLMemory),width=$((2 * width)),height=$((2 * height)) ! $2 ! gldownload ! videoconvert ! videoscale !
    video/x-raw,format=RGBA,width=$width,height=$height ! textoverlay text=$1 shaded-background=true ! sheet.sink_$count"
  count=$((count + 1))
}

# sheet FILE: writes the tiles so far in a row.
sheet() {
  # shellcheck disable=SC2086  # lists of words
  gst-launch-1.0 -q compositor name=sheet $places ! videoconvert ! jpegenc quality=85 ! \
    multifilesink location="$folder/$1" $chains
  chains='' places='' count=0
}

tile glfiguresrc identity
tile glsegment 'glsegment model=figure refine=guided'
tile background=color 'glsegment model=figure refine=guided background=color background-color=0xff2060a0'
tile glpose 'glpose model=figure line-width=6'
sheet tutorial.jpg
for pattern in smpte gradient pinwheel; do
  tile pattern=$pattern "glsegmentbin name=bin$count model=figure refine=guided videotestsrc pattern=$pattern !
    video/x-raw,width=$((2 * width)),height=$((2 * height)) ! bin$count.background bin$count."
done
sheet bins.jpg
