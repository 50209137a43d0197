#!/bin/sh
# Builds the image `sightglass` of Containerfile with Podman, and runs it. Rootless, unless root calls it.
#   container.sh BUILD_DIR
# No registry is needed: the base image is made of Debian packages. The exit status is 69 if this machine cannot make that
# image or start a container.
set -eu
mkdir -p "$1/container/ccache"
folder=$(cd "$1/container" && pwd)
cd "$(dirname "$0")/.."
base=localhost/sightglass-base
work=$(mktemp -d)
server=

# shellcheck disable=SC2317  # called by trap
finish() {
  [ -z "$server" ] || podman rm --force "$server" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT
fail() {
  echo "container.sh: $*" >&2
  exit 1
}
# unavailable LOG TEXT
unavailable() {
  tail -n 5 "$1" >&2
  echo "== the container was not tested: this machine cannot $2; the reason is above" >&2
  exit 69
}

if ! podman image exists $base; then
  echo "== making the base image, $base (once)"
  # Like the published image debian:trixie-slim: no documentation, and no certificates.
  mmdebstrap --quiet --variant=minbase --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    trixie "$work/base.tar" ${SIGHTGLASS_MIRROR:+"$SIGHTGLASS_MIRROR"} >"$work/log" 2>&1 ||
    unavailable "$work/log" 'make a Debian'
  podman import --quiet "$work/base.tar" $base >"$work/log" 2>&1 || unavailable "$work/log" 'store an image'
  rm "$work/base.tar"
fi
podman run --rm --network none $base true >"$work/log" 2>&1 || unavailable "$work/log" 'start a container'

echo "== building the image"
# chroot: the build itself needs no network device. The compiler cache is kept between builds.
podman build --isolation=chroot --pull-never --build-arg "BASE=$base" --volume "$folder/ccache:/srv/ccache" \
  --tag sightglass .

set --
render_node=$(find /dev/dri -name 'renderD*' 2>/dev/null | head -n 1)
if [ -r "$render_node" ] && [ -w "$render_node" ]; then
  set -- "$@" --device "$render_node" --group-add keep-groups
  echo "== running the image with $render_node"
else
  echo "== running the image without a render node, on the Mesa software renderer"
fi
podman run --rm "$@" --network none sightglass --version
podman run --rm "$@" --network none sightglass run figure --runs 2

# The files of the caller: rootless Podman maps its ID to the same one in the container.
[ "$(id -u)" = 0 ] || set -- "$@" --userns=keep-id
mkdir "$work/data"
# in_data PODMAN-OPTION… IMAGE ARGUMENT…
in_data() { podman run --rm --network none --user "$(id -u):$(id -g)" --volume "$work/data:/data" --workdir /data "$@"; }
in_data "$@" sightglass segment --input figures --size 320x180 --output a.mp4
[ "$(stat -c %u "$work/data/a.mp4")" = "$(id -u)" ] || fail "a.mp4 belongs to user $(stat -c %u "$work/data/a.mp4")"
in_data "$@" --entrypoint gst-launch-1.0 sightglass -v filesrc location=a.mp4 ! decodebin ! \
  video/x-raw,width=320,height=180 ! fakesink silent=false >"$work/frames"
frames=$(grep -c 'last-message = chain' "$work/frames" || true)
echo "a.mp4: $frames frames, $(stat -c %s "$work/data/a.mp4") bytes"
[ "$frames" -ge 30 ] || fail "too few"

# Any user will do, as in Kubernetes.
server=$(podman run "$@" --detach --network host --user 1000:1000 sightglass serve --input figures --size 320x180 \
  --listen 127.0.0.1:0)
tries=0
until address=$(podman logs "$server" 2>&1 | grep -m 1 -oE 'http://localhost:[0-9]+') &&
  curl --silent --fail --max-time 5 "$address/healthz" >/dev/null; do
  tries=$((tries + 1))
  [ $tries -lt 600 ] || { podman logs "$server" && fail "no frames after 300 s"; }
  sleep 0.5
done
echo "$address/healthz: $(curl --silent --output /dev/null --write-out '%{http_code}' "$address/healthz")"
podman stop --time 20 "$server" >/dev/null
status=$(podman inspect --format '{{.State.ExitCode}}' "$server")
echo "stopped with status $status"
[ "$status" = 0 ] || { podman logs "$server" && fail "expected 0"; }
podman logs "$server" >"$work/server.log" 2>&1
if grep -iE 'denied|no writable' "$work/server.log"; then fail "the user cannot write what the server keeps"; fi
echo "== the image works"
