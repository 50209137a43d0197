# shellcheck shell=sh
#: lint                 check formatting, C++ with clang-tidy, and scripts with shellcheck
need build lint
# A configuration for clang-tidy, which cannot read headers precompiled by GCC. Only generated sources are built.
build_in build-lint 'sightglass_tflite_schema sightglass_embed_shaders' -DSIGHTGLASS_PRECOMPILE=OFF -DCMAKE_UNITY_BUILD=OFF
say "clang-format"
cpp_files | xargs clang-format --dry-run --Werror
say "shellcheck"
scripts | xargs shellcheck
say "clang-tidy"
run-clang-tidy -quiet -p build-lint -header-filter="$(folders_regex)" "$(folders_regex)" 2>/dev/null
say "clean"
