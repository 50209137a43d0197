#!/bin/sh
# compare_test.sh SIGHTGLASS FOLDER MODEL: the bundled model must give what LiteRT gives, and a wrong result must be found.
set -eu
here=$(dirname "$0")
folder=$2
[ "${SIGHTGLASS_NO_DEPS:-}" != 1 ] || [ -d "$folder/node_modules" ] || {
  echo "skipped: LiteRT is not installed: ./dev compare installs it"
  exit 77
}
said=$("$here/install.sh" "$folder") || {
  echo "skipped: $said"
  exit 77
}
node "$here/compare.mjs" "$1" "$folder" "$folder/test" --runs 2 "$3"

# A stand-in that runs the model, and then damages its output.
stand_in=$folder/test/damaging.sh
cat >"$stand_in" <<'SCRIPT'
#!/bin/sh
"$SIGHTGLASS" "$@" || exit
while [ "$1" != --output-prefix ]; do shift; done
head -c 4000 /dev/zero | dd of="$2.out0.raw" conv=notrunc status=none
SCRIPT
chmod +x "$stand_in"
if SIGHTGLASS=$1 node "$here/compare.mjs" "$stand_in" "$folder" "$folder/test" --runs 2 "$3"; then
  echo "a damaged output was not found"
  exit 1
fi
