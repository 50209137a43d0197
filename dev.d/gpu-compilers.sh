# shellcheck shell=sh
#: gpu-compilers [DEVICE…]
#:                      compile all shaders with Mesa's compilers for Mali, VideoCore, Adreno, Intel and AMD, on stub
#:                      devices, and write docs/performance/compilers.md if no DEVICE is named; builds drivers of
#:                      Debian 13, elsewhere in a chroot
report=build/gpu-compilers/report.md
# shellcheck source=/dev/null
if [ "$(. /etc/os-release && echo "${VERSION_CODENAME:-}")" = trixie ]; then
  need build compiler
  build_in build 'compile_programs sightglass'
  tests/gpu_compilers/run.sh build "$@"
else
  (in_chroot gpu-compilers --release trixie "$@")
  tree=build/chroot/trixie-$(dpkg --print-architecture)/root
  report=$tree/sightglass/$report
fi
# A page of some devices would lack the others.
if [ $# = 0 ]; then
  cp "$report" docs/performance/compilers.md
  say "written: docs/performance/compilers.md"
fi
