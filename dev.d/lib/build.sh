# shellcheck shell=sh
# Builds, and the environment of programs in a build directory.
: "${root:?}"

# build_in FOLDER TARGETS [CMAKE-OPTION…]
build_in() {
  dir=$1
  targets=$2
  shift 2
  # Otherwise it is not set to OFF: a build directory that has it on keeps it, and is not rebuilt.
  [ "${CI:-}" = true ] && set -- -DSIGHTGLASS_WERROR=ON "$@"
  launcher=
  if command -v ccache >/dev/null; then
    launcher=ccache
    # With paths relative to the source tree, all its build directories share compiled files. ccache requires the other
    # settings for precompiled headers.
    export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
    # The home directory can be missing or read-only.
    compiled=${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/ccache}
    { mkdir -p "$compiled" 2>/dev/null && [ -w "$compiled" ]; } || export CCACHE_DIR="$root/build-ccache"
  fi
  say "building into $dir/"
  cmake -S . -B "$dir" -G Ninja -DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_COMPILER_LAUNCHER=$launcher \
    -DCMAKE_C_COMPILER_LAUNCHER=$launcher "$@" >"$dir.configure.log" 2>&1 || {
    cat "$dir.configure.log" >&2
    fail "configuring failed"
  }
  mv "$dir.configure.log" "$dir/configure.log"
  # shellcheck disable=SC2086  # a list of words
  cmake --build "$dir" --target $targets
}

# Sets the environment in which programs find the plugin of a build directory.
run_environment() {
  dir=$1
  export GST_PLUGIN_PATH="$root/$dir/gst_plugin"
  export GST_REGISTRY="$root/$dir/gstreamer-registry.bin"
  # Mesa stores compiled shaders here, so the first run on a machine is slower than the next.
  export MESA_SHADER_CACHE_DIR="${MESA_SHADER_CACHE_DIR:-$root/$dir/shader-cache}"
  mkdir -p "$MESA_SHADER_CACHE_DIR"
  export XDG_CACHE_HOME="${XDG_CACHE_HOME:-$root/$dir/cache}"
}

headless_environment() {
  export GST_GL_PLATFORM=egl GST_GL_API=gles2
  if pkg-config --atleast-version=1.24 gstreamer-1.0; then
    export GST_GL_WINDOW=surfaceless
  else
    export GST_GL_WINDOW=egl-device
  fi
}
