#!/bin/sh
# Runs a command on another Mesa driver.   on_driver.sh softpipe|zink|virgl|angle SOCKET_LIBRARY COMMAND [ARGUMENT…]
# tests/README.md describes the drivers. Exits with the status of the command, or with 77 if the driver is missing.
set -eu
driver=$1
socket_library=$2
shift 2

# In the format of GoogleTest, so that `./dev test` lists it.
skip() {
  printf 'on_driver.sh: Skipped\n%s\n[  SKIPPED ] %s (0 ms)\n' "$1" "$driver"
  exit 77
}

# Drivers leak, and a preloaded library precedes the sanitizer libraries.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:verify_asan_link_order=0"
# If a driver fails to start, Mesa silently uses another: the tests check the renderer.
export SIGHTGLASS_TEST_RENDERER="$driver"
export LIBGL_ALWAYS_SOFTWARE=1
unset GALLIUM_DRIVER MESA_LOADER_DRIVER_OVERRIDE

case $driver in
  softpipe)
    export GALLIUM_DRIVER=softpipe
    exec "$@"
    ;;
  zink)
    icd=$(find /usr/share/vulkan/icd.d /etc/vulkan/icd.d -name 'lvp_icd*.json' 2>/dev/null | head -n 1)
    [ -n "$icd" ] || skip "lavapipe is not installed (Debian: mesa-vulkan-drivers)"
    export MESA_LOADER_DRIVER_OVERRIDE=zink VK_ICD_FILENAMES="$icd" VK_DRIVER_FILES="$icd"
    exec "$@"
    ;;
  angle)
    # Its own validation and shader compiler, on Vulkan. The folder has libEGL.so and libGLESv2.so of ANGLE.
    angle=${SIGHTGLASS_ANGLE:-$(dirname "$0")/../../build/angle}
    [ -f "$angle/libGLESv2.so" ] || skip "ANGLE is not in $angle (set SIGHTGLASS_ANGLE; tests/README.md)"
    [ -f "$angle/vk_swiftshader_icd.json" ] || skip "SwiftShader is not in $angle (tests/README.md)"
    angle=$(cd "$angle" && pwd)
    names=$(mktemp -d "${TMPDIR:-/tmp}/angle.XXXXXX")
    trap 'rm -rf "$names"' EXIT
    for file in "$angle"/*.so* "$angle"/*.json; do ln -s "$file" "$names/"; done
    ln -s "$angle/libEGL.so" "$names/libEGL.so.1"
    ln -s "$angle/libGLESv2.so" "$names/libGLESv2.so.2"
    export SIGHTGLASS_TEST_RENDERER=ANGLE ANGLE_DEFAULT_PLATFORM=vulkan
    icd=$names/vk_swiftshader_icd.json
    status=0
    VK_ICD_FILENAMES="$icd" VK_DRIVER_FILES="$icd" LD_LIBRARY_PATH="$names${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
      "$@" || status=$?
    exit "$status"
    ;;
  virgl) ;;
  *)
    echo "on_driver.sh: unknown driver: $driver" >&2
    exit 2
    ;;
esac

command -v virgl_test_server >/dev/null || skip "virgl_test_server is not installed (Debian: virgl-server)"
# A separate socket, because other tests run servers too. The path is short: socket paths have at most 107 characters.
folder=$(mktemp -d "${TMPDIR:-/tmp}/virgl.XXXXXX")
GALLIUM_DRIVER=llvmpipe virgl_test_server --use-egl-surfaceless --use-gles --socket-path="$folder/socket" \
  >"$folder/log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 143' INT TERM
until [ -S "$folder/socket" ]; do
  kill -0 "$server" 2>/dev/null || {
    cat "$folder/log"
    echo "on_driver.sh: virgl_test_server ended before it opened a socket" >&2
    exit 1
  }
  sleep 0.1
done
status=0
GALLIUM_DRIVER=virpipe VTEST_SOCKET_NAME="$folder/socket" "$(dirname "$0")/../harness/preload.sh" "$socket_library" \
  "$@" || status=$?
[ "$status" = 0 ] || tail -n 20 "$folder/log"
exit "$status"
