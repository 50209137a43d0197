#!/bin/sh
# Installs Debian packages of Sightglass where there is no source tree, and runs them on the Mesa software renderer. Runs
# as root in a chroot or a container that has nothing else.   check.sh PACKAGES_DIR
set -eu
packages=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "check.sh: $*" >&2
  exit 1
}
install() { apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends "$@" >"$work/apt.log" 2>&1 || { cat "$work/apt.log" && fail "cannot install $*"; }; }
# files NAME…: the package files with these names.
files() { for name in "$@"; do echo "$packages/${name}_"*.deb; done; }
has() { grep -qE "$2" "$1" || { cat "$1" && fail "$1 lacks $2"; }; }
# recommended NAME: packages of others that this one recommends. Those that they recommend are not installed.
recommended() { dpkg-deb --field "$(files "$1")" Recommends | tr , '\n' | sed '/sightglass/d'; }

echo "== the command-line tool and the elements"
apt-get -qq update
# shellcheck disable=SC2046  # lists of words
install $(files gstreamer1.0-sightglass gstreamer1.0-sightglass-tools sightglass) gstreamer1.0-tools \
  $(recommended sightglass)
export GST_GL_PLATFORM=egl GST_GL_API=gles2 GST_GL_WINDOW=surfaceless LIBGL_ALWAYS_SOFTWARE=1
dpkg --compare-versions "$(dpkg-query -W -f '${Version}' libgstreamer1.0-0)" ge 1.24 || export GST_GL_WINDOW=egl-device
sightglass --version
sightglass check figure | tee check.log
has check.log 'runs entirely on the GPU'
sightglass models info figure >info.log
has info.log '/usr/share/sightglass/models/figure.tflite'
sightglass run figure --runs 2
for element in glsegment glpose glinfer glsegmentbin glframe gldmabufexport resultsjson glfiguresrc; do
  gst-inspect-1.0 $element >inspect.log
  has inspect.log 'Debian package'
done
gst-inspect-1.0 glsegment | head -n 12
size='video/x-raw(memory:GLMemory),width=320,height=180'
gst-launch-1.0 -q glfiguresrc num-buffers=30 ! "$size" ! glsegment model=figure background=color ! glcolorconvert ! \
  gldownload ! video/x-raw,format=RGBA ! filesink location=frames.rgba
bytes=$(stat -c %s frames.rgba)
[ "$bytes" = $((30 * 320 * 180 * 4)) ] || fail "frames.rgba has $bytes bytes"
# Half of a frame is background of one color, and a person has many.
colors=$(od -An -v -tx4 -w4 frames.rgba | sort -u | wc -l)
[ "$colors" -gt 1000 ] || fail "frames.rgba has $colors colors"
echo "30 frames, $bytes bytes, $colors colors"
GST_TRACERS=zerocopy GST_DEBUG=GST_TRACER:7 gst-launch-1.0 -q glfiguresrc num-buffers=3 ! "$size" ! fakesink 2>tracer.log
has tracer.log 'zerocopy'
if sightglass --help | grep -q '^  segment '; then
  sightglass segment --input figures --output a.mp4
  gst-launch-1.0 -q filesrc location=a.mp4 ! qtdemux ! fakesink
  [ "$(stat -c %s a.mp4)" -gt 10000 ] || fail "a.mp4 has $(stat -c %s a.mp4) bytes"
fi

echo "== examples, built against the development package"
# shellcheck disable=SC2046
install $(files libsightglass0 libsightglass-metadata0 gir1.2-sightglass-0.1 libsightglass-dev) \
  g++ cmake ninja-build pkg-config libgles-dev libgdk-pixbuf-2.0-dev libgstreamer-plugins-base1.0-dev
cp -r /usr/share/doc/libsightglass-dev/examples .
# shellcheck disable=SC2046
cc -std=c11 examples/c_texture.c -o c_texture $(pkg-config --cflags --libs sightglass egl glesv2)
gst-launch-1.0 -q glfiguresrc num-buffers=1 framing=half ! "$size" ! gldownload ! videoconvert ! \
  video/x-raw,format=RGB ! filesink location=figure.rgb
{ printf 'P6\n320 180\n255\n' && cat figure.rgb; } >figure.ppm
./c_texture /usr/share/sightglass/models/figure.tflite figure.ppm mask.pgm
head -c 2 mask.pgm | grep -q P5 || fail "c_texture wrote no mask"
values=$(od -An -v -tu1 -w1 mask.pgm | sort -u | wc -l)
[ "$values" -gt 50 ] || fail "the mask has $values values"
cmake -S examples -B examples-build -G Ninja >cmake.log || { cat cmake.log && fail "CMake cannot find the package"; }
cmake --build examples-build --target c_texture engine_only
examples-build/engine_only /usr/share/sightglass/models/figure.tflite figure.ppm mask.png

if [ -e "$here/tutorial" ]; then
  echo "== every line of the tutorial"
  lines=$here/tutorial/tests/docs
  mkdir -p "$here/tutorial/models"
  ln -sfn /usr/share/sightglass/models "$here/tutorial/models/figure"
  "$lines/media.sh" installed "$work/media"
  for name in $("$lines/line.sh" list "$here/tutorial"); do
    "$lines/line.sh" run "$name" "$here/tutorial" installed "$work/media" >"$work/line.log" 2>&1 ||
      { cat "$work/line.log" && fail "$name does not work"; }
    head -n 1 "$work/line.log"
    sed -n '/Skipped$/{n;s/^/  skipped: /p}' "$work/line.log"
  done
fi

echo "== metadata for Python"
install python3-gi
python3 - <<'PYTHON'
import gi
gi.require_version("Gst", "1.0")
gi.require_version("Sightglass", "0.1")
from gi.repository import Gst, Sightglass
Gst.init(None)
assert Sightglass.results_meta_get(Gst.Buffer()) is None
print("Sightglass-0.1:", len(dir(Sightglass)), "names")
PYTHON

echo "== filter for OBS Studio"
# shellcheck disable=SC2046
install $(files obs-sightglass)
module=$(dpkg-query -L obs-sightglass | grep '/obs-sightglass\.so$')
python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]).obs_module_load' "$module"

if [ -e "$here/sightglass-serve.service" ]; then
  echo "== systemd unit"
  # The last two are for packaging/service/boot.sh.
  install systemd systemd-sysv curl
  systemd-analyze verify --man=no "$here/sightglass-serve.service"
  # At most 2 of 10; the rest is the network, devices, and code that drivers generate.
  systemd-analyze security --no-pager --offline=true --threshold=20 "$here/sightglass-serve.service" >unit.log ||
    { cat unit.log && fail "the profile of the unit is too weak"; }
  tail -n 1 unit.log
fi
echo "== the packages work without the source tree"
