#!/bin/sh
# Inside of a chroot: compiles the tree for another architecture and runs the tests of what needs no GL under qemu-user.
#   TOOLS="…" LIBRARIES="…" cross.sh arm64 [GTEST-OPTION…]
# TOOLS and LIBRARIES are Debian packages: those of this machine, and those of the other one.
set -eu
arch=$1
shift
case $arch in
  arm64) machine=aarch64 ;;
  *)
    echo "cross.sh: arm64, not $arch" >&2
    exit 1
    ;;
esac
triplet=$machine-linux-gnu
build=build-$arch

if [ ! -e /srv/packages.installed ]; then
  export DEBIAN_FRONTEND=noninteractive
  dpkg --add-architecture "$arch"
  apt-get -qq update
  foreign=
  for library in $LIBRARIES; do foreign="$foreign $library:$arch"; done
  # shellcheck disable=SC2086  # lists of words
  apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends $TOOLS "crossbuild-essential-$arch" qemu-user $foreign
  touch /srv/packages.installed
fi

export PKG_CONFIG_LIBDIR=/usr/lib/$triplet/pkgconfig:/usr/share/pkgconfig
cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DSIGHTGLASS_WERROR=ON \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$machine -DCMAKE_LIBRARY_ARCHITECTURE=$triplet \
  -DCMAKE_C_COMPILER=$triplet-gcc -DCMAKE_CXX_COMPILER=$triplet-g++ \
  -DCMAKE_CROSSCOMPILING_EMULATOR=/usr/bin/qemu-$machine
cmake --build "$build"

for test in harness/harness_test tflite/tflite_test graph/graph_test plan/plan_test ref/ref_test ref/ref_models_test \
  fuzz/fuzz_replay_test gst/figure_scene_test; do
  echo "== $test"
  "qemu-$machine" "$build/tests/$test" --gtest_brief=1 "$@"
done
echo "== all tests of what needs no GL passed on $arch"
