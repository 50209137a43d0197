#!/bin/sh
# Runs a command on another of Mesa's drivers.   on_driver.sh softpipe|zink|virgl SOCKET_LIBRARY COMMAND [ARGUMENT…]
# tests/README.md says what each of them is. Ends with the command's status, or with 77 where the driver is missing.
set -eu
driver=$1
socket_library=$2
shift 2

# As GoogleTest says it, so that `./dev test` lists it.
skip() {
  printf 'on_driver.sh: Skipped\n%s\n[  SKIPPED ] %s (0 ms)\n' "$1" "$driver"
  exit 77
}

# Drivers leak, and a library that is preloaded comes before the sanitizers' own.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0:verify_asan_link_order=0"
# A driver that does not come up is replaced by another without a word: tests look what they have got.
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
  virgl) ;;
  *)
    echo "on_driver.sh: unknown driver: $driver" >&2
    exit 2
    ;;
esac

command -v virgl_test_server >/dev/null || skip "virgl_test_server is not installed (Debian: virgl-server)"
# A socket of its own: other tests have servers too. Short, since a socket's path has 107 characters at most.
folder=$(mktemp -d "${TMPDIR:-/tmp}/virgl.XXXXXX")
GALLIUM_DRIVER=llvmpipe virgl_test_server --use-egl-surfaceless --use-gles --socket-path="$folder/socket" \
  >"$folder/log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
trap 'exit 143' INT TERM
until [ -S "$folder/socket" ]; do
  kill -0 "$server" 2>/dev/null || {
    cat "$folder/log"
    echo "on_driver.sh: virgl_test_server ended before it had a socket" >&2
    exit 1
  }
  sleep 0.1
done
status=0
GALLIUM_DRIVER=virpipe VTEST_SOCKET_NAME="$folder/socket" LD_PRELOAD="$socket_library${LD_PRELOAD:+ $LD_PRELOAD}" \
  "$@" || status=$?
[ "$status" = 0 ] || tail -n 20 "$folder/log"
exit "$status"
