# shellcheck shell=sh
# Commands in a chroot: on another Debian, or for another processor.
#: test --release NAME [CTEST-OPTION]
#:                      the same on another Debian, bookworm or trixie, in build/chroot/ (1.5 GB); the exit status is 69
#:                      if this machine cannot create a chroot
#: test --arch arm64 [GTEST-OPTION]
#:                      cross-compile everything, also in a chroot, and run the tests without GL and a few with GL under
#:                      qemu-user

# need_chroot TEXT [GROUP…]: installs the tools that make a chroot, and more groups of packages. If this machine cannot,
# prints "Debian TEXT", and exits with 69.
need_chroot() {
  chroot_text=$1
  shift
  (as_root true && need chroot "$@") || {
    say "Debian $chroot_text: no root, or no $(packages_of chroot "$@")"
    exit 69
  }
}

# in_chroot COMMAND --release|--arch VALUE [ARGUMENT…]: runs COMMAND on another Debian or for another processor, and exits
# with its status, or with 69 if this machine cannot create the chroot.
in_chroot() {
  [ $# -ge 3 ] || fail "$1 $2 requires a value"
  chroot_command=$1 release=bookworm arch=$(dpkg --print-architecture)
  if [ "$2" = --release ]; then release=$3; else arch=$3; fi
  shift 3
  need_chroot "$release was not tested here"
  as_root env TOOLS="$(packages_of tools) glslang-tools" LIBRARIES="$(packages_of libraries)" \
    tests/chroot/run.sh "$release" "$arch" "$chroot_command" "$@"
  exit
}
