#!/bin/sh
# Builds the Mesa drivers of Arm GPUs for this processor, and stub kernel devices for all drivers, from Debian's source.
# Nothing is installed. The drivers of AMD and Intel are those of Debian.
#   mesa.sh FOLDER
set -eu
mkdir -p "$1"
cd "$1"
[ -e made ] && exit 0
say() { printf '%s\n' "== $*"; }

say "getting the source of Mesa"
# Lists of their own: the machine's do not have sources.
mkdir -p apt/lists/partial
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb /deb-src /p' >apt/sources.list
cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed 's/^Types:.*/Types: deb-src/' >apt/debian.sources
set -- -o "Dir::Etc::SourceList=$PWD/apt/sources.list" -o "Dir::Etc::SourceParts=$PWD/apt" -o "Dir::State::Lists=$PWD/apt/lists"
apt-get -qq "$@" update
rm -rf mesa-*
apt-get -qq "$@" source mesa >source.log 2>&1
source=$(echo "$PWD"/mesa-*/)

# The stub of VideoCore is a Raspberry Pi 4. The environment can make it another.
sed -i -e 's/static const uint32_t v3d42_reg_map/const uint32_t v3d42_reg_map/' \
  -e 's/\(CORE0_\(IDENT[01]\)\] = \)\(0x[0-9a-f]*\)/\1getenv("V3D_\2") ? strtoul(getenv("V3D_\2"), NULL, 16) : \3/' \
  "$source/src/broadcom/drm-shim/v3d_noop.c"

# setup BUILD-FOLDER OPTION…: without what compilers do not need
setup() {
  build=$1
  shift
  rm -rf "$build"
  meson setup "$build" "$source" -Dbuildtype=release -Doptimization=1 -Db_ndebug=true -Dlibdir=lib \
    -Dplatforms= -Degl=enabled -Dgbm=enabled -Dgles1=disabled -Dgles2=enabled -Dglx=disabled -Dglvnd=disabled \
    -Dllvm=disabled -Dvulkan-drivers= -Dvideo-codecs= -Dgallium-va=disabled -Dgallium-vdpau=disabled \
    -Dgallium-xa=disabled -Dintel-rt=disabled -Dvalgrind=disabled -Dlibunwind=disabled -Dlmsensors=disabled \
    -Dzstd=disabled -Dxmlconfig=disabled --wrap-mode=nofallback "$@" >"$build.log" 2>&1 || {
    cat "$build.log" >&2
    exit 1
  }
}
# compile BUILD-FOLDER [TARGET…]
compile() {
  build=$1
  ninja -C "$@" >"$build.log" 2>&1 || {
    tail -n 40 "$build.log" >&2
    exit 1
  }
}
say "building the drivers of Mali, VideoCore and Adreno (10 minutes on two cores)"
setup arm -Dtools=drm-shim -Dgallium-drivers=freedreno,panfrost,v3d
compile arm
say "building the stub devices of AMD and Intel"
setup shims -Dtools=drm-shim,intel -Damd-use-llvm=false -Dgallium-drivers=radeonsi,crocus
compile shims src/intel/tools/libintel_noop_drm_shim.so src/amd/drm-shim/libamdgpu_noop_drm_shim.so
touch made
