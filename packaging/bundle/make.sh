#!/bin/sh
# Makes a directory that runs tests and benchmarks on machines without the source tree, its libraries, or a compiler.
#   make.sh BUILD_DIR OUTPUT_DIR [--figure] [--folder]
# Writes OUTPUT_DIR/sightglass-bundle-ARCH/ and the same as .tar.xz. ARCH is that of the programs in BUILD_DIR.
#   --figure   only the bundled model, even if ../shared has others
#   --folder   no archive
# make.sh --targets prints the targets that BUILD_DIR needs. SIGHTGLASS_BUNDLE_VERSION names the version of a tree without
# .git.
set -eu
programs='tools/sightglass/sightglass bench/bench_report bench/operator_bench tests/whole_models/models_test
  tests/gl/gl_test tests/ops/ops_test tests/plan/plan_test tests/graph/graph_test tests/ref/ref_test
  tests/rewrites/rewrites_test tests/shaders/shader_syntax_test tests/interop/interop_test'
if [ "$1" = --targets ]; then
  for program in $programs; do basename "$program"; done
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
for option in "$@"; do
  case $option in
    --figure) shared=/nonexistent ;;
    --folder) archive=false ;;
    *) echo "make.sh: unknown option $option" >&2 && exit 2 ;;
  esac
done

limit=60000000 # bytes of the archive

fail() {
  echo "make.sh: $*" >&2
  exit 1
}

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
mkdir -p "$folder/bin" "$folder/lib/after-system" "$folder/licenses" "$folder/share/sightglass/models"

echo "== programs" >&2
for program in $programs; do
  [ -x "$build/$program" ] || fail "$build/$program is missing; run ./dev build"
  "${prefix}strip" --strip-unneeded -o "$folder/bin/$(basename "$program")" "$build/$program"
done

echo "== libraries" >&2
# Libraries of the C library and of GL drivers come with the machine.
comes_with_the_machine() {
  case $1 in
    ld-linux* | libc.so.* | libm.so.* | libmvec.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libresolv.so.* | \
      libutil.so.* | libanl.so.* | libnsl.so.* | libnss_* | libEGL.so.* | libGL.so.* | libGLES* | libGLX* | \
      libGLdispatch.so.* | libOpenGL.so.* | libglapi.so.*) return 0 ;;
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
waiting=$(for program in "$folder"/bin/*; do needed "$program"; done | sort -u)
seen=' '
files=
while [ -n "$waiting" ]; do
  next=
  for name in $waiting; do
    case $seen in *" $name "*) continue ;; esac
    seen="$seen$name "
    comes_with_the_machine "$name" && continue
    file=$(library "$name")
    place=$folder/lib
    if drivers_use "$name"; then place=$folder/lib/after-system; fi
    cp -L "$file" "$place/$name"
    next="$next $(needed "$file")"
    files="$files $(readlink -f "$file")"
  done
  waiting=$next
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
cp "$source/packaging/bundle/README.md" "$source/LICENSE" "$folder"
version=${SIGHTGLASS_BUNDLE_VERSION:-$(git -C "$source" describe --always --dirty --tags 2>/dev/null || echo unknown)}
echo "$version" >"$folder/share/version"

packed() { xz -T0 | wc -c; }
# The models with known outputs, and those that the tests of whole models name.
candidates() {
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
if [ -d "$shared/models" ]; then
  bytes=0
  if $archive; then bytes=$(tar -c -C "$output" "$(basename "$folder")" | packed); fi
  candidates | while read -r model; do
    [ ! -e "$shared/$model" ] || echo "$(stat -L -c %s "$shared/$model") $model"
  done | sort -n | while read -r size model; do
    files=$(files_of "$model")
    if $archive; then bytes=$((bytes + $(cd "$shared" && echo "$files" | xargs cat | packed))); fi
    if [ "$bytes" -gt $((limit - 500000)) ]; then
      echo "left out: $model, $size bytes" >&2
      continue
    fi
    echo "$size $model" >&2
    mkdir -p "$folder/files/shared"
    (cd "$shared" && echo "$files" | xargs cp -L --parents -t "$folder/files/shared")
  done
else
  echo "no models in ../shared: only the bundled one, figure" >&2
fi
chmod -R u+w "$folder"
chmod 755 "$folder/run"

if $archive; then
  echo "== archive" >&2
  rm -f "$folder.tar.xz"
  tar -c --owner=0 --group=0 --sort=name -C "$output" "$(basename "$folder")" | xz -T0 >"$folder.tar.xz"
  bytes=$(stat -c %s "$folder.tar.xz")
  echo "== $folder.tar.xz: $bytes bytes, for glibc $glibc or later" >&2
  [ "$bytes" -le $limit ] || fail "the archive exceeds $limit bytes"
fi
