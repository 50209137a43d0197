#!/bin/sh
# Runs a command on a stub of a GPU, with its real driver. Commands of OpenGL ES compile, but do nothing.
#   device.sh MESA-FOLDER DEVICE COMMAND [ARGUMENT…]
set -eu
mesa=$1
device=$2
shift 2
export MESA_SHADER_CACHE_DISABLE=true
# Otherwise messages of a compiler thread are lost, and some drivers compile at the first draw.
export GALLIUM_THREAD=0 mesa_glthread=false shader_precompile=true ST_DEBUG=precompile
case $device in
  mali-* | videocore-* | adreno-*)
    export LD_LIBRARY_PATH="$mesa/arm/src/egl:$mesa/arm/src/mapi/es2api:$mesa/arm/src/gbm:$mesa/arm/src/gallium/targets/dri"
    export GBM_BACKENDS_PATH="$mesa/arm/src/gbm/backends/dri"
    ;;
esac
case $device in
  mali-g52) export PAN_GPU_ID=7212 ;;
  mali-g57) export PAN_GPU_ID=9093 ;;
  videocore-6) ;; # Raspberry Pi 4
  videocore-7) export V3D_IDENT0=0x07443356 V3D_IDENT1=0x81001421 ;; # Raspberry Pi 5
  adreno-630) export FD_GPU_ID=630 ;;
  adreno-730) export FD_GPU_ID=730 ;;
  intel-tgl) export INTEL_STUB_GPU_PLATFORM=tgl ;;
  amd-renoir) export AMDGPU_GPU_ID=renoir ;;
  amd-navi) export AMDGPU_GPU_ID=navi21 ;;
  *)
    echo "device.sh: no device '$device'" >&2
    exit 1
    ;;
esac
case $device in
  mali-*) shim=arm/src/panfrost/drm-shim/libpanfrost_noop_drm_shim.so ;;
  videocore-*)
    export V3D_DEBUG=shaderdb,precompile
    shim=arm/src/broadcom/drm-shim/libv3d_noop_drm_shim.so
    ;;
  adreno-*)
    export FD_MESA_DEBUG=shaderdb
    shim=arm/src/freedreno/drm-shim/libfreedreno_noop_drm_shim.so
    ;;
  intel-*) shim=shims/src/intel/tools/libintel_noop_drm_shim.so ;;
  amd-*) shim=shims/src/amd/drm-shim/libamdgpu_noop_drm_shim.so ;;
esac
[ -e "$mesa/$shim" ] || {
  echo "device.sh: no $mesa/$shim; run mesa.sh" >&2
  exit 1
}
exec "$(dirname "$0")/../harness/preload.sh" "$mesa/$shim" "$@"
