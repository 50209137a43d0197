# shellcheck shell=sh
#: bundle [OPTION]      put tests, benchmarks, elements, models, and their libraries into
#:                      build/bundle/sightglass-bundle-ARCH.tar.xz, which `./run` in it tests and measures on other machines;
#:                      --limit BYTES: its maximum size (60 MB); --models NAME,…: only these models of ../shared; --figure:
#:                      none of them; --folder: no archive, and the limit applies to the files
#: bundle --arch arm64 [OPTION]
#:                      the same for Arm: cross-compile in a chroot, and test the bundle under qemu-user
#: bundle --check [RELEASE]
#:                      run the directory build/bundle/sightglass-bundle-ARCH/ on the Mesa software renderer with an empty
#:                      environment, or in a Debian RELEASE that has nothing but EGL; needs root
case ${1:-} in
  --check)
    bundle=build/bundle/sightglass-bundle-$(dpkg --print-architecture)
    [ -d "$bundle" ] || fail "$bundle is missing; run ./dev bundle"
    [ $# -gt 1 ] || exec packaging/bundle/check.sh "$bundle"
    need_chroot "$2 did not run the bundle"
    as_root packaging/bundle/clean.sh "$2" "$bundle"
    ;;
  --arch)
    [ "${2:-}" = arm64 ] || fail "bundle --arch requires arm64"
    SIGHTGLASS_BUNDLE_VERSION=$(git describe --always --dirty --tags 2>/dev/null || echo unknown)
    export SIGHTGLASS_BUNDLE_VERSION
    (in_chroot bundle "$@")
    mkdir -p build/bundle
    cp -r build/chroot/bookworm-arm64/root/sightglass/build/bundle/sightglass-bundle-arm64* build/bundle/
    say "written: build/bundle/sightglass-bundle-arm64"
    ;;
  *)
    need build bundle
    build_in build "$(packaging/bundle/make.sh --targets)"
    packaging/bundle/make.sh build build/bundle "$@"
    ;;
esac
