#!/bin/sh
# Several processes share one camera by unixfdsink and unixfdsrc, as docs/deployment.md shows: a process that ends or is
# killed does not disturb the others, and readers fail when the camera does.   unixfd.sh BUILD
set -eu
build=$1
gst-inspect-1.0 --exists unixfdsink || {
  printf 'unixfd.sh: Skipped\nneeds unixfdsink (GStreamer 1.24)\n[  SKIPPED ] deployment.unixfd (0 ms)\n'
  exit 77
}
export GST_PLUGIN_PATH="$build/gst_plugin"
folder=$(mktemp -d)
camera=
# shellcheck disable=SC2317  # called by trap
finish() {
  [ -z "$camera" ] || kill "$camera" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
bad=0
# ended PROCESS TEXT STATUS: waits for PROCESS.
ended() {
  status=0
  wait "$1" || status=$?
  echo "$2: $status"
  [ "$status" = "$3" ] || { echo "  expected $3" && bad=1; }
}
# reader FRAMES: becomes a process that reads so many frames; 0: all.
reader() {
  exec gst-launch-1.0 -q unixfdsrc socket-path="$folder/camera" num-buffers="$(($1 - ($1 == 0)))" ! glupload ! \
    glsegment model=figure refine=none inference-interval=4 ! fakesink sync=false
}

gst-launch-1.0 -q videotestsrc is-live=true ! video/x-raw,format=NV12,width=320,height=240,framerate=15/1 ! \
  unixfdsink socket-path="$folder/camera" &
camera=$!
tries=0
until [ -S "$folder/camera" ]; do
  tries=$((tries + 1))
  [ $tries -lt 300 ] || exit 1
  sleep 0.1
done
reader 20 &
first=$!
reader 0 &
second=$!
reader 0 &
third=$!
ended "$first" 'a process that reads 20 frames ends with status' 0
kill -KILL "$second"
ended "$second" 'one is killed, status' 137
reader 20 &
ended $! 'a new process reads 20 frames, and ends with status' 0
kill "$camera"
wait "$camera" || true
camera=
ended "$third" 'without the camera, the last process fails with status' 1
exit "$bad"
