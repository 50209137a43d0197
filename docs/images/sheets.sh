#!/bin/sh
# Makes contact sheets of every mode of the elements that run models, on photographs: segment-modes.jpg, pose-modes.jpg,
# and infer-modes.jpg; blur.jpg, with every shape and several strengths of the blur; and overview.jpg, with a tile per
# element. It needs models and photographs in ../shared, and leaves the sheets unchanged without them. `./dev pictures`
# runs it.
set -eu
sheets=$(cd "$(dirname "$0")" && pwd)
shared=$sheets/../../../shared
[ -d "$shared/models" ] || { printf '%s\n' "no $shared/models: the mode sheets are left unchanged"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
width=300 height=200
tiles='' count=0

# tile PICTURE CAPTION ELEMENTS [CROP [SCALE]]: the photograph is repeated for a few frames, so that smoothing has settled.
# The elements get it at SCALE times the tile size (default: 3). Use 1 if text in the tile must be readable.
tile() {
  picture=$shared/media/$1 caption=$2 elements=$3 crop=${4:-identity} scale=${5:-3}
  file=$work/$count.png
  # shellcheck disable=SC2086  # a list of words
  gst-launch-1.0 -q filesrc location="$picture" ! decodebin ! $crop ! imagefreeze num-buffers=4 ! videoconvert ! \
    videoscale add-borders=true ! \
    "video/x-raw,format=RGBA,width=$((scale * width)),height=$((scale * height)),pixel-aspect-ratio=1/1" ! \
    glupload ! $elements ! gldownload ! videoconvert ! videoscale ! \
    "video/x-raw,format=RGBA,width=$width,height=$height" ! \
    textoverlay text="$caption" valignment=top halignment=right xpad=4 ypad=4 shaded-background=true \
    font-desc="Sans 16" ! pngenc snapshot=false ! multifilesink location="$file"
  tiles="$tiles $file"
  count=$((count + 1))
}

# sheet NAME COLUMNS: writes the tiles so far, in rows.
sheet() {
  places='' chains='' pad=0
  for file in $tiles; do
    row=$((pad / $2))
    places="$places sink_$pad::xpos=$((pad % $2 * width)) sink_$pad::ypos=$((row * height))"
    chains="$chains filesrc location=$file ! pngdec ! videoconvert ! sheet.sink_$pad"
    pad=$((pad + 1))
  done
  # shellcheck disable=SC2086  # lists of words
  gst-launch-1.0 -q compositor name=sheet $places ! videoconvert ! video/x-raw,format=I420 ! jpegenc quality=85 ! \
    filesink location="$sheets/$1" $chains
  tiles=''
}

models=$shared/models/segmentation
selfie="glsegment model=$models/mediapipe_selfie_segmenter_256.tflite"
deeplab="glsegment model=$models/deeplabv3_257_mv_gpu.tflite"
hair="glsegment model=$models/mediapipe_hair_segmentation.tflite"
room="background-location=$shared/media/cats_and_dogs.jpg"
person=mp_pose.jpg
tile $person 'input' identity
tile $person 'background=mask' "$selfie background=mask"
tile $person 'background=blur' "$selfie"
tile $person 'background=color' "$selfie background=color background-color=0xff2060a0"
tile $person 'background=image' "$selfie background=image $room"
tile $person 'background-fit=contain' "$selfie background=image background-fit=contain $room"
tile $person 'light-wrap=1' "$selfie background=image light-wrap=1 $room"
video='videotestsrc pattern=zone-plate kx2=20 ky2=20 num-buffers=9 ! video/x-raw,width=640,height=480 ! bin.background bin.'
selfie_bin="glsegmentbin name=bin model=$models/mediapipe_selfie_segmenter_256.tflite"
tile $person 'a second video' "$selfie_bin $video"
tile $person 'a second video, light-wrap=1' "$selfie_bin light-wrap=1 $video"
tile $person 'background=transparent' "$selfie background=transparent"
edges=mp_portrait.jpg
tile $edges 'refine=none' "$selfie background=color background-color=0xffe0e0e0"
tile $edges 'refine=bilateral' "$selfie background=color background-color=0xffe0e0e0 refine=bilateral"
tile $edges 'refine=guided' "$selfie background=color background-color=0xffe0e0e0 refine=guided"
tile $edges 'feather=12' "$selfie background=color background-color=0xffe0e0e0 feather=12"
tile $edges 'hair segmenter' "$hair background=overlay classes=1"
tile cats_and_dogs.jpg 'background=overlay' "$deeplab background=overlay" identity 1
tile cats_and_dogs.jpg 'classes=12 background=color' "$deeplab classes=12 background=color"
tile $person 'hud=true' "$selfie hud=true" identity 1
sheet segment-modes.jpg 3

for bokeh in gaussian disc; do
  for strength in 2 4 8 16; do
    tile mp_portrait.jpg "$bokeh, strength $strength" "$selfie bokeh=$bokeh blur-strength=$strength" 'videocrop bottom=478'
  done
done
sheet blur.jpg 4

models=$shared/models/pose
blazepose="glpose model=$models/blazepose_landmark_lite.tflite"
tile $person 'BlazePose' "$blazepose"
tile $person 'line-width=12 point-radius=0' "$blazepose line-width=12 point-radius=0 line-color=0xffffc000"
tile $person 'BlazePose, and its mask' "$blazepose attach-mask=true ! glsegment mask-source=meta background=blur"
tile $person 'MoveNet' "glpose model=$models/movenet_singlepose_lightning_int8_v4.tflite"
tile $person 'PoseNet' "glpose model=$models/posenet_mnv1_075_353x481_quant.tflite"
tile $person 'hud=true' "$blazepose hud=true line-width=1.5 point-radius=1.5" identity 1
sheet pose-modes.jpg 3

# The values of a style: a hundred floats between -1 and 1.
state=7
for _ in $(seq 100); do
  state=$((state * 1103515245 + 12345 & 2147483647))
  case $((state >> 16 & 7)) in
    0) float='000\000\200\277' ;; 1) float='000\000\100\277' ;; 2) float='000\000\000\277' ;; 3) float='000\000\200\276' ;;
    4) float='000\000\200\076' ;; 5) float='000\000\000\077' ;; 6) float='000\000\100\077' ;; 7) float='000\000\200\077' ;;
  esac
  # shellcheck disable=SC2059  # the bytes of the number
  printf "\\$float"
done >"$work/style"
models=$shared/models
portrait=mp_portrait.jpg
style=$models/other/style_transfer_f16_384.tflite
tile $portrait 'BlazeFace' "glinfer model=$models/face/face_detection_short_range.tflite text-height=54"
tile $portrait 'BlazeFace, full range' "glinfer model=$models/face/face_detection_full_range_sparse.tflite text-height=54"
tile $portrait 'face landmarks' "glinfer fit=cover model=$models/face/face_landmark_468_f32.tflite" \
  'videocrop left=218 right=232 top=46 bottom=608'
tile burger.jpg 'MobileNet' "glinfer model=$models/classify_detect/mobilenet_v1_0.25_224_quant.tflite max-results=3 threshold=0 text-height=54"
tile $person 'style transfer' "glinfer model=$style extra-inputs=$work/style"
tile $person 'a mask as a picture' \
  "glinfer task=picture model=$models/segmentation/mediapipe_selfie_segmenter_256.tflite range-smoothing=0"
sheet infer-modes.jpg 3

tile $person 'glsegment' "$selfie"
tile $person 'glsegment background=image' "$selfie background=image $room"
tile $person 'glpose' "$blazepose"
tile $portrait 'glinfer' "glinfer model=$models/face/face_detection_short_range.tflite"
sheet overview.jpg 4
