#!/bin/sh
# Inside a chroot: compiles the tree for another architecture and runs the programs under qemu-user.
#   TOOLS="…" LIBRARIES="…" cross.sh arm64 test [GTEST-OPTION…]
#   TOOLS="…" LIBRARIES="…" cross.sh arm64 bundle [OPTION…]
# `test` runs the tests without GL, and a few on the Mesa software renderer, to check that the engine runs there. `bundle`
# makes a bundle with the options of packaging/bundle/make.sh, and checks it.
# TOOLS and LIBRARIES are Debian packages, for this architecture and for the other one.
set -eu
arch=$1
command=$2
shift 2
case $arch in
  arm64) machine=aarch64 ;;
  *)
    echo "cross.sh: only arm64 is supported, not $arch" >&2
    exit 1
    ;;
esac
triplet=$machine-linux-gnu
build=build-$arch

# The few tests with GL need the Mesa software renderer, and a bundle has plugins of GStreamer. libsoup's introspection
# data needs a Python of the other architecture, which cannot be installed beside ours; without libsoup, `sightglass serve`
# reports that it is missing.
foreign=
for library in $LIBRARIES libegl-mesa0 libgles2 libgl1-mesa-dri gstreamer1.0-gl gstreamer1.0-plugins-base; do
  [ "$library" = libsoup-3.0-dev ] || foreign="$foreign $library:$arch"
done
packages="$TOOLS crossbuild-essential-$arch qemu-user$foreign"
if [ "$(cat /srv/packages.installed 2>/dev/null)" != "$packages" ]; then
  export DEBIAN_FRONTEND=noninteractive
  dpkg --add-architecture "$arch"
  apt-get -qq update
  # shellcheck disable=SC2086  # a list of words
  apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends $packages
  echo "$packages" >/srv/packages.installed
fi

export PKG_CONFIG_LIBDIR=/usr/lib/$triplet/pkgconfig:/usr/share/pkgconfig
cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DSIGHTGLASS_WERROR=ON \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$machine -DCMAKE_LIBRARY_ARCHITECTURE=$triplet \
  -DCMAKE_C_COMPILER=$triplet-gcc -DCMAKE_CXX_COMPILER=$triplet-g++ \
  -DCMAKE_CROSSCOMPILING_EMULATOR=/usr/bin/qemu-$machine
if [ "$command" = bundle ]; then
  # shellcheck disable=SC2046  # a list of words
  cmake --build "$build" --target $(packaging/bundle/make.sh --targets)
  packaging/bundle/make.sh "$build" build/bundle "$@"
  packaging/bundle/emulate.sh build/bundle/sightglass-bundle-"$arch" qemu-$machine build/bundle/emulated
  packaging/bundle/check.sh --fast build/bundle/emulated
  exit
fi
cmake --build "$build"

export EGL_PLATFORM=surfaceless MESA_SHADER_CACHE_DIR="$PWD/$build/shader-cache"
mkdir -p "$MESA_SHADER_CACHE_DIR"
failed=''
# run PROGRAM [GTEST-OPTION…]
run() {
  program=$1
  shift
  echo "== $program"
  "qemu-$machine" "$build/tests/$program" "$@" >"$build/output.txt" 2>&1 || failed="$failed $program"
  grep -E '^\[  (PASSED|FAILED|SKIPPED)|^\[=+\] .* ran|: Failure$' "$build/output.txt" || tail -n 20 "$build/output.txt"
}
# shellcheck disable=SC2013  # names without blanks
for program in $(grep -v '^#' tests/without_gl.txt); do run "$program" "$@"; done
run gl/gl_test "$@" --gtest_filter='SessionTest.*'
run ops/ops_test "$@" \
  --gtest_filter='*Pool*:*DepthToSpace*:*Saturation*:*EveryRank:QuantizedTest.SumsAndProducts:QuantizedTest.ChangesOfQuantization'
run whole_models/models_test "$@" --gtest_filter='Bundled/FigureModelTest.*:*/mediapipe_selfie_segmenter_256_device'
[ -z "$failed" ] || {
  echo "cross.sh: failed on $arch:$failed" >&2
  exit 1
}
echo "== all of these tests passed on $arch"
