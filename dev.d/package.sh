# shellcheck shell=sh
#: package [--release NAME]
#:                      build the Debian packages in a clean chroot of bookworm or trixie (default: bookworm), check them with
#:                      lintian, install and run them in a second one, boot it under systemd, and leave them in
#:                      build/packages/; the exit status is 69 if this machine cannot create a chroot
release=bookworm
if [ $# -gt 0 ]; then
  if [ $# != 2 ] || [ "$1" != --release ]; then fail "package takes only --release NAME"; fi
  release=$2
fi
need_chroot "$release has no packages from here" container-boot
as_root packaging/run.sh "$release"
