#!/bin/sh
# Makes persons.jpg if ../shared has the MediaPipe photographs and selfie segmenter: two people cut out with refine=none,
# bilateral, and guided, and with guided plus feather and light wrap. `./dev pictures` runs it.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
shared=$folder/../../../shared
model=$shared/models/segmentation/mediapipe_selfie_segmenter_256.tflite
[ -f "$model" ] || { printf '%s\n' "no $model: persons.jpg is left unchanged"; exit 0; }
side=360
chains='' places='' row=0
# Photograph, left and top of the shown part, and size of the photograph.
for shown in mp_portrait:230:40:820:1024 mp_pose:330:190:1000:667; do
  IFS=: read -r name left top width height <<PLACE
$shown
PLACE
  column=0
  for properties in refine=none refine=bilateral refine=guided 'refine=guided feather=4 light-wrap=0.6'; do
    pad=$((4 * row + column))
    places="$places sink_$pad::xpos=$((side * column)) sink_$pad::ypos=$((side * row))"
    chains="$chains filesrc location=$shared/media/$name.jpg ! jpegdec ! videoconvert ! video/x-raw,format=RGBA !
      glupload ! glsegment model=$model $properties background=color background-color=0xffe0e0e0 ! gldownload !
      videocrop left=$left top=$top right=$((width - left - side)) bottom=$((height - top - side)) !
      videoconvert ! sheet.sink_$pad"
    column=$((column + 1))
  done
  row=$((row + 1))
done
# shellcheck disable=SC2086  # lists of words
gst-launch-1.0 -q compositor name=sheet $places ! videoconvert ! jpegenc quality=80 ! \
  filesink location="$folder/persons.jpg" $chains
