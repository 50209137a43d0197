#!/bin/sh
# Copies a bundle for another processor to a directory where its programs run under qemu-user.
#   emulate.sh BUNDLE_DIR EMULATOR OUTPUT_DIR
# EMULATOR is qemu-aarch64 or qemu-x86_64.
set -eu
bundle=$1
emulator=$2
output=$3
triplet=${emulator#qemu-}-linux-gnu
rm -rf "$output"
cp -r "$bundle" "$output"
mkdir "$output/bin/emulated"
for program in "$output"/bin/*; do
  [ -f "$program" ] || continue
  mv "$program" "$output/bin/emulated/"
  # ./run lists the library directories of this machine's processor.
  cat >"$program" <<SCRIPT
#!/bin/sh
LD_LIBRARY_PATH=\$(echo "\$LD_LIBRARY_PATH" | sed "s,/$(uname -m)-linux-gnu,/$triplet,g")
export LD_LIBRARY_PATH
exec $emulator "\$(dirname "\$0")/emulated/\$(basename "\$0")" "\$@"
SCRIPT
  chmod 755 "$program"
done
