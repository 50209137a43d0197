#!/bin/sh
# The kernel of the virtual machine: the newest Debian kernel, unpacked but never installed. vkms and vicodec are built from
# the source of the same release, because Debian kernels lack them. v4l2loopback is built from its own package.
#   kernel.sh release            prints the newest release in apt with headers and source: 6.12.117+deb12-amd64
#   kernel.sh packages RELEASE   prints the packages that the build needs
#   kernel.sh make RELEASE DIR   makes DIR: vmlinuz, initramfs.gz, lib/modules/RELEASE
#   kernel.sh loopback RELEASE ROOT   compiles only v4l2loopback, with headers and source that are unpacked below ROOT
set -eu
here=$(cd "$(dirname "$0")" && pwd)

names() { apt-cache pkgnames "$1"; }
depends() { apt-cache depends --no-recommends --no-suggests "$1" | sed -n 's/^ *|\{0,1\}Depends: \([^<]*\)$/\1/p'; }
# 6.12.117+deb12-amd64 → linux-source-6.12
source_package() { echo "linux-source-$(echo "$1" | cut -d. -f1,2)"; }

release() {
  for release in $(names linux-image- | sed -nE 's/^linux-image-([0-9][^-]*(-[0-9]+)?-amd64)$/\1/p' | sort -rV); do
    names "linux-headers-$release" | grep -qx "linux-headers-$release" || continue
    names "$(source_package "$release")" | grep -qx "$(source_package "$release")" || continue
    echo "$release"
    return
  done
  echo "kernel.sh: apt has no kernel with headers and source; run apt-get update if its package lists are missing" >&2
  return 1
}

# Prints the packages of the headers and build tools of this release.
header_packages() {
  depends "linux-headers-$1" | grep -E '^linux-(headers-.*-common|kbuild-)' || true
  echo "linux-headers-$1"
}

# The compiler that the headers require, and the libraries of the kernel build tools.
packages() {
  {
    depends "linux-headers-$1" | grep -E '^gcc-[0-9]+$' || true
    header_packages "$1" | grep kbuild | while read -r kbuild; do depends "$kbuild"; done
  } | sort -u
}

# unpack PACKAGE DIR
unpack() {
  dpkg-deb -x "$(find . -maxdepth 1 -name "${1}_*.deb" | head -n 1)" "$2"
}

# compile RELEASE ROOT DIR [MAKE-VARIABLE…]: compiles the module in DIR, into the modules below ROOT.
compile() {
  release=$1 root=$2 dir=$3
  shift 3
  make -s -C "$root/usr/src/linux-headers-$release" M="$dir" CONFIG_DEBUG_INFO_BTF_MODULES= "$@" modules
  mkdir -p "$root/lib/modules/$release/extra"
  cp "$dir"/*.ko "$root/lib/modules/$release/extra/"
}

vkms=drivers/gpu/drm/vkms
vicodec=drivers/media/test-drivers/vicodec
mem2mem=drivers/media/v4l2-core/v4l2-mem2mem.c

# unpack_source RELEASE: unpacks the needed parts of the source package into source/.
unpack_source() {
  source=$(source_package "$1")
  mkdir source
  dpkg-deb --fsys-tarfile "$(find . -maxdepth 1 -name "${source}_*.deb" | head -n 1)" |
    tar -xO "./usr/src/$source.tar.xz" | xz -dc -T0 |
    tar -x -C source --strip-components=1 "$source/$vkms" "$source/$vicodec" "$source/$mem2mem"
}

# build_vkms RELEASE ROOT: builds vkms into the modules below ROOT.
build_vkms() {
  vkms=$PWD/source/$vkms
  cp "$here/vkms_additions.h" "$vkms/"
  sed -i -e '/^static const struct drm_driver vkms_driver = {/a .dumb_map_offset = map_any_buffer,' \
    -e '/^#include "vkms_drv.h"/a #include "vkms_additions.h"' "$vkms/vkms_drv.c"
  sed -i -e '/drm_mode_config_reset(dev);/i let_encoders_work_together(dev);' \
    -e '/^#include "vkms_drv.h"/a #include "vkms_additions.h"' "$vkms/vkms_output.c"
  # Programs use the preferred mode. A small one is less work for a software renderer.
  sed -i -E -e 's/(#define XRES_DEF).*/\1 640/' -e 's/(#define YRES_DEF).*/\1 480/' "$vkms/vkms_drv.h"
  for change in 'map_any_buffer vkms_drv.c' 'let_encoders_work_together vkms_output.c' 'XRES_DEF.*640 vkms_drv.h'; do
    grep -q "${change% *}" "$vkms/${change#* }" || {
      echo "kernel.sh: vkms of $1 differs: cannot insert ${change% *} into ${change#* }" >&2
      return 1
    }
  done
  compile "$1" "$2" "$vkms" CONFIG_DRM_VKMS=m
}

# build_vicodec RELEASE ROOT: builds an encoder, and the part of the V4L2 core that it needs and these kernels also lack.
build_vicodec() {
  cp "source/$mem2mem" "source/$vicodec/"
  echo 'obj-m += v4l2-mem2mem.o' >>"source/$vicodec/Makefile"
  compile "$1" "$2" "$PWD/source/$vicodec" CONFIG_VIDEO_VICODEC=m
}

# build_loopback RELEASE ROOT: builds v4l2loopback from the package that is unpacked there.
build_loopback() {
  loopback=$(echo "$2"/usr/src/v4l2loopback-*)
  # The Debian 12 version calls strlcpy, which newer kernels have dropped. Only its source is changed: the headers of older
  # kernels declare both.
  sed -i 's/\<strlcpy\>/strscpy/g' "$loopback"/*.c "$loopback"/*.h
  compile "$1" "$2" "$loopback"
}

# initramfs RELEASE ROOT FILE: packs busybox and the modules that mount the host files.
initramfs() {
  mkdir -p initramfs/bin initramfs/modules
  cp "$(command -v busybox)" initramfs/bin/
  cp "$here/initramfs_init.sh" initramfs/init
  number=10
  for module in virtio_pci 9pnet_virtio 9p overlay; do
    # "insmod PATH", dependencies first; built-in modules say "builtin".
    /sbin/modprobe -d "$2" -S "$1" --show-depends "$module" | sed -n 's/^insmod \([^ ]*\).*/\1/p'
  done | awk '!seen[$0]++' | while read -r file; do
    base=$(basename "$file")
    case $file in
      *.xz) xz -dc "$file" >"initramfs/modules/$number-${base%.xz}" ;;
      *) cp "$file" "initramfs/modules/$number-$base" ;;
    esac
    number=$((number + 1))
  done
  ls initramfs/modules/*-9p.ko >/dev/null
  (cd initramfs && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$3"
}

make_kernel() {
  work=$2.new
  rm -rf "$work" "$2"
  mkdir -p "$work/packages"
  cd "$work/packages"
  # shellcheck disable=SC2046  # a list of words
  set -- "$1" "$2" "linux-image-$1" "$(source_package "$1")" v4l2loopback-dkms $(header_packages "$1")
  release=$1
  target=$2
  shift 2
  # apt cannot drop its privileges for a directory that only we can read, and prints a long warning.
  apt-get -qq -o APT::Sandbox::User=root download "$@"
  for package in "$@"; do
    case $package in linux-source-*) ;; *) unpack "$package" "$work" ;; esac
  done
  # On Debian 13 they are below /usr.
  [ -d "$work/lib/modules" ] || { mkdir -p "$work/lib" && mv "$work/usr/lib/modules" "$work/lib/"; }
  sed -i "s|^include /usr/src|include $work/usr/src|" "$work/usr/src/linux-headers-$release/Makefile"
  unpack_source "$release"
  build_vkms "$release" "$work"
  build_vicodec "$release" "$work"
  build_loopback "$release" "$work"
  /sbin/depmod -b "$work" "$release"
  initramfs "$release" "$work" "$work/initramfs.gz"
  mv "$work/boot/vmlinuz-$release" "$work/vmlinuz"
  cd /
  rm -rf "${work:?}/packages" "${work:?}/usr" "${work:?}/boot"
  mv "$work" "$target"
}

command=$1
shift
case $command in
  release) release ;;
  packages) packages "$1" ;;
  make) make_kernel "$1" "$2" ;;
  loopback) build_loopback "$1" "$2" ;;
  *) echo "kernel.sh: unknown command: $command" >&2 && exit 2 ;;
esac
