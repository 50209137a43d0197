#!/bin/sh
# Runs the examples of the engine on a rendered figure: those of the C API write the same mask, with a figure in it.
#   engine.sh C_TEXTURE PYTHON_ENGINE ENGINE_ONLY MODEL
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gst-launch-1.0 -q glfiguresrc num-buffers=1 framing=half ! gldownload ! videoconvert ! video/x-raw,format=RGB ! pnmenc ! \
  filesink location="$work/image.ppm"

# foreground FILE: the pixels that are white rather than black, in thousandths.
foreground() { od -An -v -tu1 -w1 "$1" | awk '{ white += $1 >= 128 } END { printf "%d", 1000 * white / NR }'; }

"$1" "$4" "$work/image.ppm" "$work/c.pgm"
/usr/bin/python3 -B "$2" "$4" "$work/image.ppm" "$work/python.pgm"
cmp "$work/c.pgm" "$work/python.pgm"
"$3" "$4" "$work/image.ppm" "$work/engine.png"
gst-launch-1.0 -q filesrc location="$work/engine.png" ! pngdec ! videoconvert ! video/x-raw,format=RGB ! \
  filesink location="$work/engine.raw"
for mask in c.pgm engine.raw; do
  share=$(foreground "$work/$mask")
  echo "$mask: foreground $share/1000"
  { [ "$share" -gt 50 ] && [ "$share" -lt 600 ]; } || exit 1
done
