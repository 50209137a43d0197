#!/bin/sh
# The environment of the programs of a bundle: libraries, GL drivers, GStreamer. Sourced by ./run.
# shellcheck disable=SC2154,SC2034,SC2030,SC2031  # variables of ./run and of the files beside this one
machine=$(uname -m)

# system_libraries: the directories of libraries of this machine.
system_libraries() {
  for directory in /usr/lib/"$machine"-linux-gnu /lib/"$machine"-linux-gnu /usr/lib64 /lib64 /usr/lib /lib; do
    if [ -d "$directory" ]; then echo "$directory"; fi
  done
}

# The directory of a library that ldconfig, LD_LIBRARY_PATH, or SIGHTGLASS_GL_PATH knows; nothing if there is none.
folder_of_library() {
  for directory in $(echo "${SIGHTGLASS_GL_PATH:-}:${LD_LIBRARY_PATH:-}" | tr : ' ') $(system_libraries); do
    if [ -e "$directory/$1" ]; then
      echo "$directory"
      return
    fi
  done
  for ldconfig in ldconfig /sbin/ldconfig /usr/sbin/ldconfig; do
    command -v $ldconfig >/dev/null || continue
    # shellcheck disable=SC2016  # awk's variables
    $ldconfig -p 2>/dev/null | awk -v name="$1" '
      $1 == name && /x86-64|AArch64/ { sub(/\/[^\/]*$/, "", $NF); print $NF; exit }'
    return
  done
}

# The programs find our libraries, then those of the machine, then those of ours that drivers use as well.
libraries=$here/lib:${SIGHTGLASS_GL_PATH:+$SIGHTGLASS_GL_PATH:}${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}
for directory in $(system_libraries); do libraries=$libraries$directory:; done
gl_folder=$(folder_of_library libEGL.so.1)
nvidia_folder=$(folder_of_library libEGL_nvidia.so.0)
# Containers mount the driver where they like.
if [ -z "$nvidia_folder" ] && [ -e /dev/nvidiactl ]; then
  nvidia_folder=$(timeout 3 find /usr /opt /run -name libEGL_nvidia.so.0 2>/dev/null | head -n 1)
  nvidia_folder=${nvidia_folder%/*}
fi
for directory in "$gl_folder" "$nvidia_folder"; do
  if [ -n "$directory" ]; then libraries=$libraries$directory:; fi
done
libraries=$libraries$here/lib/after-system

# choose_vendor: libEGL of GLVND reads the names of drivers from files. Makes it try that of NVIDIA only, if there is one:
# a software renderer beside it would hide that the driver does not start. The file may be missing where the driver is
# mounted from elsewhere.
choose_vendor() {
  if [ -n "${__EGL_VENDOR_LIBRARY_FILENAMES:-}${__EGL_VENDOR_LIBRARY_DIRS:-}" ]; then return 0; fi
  if $software; then
    for file in /usr/share/glvnd/egl_vendor.d/*mesa*.json /etc/glvnd/egl_vendor.d/*mesa*.json; do
      if [ -e "$file" ]; then export __EGL_VENDOR_LIBRARY_FILENAMES="$file"; fi
    done
  elif [ -n "$nvidia_folder" ]; then
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s/libEGL_nvidia.so.0"}}\n' "$nvidia_folder" \
      >"$work/nvidia.json"
    export __EGL_VENDOR_LIBRARY_FILENAMES="$work/nvidia.json"
  fi
}

# launch PROGRAM [ARGUMENT…]: becomes it. It is stopped after $within seconds, unless that is 0, and stores everything below
# the working directory. Plugins of this machine do not fit our libraries. GStreamer scans its plugins in the program itself: its
# scanner would be one more program.
within=0
launch() {
  program=$1
  shift
  exec env LC_ALL=C LD_LIBRARY_PATH="$libraries" SIGHTGLASS_TEST_FILES="$here/files/source" TMPDIR="$work/tmp" \
    XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/cache" XDG_DATA_DIRS="$here/share" \
    MESA_SHADER_CACHE_DIR="$work/cache/mesa" __GL_SHADER_DISK_CACHE_PATH="$work/cache/nvidia" \
    GDK_PIXBUF_MODULE_FILE=/dev/null GIO_MODULE_DIR="$here/lib/none" \
    GST_PLUGIN_SYSTEM_PATH_1_0="$here/lib/none" GST_PLUGIN_PATH_1_0="$here/lib/gstreamer-1.0" GST_REGISTRY_FORK=no \
    GST_REGISTRY_1_0="$work/cache/gstreamer.bin" \
    GST_GL_PLATFORM=egl GST_GL_API=gles2 GST_GL_WINDOW="${GST_GL_WINDOW:-egl-device}" \
    timeout -k 3 $within "$here/bin/$program" "$@"
}
ours() { (launch "$@"); }

# cannot_start STATUS: explains why a program did not start, or found no GPU.
cannot_start() {
  log=$logs/device.log
  tail -n 5 "$log" >&2
  glibc="glibc $(cat "$here/lib/glibc-version") or later"
  if grep -q "version .GLIBC_.* not found" "$log"; then
    fail "the C library of this system is too old; the programs need $glibc"
  elif [ "$1" = 124 ] || [ "$1" = 137 ]; then
    fail "the GPU driver did not start within 30 seconds"
  elif [ "$1" -ge 126 ]; then
    fail "the programs do not start on this system ($machine); they need the processor in the name of this bundle,
  and $glibc"
  elif [ -z "$gl_folder$nvidia_folder" ]; then
    fail "EGL is not installed; install the driver of your GPU, or Mesa: libegl1 and libegl-mesa0 (Debian, Ubuntu),
  mesa-libEGL (Fedora), Mesa-libEGL1 (openSUSE), or mesa and libglvnd (Arch). SIGHTGLASS_GL_PATH names directories
  of drivers that are elsewhere, separated by colons"
  fi
  fail "cannot create an OpenGL ES 3.1 context; install a GPU driver with EGL, and make sure that you can read
  /dev/dri/renderD* (group render or video). SIGHTGLASS_GL_PATH names directories of drivers that are elsewhere.
  ./run --software uses the Mesa software renderer"
}

# find_device: asks for the device. Ends with the reason if there is none, or if it is a software renderer that was not
# asked for: its results would pass for those of the GPU. That takes a second; the first start of a driver can take longer.
find_device() {
  choose_vendor
  say "== device"
  status=0
  ours_within 30 gl_device >"$work/device.json" 2>"$logs/device.log" || status=$?
  [ $status = 0 ] || cannot_start $status
  renderer=$(sed -n 's/.*"renderer": "\(.*\)",*/\1/p' "$work/device.json")
  vendor=$(sed -n 's/.*"vendor": "\(.*\)",*/\1/p' "$work/device.json")
  say "$renderer, from $vendor"
  if ! $software && grep -q '"software": true' "$work/device.json"; then
    fail "this is a software renderer, not a GPU: the driver of the GPU is missing, or EGL does not find it
  (libEGL.so.1 in ${gl_folder:-no directory}, libEGL_nvidia.so.0 in ${nvidia_folder:-no directory}).
  SIGHTGLASS_GL_PATH names directories of drivers that are elsewhere; ./run --software accepts this renderer"
  fi
  if command -v nvidia-smi >/dev/null; then nvidia-smi >"$logs/nvidia-smi.log" 2>&1 || true; fi
}

# The name of the report: nvidia-h100 for "NVIDIA H100 80GB HBM3/PCIe/SSE2".
device_name() {
  echo "$1" | sed -E 's/\((R|TM)\)//g; s,[(/].*,,; s/ [0-9]+ ?GB//; s/ HBM[0-9][a-z]*//' | tr '[:upper:]' '[:lower:]' |
    sed -E 's/[^a-z0-9]+/-/g; s/^-+//; s/-+$//'
}
