# shellcheck shell=sh
#: compare [MODEL…]     run models on LiteRT, which npm installs to build/compare/, and on the engine, with the same
#:                      inputs: prints errors, verdicts by the criteria of docs/models.md, and times; without MODEL, the
#:                      models that `./dev test-models` has downloaded, and those in ../shared
: "${root:?}" "${start:?}"
need build
{ command -v node && command -v npm; } >/dev/null || need node
build_in build sightglass
run_environment build
tests/compare/install.sh build/compare
if [ $# -eq 0 ]; then
  find -H build/test-models ../shared -name '*.tflite' 2>/dev/null | LC_ALL=C sort >build/compare/models.txt
  [ -s build/compare/models.txt ] || fail "no models: name some, or run ./dev test-models"
  while read -r model; do set -- "$@" "$model"; done <build/compare/models.txt
else
  # Relative to the directory in which the command was started.
  for model in "$@"; do
    shift
    case $model in /*) ;; *) model=$start/$model ;; esac
    set -- "$@" "$model"
  done
fi
exec node tests/compare/compare.mjs build/tools/sightglass/sightglass build/compare build/compare "$@"
