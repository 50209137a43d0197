# shellcheck shell=sh
#: container            build the image of Containerfile with Podman, without a registry, and run it; rootless unless root
#:                      calls it; the exit status is 69 if this machine cannot start a container
need container
exec packaging/container.sh build
