# shellcheck shell=sh
#: operators            regenerate docs/operators.md from the tables of the engine
need build
build_in build sightglass
build/tools/sightglass/sightglass operators --markdown >build/operators.md
mv build/operators.md docs/operators.md
say "written: docs/operators.md"
