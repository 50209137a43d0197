#!/bin/sh
# Installs a build into a new directory, moves it, and builds and runs programs against it, with the CMake package and with
# pkg-config.   install.sh BUILD_DIR SOURCE_DIR CC CXX FLAGS
set -eu
build=$1
source=$2
cc=$3
cxx=$4
flags=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"
prefix=$work/moved

for name in libgstsightglass libgstsightglasstest; do
  plugin=$(find "$prefix" -name $name.so)
  [ -n "$plugin" ] || { echo "$name was not installed" && exit 1; }
  case $plugin in */gstreamer-1.0/*) ;; *) echo "the plugin is not in the gstreamer-1.0 directory: $plugin" && exit 1 ;; esac
done
watch=$(find "$prefix" -name 'libsightglass-gl-watch.so')
case $watch in */sightglass/*) ;; *) echo "the preload library is not in its own directory: $watch" && exit 1 ;; esac
LD_PRELOAD=$watch true
"$prefix/bin/sightglass" --version
# The bundled model is found wherever the tree is moved to.
"$prefix/bin/sightglass" models info figure >"$work/figure.log"
if ! grep -q "path .*$prefix/share/sightglass/models/figure.tflite" "$work/figure.log" ||
  ! grep -q 'yes, verified' "$work/figure.log"; then
  cat "$work/figure.log" && exit 1
fi

echo "== every installed header by itself"
gst=$(pkg-config --cflags gstreamer-1.0)
count=0
for header in $(cd "$prefix/include" && find sightglass -name '*.h'); do
  flags_of=
  languages='c++:c++20'
  case $header in
    sightglass/gst/* | sightglass/metadata_objects.h) languages='c:c11 c++:c++20' flags_of=$gst ;;
    sightglass/sightglass.h | sightglass/version.h) languages='c:c11 c++:c++20' ;;
    sightglass/interop/*) flags_of='-DEGL_NO_X11 -DMESA_EGL_NO_X11_HEADERS' ;;
  esac
  for language in $languages; do
    # shellcheck disable=SC2086  # a list of flags
    echo "#include <$header>" | "$cxx" -x "${language%:*}" "-std=${language#*:}" -Wall -Wextra -Werror -fsyntax-only \
      "-I$prefix/include" $flags_of - || { echo "$header does not compile by itself" && exit 1; }
  done
  count=$((count + 1))
done
[ "$count" -ge 35 ] || { echo "only $count headers were installed" && exit 1; }
echo "$count headers"
if grep -rnE '#define SG_|_internals\.h|struct Graph;|sentinel_bytes|hidden_operators' "$prefix/include/sightglass"; then
  echo "internals of the engine are installed" && exit 1
fi

echo "== metadata of buffers, for Python"
[ -n "$(find "$prefix" -name 'libsightglass-metadata.so.0')" ] || { echo "libsightglass-metadata was not installed" && exit 1; }
if [ -e "$build/introspection/Sightglass-0.1.typelib" ]; then
  typelib=$(find "$prefix" -name Sightglass-0.1.typelib)
  case $typelib in */girepository-1.0/*) ;; *) echo "the typelib is not in girepository-1.0: $typelib" && exit 1 ;; esac
fi

if [ -e "$build/obs_plugin/obs-sightglass.so" ]; then
  echo "== filter for OBS Studio"
  module=$(find "$prefix" -name obs-sightglass.so)
  case $module in */obs-plugins/*) ;; *) echo "the filter is not in the obs-plugins directory: $module" && exit 1 ;; esac
  texts=$prefix/share/obs/obs-plugins/obs-sightglass/locale/en-US.ini
  [ -e "$texts" ] || { echo "$texts was not installed" && exit 1; }
fi

echo "== CMake"
cmake -S "$source/tests/repo/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" >"$work/configure.log"
cmake --build "$work/consumer" >"$work/build.log" || { cat "$work/build.log" && exit 1; }
for program in c_consumer engine_consumer consumer; do "$work/consumer/$program"; done

echo "== pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name sightglass.pc)")
export PKG_CONFIG_PATH
for name in sightglass sightglass-engine sightglass-interop sightglass-metadata; do
  [ "$(pkg-config --modversion $name)" = "$("$prefix/bin/sightglass" --version)" ]
done
# shellcheck disable=SC2046,SC2086  # lists of flags
{
  "$cc" -std=c11 $flags "$source/tests/repo/consumer/c_consumer.c" -o "$work/c-by-pkg-config" $(pkg-config --cflags --libs sightglass)
  "$cxx" -std=c++20 $flags "$source/tests/repo/consumer/engine_consumer.cpp" -o "$work/engine-by-pkg-config" \
    $(pkg-config --cflags --libs sightglass-engine)
  "$cxx" -std=c++20 $flags "$source/tests/repo/consumer/consumer.cpp" -o "$work/by-pkg-config" \
    $(pkg-config --cflags --libs sightglass-engine sightglass-interop)
}
if pkg-config --libs sightglass sightglass-engine | grep -qE 'EGL|gbm|drm'; then
  echo "the engine links more than itself: $(pkg-config --libs sightglass sightglass-engine)" && exit 1
fi
LD_LIBRARY_PATH=$(pkg-config --variable=libdir sightglass) "$work/c-by-pkg-config"
"$work/engine-by-pkg-config"
"$work/by-pkg-config"

echo "== examples"
# shellcheck disable=SC2046,SC2086
"$cc" -std=c11 $flags "$source/examples/c_texture.c" -o "$work/c_texture" $(pkg-config --cflags --libs sightglass egl glesv2)
# Outside of the source tree: the examples use nothing but the installed files.
cp -r "$source/examples" "$work/copy"
cmake -S "$work/copy" -B "$work/examples" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" >"$work/configure.log"
cmake --build "$work/examples" >"$work/build.log" || { cat "$work/build.log" && exit 1; }
