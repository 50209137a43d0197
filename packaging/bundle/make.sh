#!/bin/sh
# Makes a directory that runs tests and benchmarks on machines without the source tree, its libraries, or a compiler.
#   make.sh BUILD_DIR OUTPUT_DIR [OPTION…]
# Writes OUTPUT_DIR/sightglass-bundle-ARCH/ and the same as .tar.xz. ARCH is that of the programs in BUILD_DIR.
#   --figure        only the bundled model, even if ../shared has others
#   --models LIST   only these models of ../shared, names separated by commas, besides the bundled one
#   --limit BYTES   maximum size of the archive (60000000), or of all files with --folder (none): models that would exceed
#                   it are left out
#   --objects FILE  objects.npz of ./dev train, the pictures to put behind figures; otherwise polygons
#   --folder        no archive
# make.sh --targets prints the targets that BUILD_DIR needs. SIGHTGLASS_BUNDLE_VERSION names the version of a tree without
# .git.
set -eu
programs='tools/sightglass/sightglass bench/bench_report bench/frames_bench bench/gl_device bench/operator_bench
  models/figure/sightglass-render-figures tests/whole_models/models_test
  tests/gl/gl_test tests/ops/ops_test tests/plan/plan_test tests/graph/graph_test tests/ref/ref_test
  tests/rewrites/rewrites_test tests/shaders/shader_syntax_test tests/interop/interop_test'
plugins='gst_plugin/libgstsightglass.so gst_plugin/libgstsightglasstest.so'
# Of GStreamer, from the plugins of this machine: those with sources, sinks, and queues, the elements of GL, and those that
# read and convert frames. Versions differ in whether converting and scaling is one plugin.
gstreamer_plugins='coreelements opengl app videotestsrc videoconvertscale videoconvert videoscale'
if [ "$1" = --targets ]; then
  for program in $programs; do basename "$program"; done
  for plugin in $plugins; do basename "$plugin" .so | sed 's/^lib//'; done
  exit
fi
export LC_ALL=C
build=$(cd "$1" && pwd)
mkdir -p "$2"
output=$(cd "$2" && pwd)
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
shared=$source/../shared
archive=true
limit=
chosen=
objects=

fail() {
  echo "make.sh: $*" >&2
  exit 1
}
while [ $# -gt 0 ]; do
  case $1 in
    --figure) shared=/nonexistent ;;
    --folder) archive=false ;;
    --limit | --models | --objects)
      [ $# -gt 1 ] || fail "$1 needs a value"
      case $1 in
        --limit) limit=$2 ;;
        --models) chosen=$2 ;;
        --objects) objects=$2 ;;
      esac
      shift
      ;;
    *) echo "make.sh: unknown option $1" >&2 && exit 2 ;;
  esac
  shift
done
# Without --limit, an archive is as small as those that people send; a folder has everything.
if [ -z "$limit" ]; then
  limit=60000000
  $archive || limit=1000000000000
fi
case $limit in *[!0-9]*) fail "--limit $limit: not a number of bytes" ;; esac

# Compiled into the programs: the Debian packages with their licenses.
compiled_in='libgtest-dev libflatbuffers-dev nlohmann-json3-dev libcli11-dev'

[ -x "$build/tools/sightglass/sightglass" ] || fail "$build has no programs; run ./dev build"
case $(readelf -h "$build/tools/sightglass/sightglass" | sed -n 's/ *Machine: *//p') in
  *X86-64) arch=amd64 machine=x86_64 ;;
  AArch64) arch=arm64 machine=aarch64 ;;
  *) fail "$build has programs for another processor than x86-64 and arm64" ;;
esac
triplet=$machine-linux-gnu
prefix=
if [ "$(uname -m)" != $machine ]; then prefix=$triplet-; fi

folder=$output/sightglass-bundle-$arch
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/lib/after-system" "$folder/lib/gstreamer-1.0" "$folder/licenses" \
  "$folder/share/sightglass/models" "$folder/share/run"

echo "== programs" >&2
for program in $programs; do
  [ -x "$build/$program" ] || fail "$build/$program is missing; run ./dev build"
  "${prefix}strip" --strip-unneeded -o "$folder/bin/$(basename "$program")" "$build/$program"
done

echo "== plugins" >&2
for plugin in $plugins; do
  [ -f "$build/$plugin" ] || fail "$build/$plugin is missing; run ./dev build"
  "${prefix}strip" --strip-unneeded -o "$folder/lib/gstreamer-1.0/$(basename "$plugin")" "$build/$plugin"
done
for name in $gstreamer_plugins; do
  plugin=/usr/lib/$triplet/gstreamer-1.0/libgst$name.so
  [ ! -f "$plugin" ] || cp -L "$plugin" "$folder/lib/gstreamer-1.0"
done
for name in coreelements opengl; do
  [ -f "$folder/lib/gstreamer-1.0/libgst$name.so" ] || fail "the GStreamer plugin $name is not installed"
done

echo "== libraries" >&2
# Libraries of the C library and of GL drivers come with the machine.
comes_with_the_machine() {
  case $1 in
    ld-linux* | libc.so.* | libm.so.* | libmvec.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libresolv.so.* | \
      libutil.so.* | libanl.so.* | libnsl.so.* | libnss_* | libglapi.so.*) return 0 ;;
  esac
  return 1
}
# GLVND, which finds the driver: a machine without a display may have the driver only.
loads_drivers() {
  case $1 in
    libEGL.so.* | libGL.so.* | libGLES* | libGLX.so.* | libGLdispatch.so.* | libOpenGL.so.*) return 0 ;;
  esac
  return 1
}
# GL drivers use these as well, and may need a newer version than ours: the library of the machine is preferred.
drivers_use() {
  case $1 in
    libstdc++.so.* | libgcc_s.so.* | libatomic.so.* | libgbm.so.* | libdrm*.so.* | libz.so.* | libzstd.so.* | liblzma.so.* | \
      libexpat.so.* | libffi.so.* | libelf.so.* | libxml2.so.* | libicu*.so.* | libX*.so.* | libxcb*.so.* | \
      libwayland-*.so.* | libbsd.so.* | libmd.so.* | libudev.so.* | libcap.so.* | libselinux.so.* | libpcre2*.so.*) return 0 ;;
  esac
  return 1
}
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
library() {
  for directory in /usr/lib/$triplet /lib/$triplet /usr/lib64 /lib64 /usr/lib /lib; do
    [ -e "$directory/$1" ] || continue
    readelf -h "$directory/$1" | grep -qE 'Machine: .*(X86-64|AArch64)' || continue
    echo "$directory/$1"
    return
  done
  fail "cannot find the library $1"
}
license_of() {
  [ -e "$folder/licenses/$1.txt" ] || cp "/usr/share/doc/$1/copyright" "$folder/licenses/$1.txt"
}
# libgstgl opens libGLESv2 by its name.
waiting="libGLESv2.so.2 $(for file in "$folder"/bin/* "$folder"/lib/gstreamer-1.0/*; do needed "$file"; done | sort -u)"
seen=' '
files=
while [ -n "$waiting" ]; do
  next=
  for name in $waiting; do
    case $seen in *" $name "*) continue ;; esac
    seen="$seen$name "
    comes_with_the_machine "$name" && continue
    file=$(library "$name")
    # A libEGL that is not GLVND's works with its own driver only.
    if loads_drivers "$name" && ! needed "$file" | grep -q libGLdispatch && [ "$name" != libGLdispatch.so.0 ]; then continue; fi
    place=$folder/lib
    if drivers_use "$name" || loads_drivers "$name"; then place=$folder/lib/after-system; fi
    cp -L "$file" "$place/$name"
    next="$next $(needed "$file")"
    files="$files $(readlink -f "$file")"
  done
  waiting=$next
done
for name in $gstreamer_plugins; do
  plugin=/usr/lib/$triplet/gstreamer-1.0/libgst$name.so
  if [ -f "$plugin" ]; then files="$files $plugin"; fi
done
if command -v dpkg-query >/dev/null; then
  # Directories such as /lib can be links to those below /usr, and packages have either path.
  # shellcheck disable=SC2046,SC2086  # lists of words
  owners=$(dpkg-query -S $files $(echo $files | sed 's,/usr/lib,/lib,g') 2>/dev/null || true)
  for file in $files; do
    package=$(echo "$owners" | awk -v file="$file" '
      $NF == file || "/usr" $NF == file { sub(/[:,].*/, "", $1); print $1; exit }')
    [ -n "$package" ] || fail "no package has $file, so its license is unknown"
    license_of "$package"
  done
  for package in $compiled_in; do license_of "$package"; done
  # Texts that these files refer to.
  cp -rL /usr/share/common-licenses "$folder/licenses/common-licenses"
else
  echo "make.sh: not a Debian system: add the licenses of the libraries in $folder/lib to $folder/licenses" >&2
fi

# The newest version of the C library that a file needs.
glibc=$(find "$folder/bin" "$folder/lib" -type f -exec readelf -V {} + | grep -oE 'GLIBC_[0-9.]+' | sed 's/GLIBC_//' |
  sort -uV | tail -n 1)
echo "$glibc" >"$folder/lib/glibc-version"

echo "== models and outputs of TensorFlow Lite" >&2
tree=$folder/files/source
mkdir -p "$tree/models/figure" "$tree/tests"
cp "$source"/models/figure/*.tflite "$tree/models/figure"
cp "$source"/models/figure/*.tflite "$folder/share/sightglass/models"
cp -r "$source/tests/golden" "$tree/tests/golden"
cp "$source/docs/benchmarks/peers.json" "$folder/share"
cp "$source/packaging/bundle/run.sh" "$folder/run"
cp "$source"/packaging/bundle/run/* "$folder/share/run"
# What trains the bundled model, and what compares it with other engines, need the modules that flatc generates.
mkdir "$folder/share/figure"
cp "$source"/models/figure/*.py "$source"/models/figure/*.sh "$folder/share/figure"
if [ -n "$objects" ]; then cp "$objects" "$folder/share/figure/objects.npz"; fi
flatc --python --gen-object-api --gen-onefile -o "$folder/share/run/schema" "$source"/gpu_engine/tflite/*.fbs
# Machines with PyTorch seldom have their runtime.
flatbuffers=$(/usr/bin/python3 -c 'import os, flatbuffers; print(os.path.dirname(flatbuffers.__file__))' 2>/dev/null || true)
if [ -n "$flatbuffers" ]; then
  mkdir "$folder/share/run/schema/flatbuffers"
  cp "$flatbuffers"/*.py "$folder/share/run/schema/flatbuffers"
  ! command -v dpkg-query >/dev/null || license_of python3-flatbuffers
else
  echo "the Python package flatbuffers is not installed: comparing and training need it on the other machine" >&2
fi
cp "$source/packaging/bundle/README.md" "$source/LICENSE" "$folder"
version=${SIGHTGLASS_BUNDLE_VERSION:-$(git -C "$source" describe --always --dirty --tags 2>/dev/null || echo unknown)}
echo "$version" >"$folder/share/version"

packed() { xz -T0 | wc -c; }
# The models that the elements are measured with, before all others.
first='selfie_segmenter_256|blazepose_(detection_224|landmark_lite)|face_(detection_short_range|landmark_468_f16)'
# The models with known outputs, and those that the tests of whole models name.
candidates() {
  every_candidate | while read -r model; do
    name=$(basename "$model" .tflite)
    if [ -z "$chosen" ]; then
      echo "$model"
    else
      case ",$chosen," in *",$name,"*) echo "$model" ;; esac
    fi
  done
}
every_candidate() {
  grep -o '"model":"[^"]*"' "$source/tests/golden/cases.json" | sort -u | sed 's,.*:",models/,; s,"$,.tflite,'
  for file in "$shared"/second/models/*.tflite; do
    name=$(basename "$file" .tflite)
    ! grep -qs "\"${name}[\".]" "$source"/tests/whole_models/*.cpp || echo "second/models/$name.tflite"
  done
}
# files_of MODEL: the model, its images, and its outputs, below ../shared.
files_of() {
  name=${1%.tflite}
  cd "$shared"
  case $name in
    models/*) ls "$1" golden/"${name#models/}"/*/*.png ;;
    *) ls "$1" "second/golden/$(basename "$name")".* second/media/mp_three_people.jpg ;;
  esac 2>/dev/null || true
}
# The bytes of all files of the folder, or of its archive.
size_of_bundle() {
  if $archive; then
    tar -c -C "$output" "$(basename "$folder")" | packed
  else
    find "$folder" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }'
  fi
}
too_large() {
  smaller=
  $archive || smaller='; an archive, without --folder, has less than half of that'
  fail "the bundle $1 has $bytes bytes, more than $limit$smaller"
}
if [ -d "$shared/models" ]; then
  bytes=$(size_of_bundle)
  echo "$bytes bytes without the models of ../shared" >&2
  [ "$bytes" -le "$limit" ] || too_large "without any model of ../shared"
  for name in $(echo "$chosen" | tr , ' '); do
    every_candidate | grep -q "/$name\.tflite\$" || fail "--models: ../shared has no model $name with known outputs"
  done
  candidates | while read -r model; do
    order=2
    if basename "$model" .tflite | grep -qE "$first"; then order=1; fi
    [ ! -e "$shared/$model" ] || echo "$order $(stat -L -c %s "$shared/$model") $model"
  done | sort -n -k 1 -k 2 | while read -r order size model; do
    files=$(files_of "$model")
    if $archive; then
      added=$(cd "$shared" && echo "$files" | xargs cat | packed)
    else
      added=$(cd "$shared" && echo "$files" | xargs stat -L -c %s | awk '{ sum += $1 } END { print sum }')
    fi
    if [ $((bytes + added)) -gt $((limit - 500000)) ]; then
      echo "left out: $model, $size bytes" >&2
      continue
    fi
    bytes=$((bytes + added))
    echo "$size $model" >&2
    mkdir -p "$folder/files/shared"
    (cd "$shared" && echo "$files" | xargs cp -L --parents -t "$folder/files/shared")
  done
else
  echo "no models in ../shared: only the bundled one, figure" >&2
fi
chmod -R u+w,a+rX "$folder"
chmod 755 "$folder/run"

if $archive; then
  echo "== archive" >&2
  rm -f "$folder.tar.xz"
  tar -c --owner=0 --group=0 --sort=name -C "$output" "$(basename "$folder")" | xz -T0 >"$folder.tar.xz"
  bytes=$(stat -c %s "$folder.tar.xz")
  echo "== $folder.tar.xz: $bytes bytes, for glibc $glibc or later" >&2
else
  bytes=$(size_of_bundle)
  echo "== $folder: $bytes bytes, for glibc $glibc or later" >&2
fi
[ "$bytes" -le "$limit" ] || too_large "with its models"
