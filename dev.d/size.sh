# shellcheck shell=sh
#: size                 build examples/engine_only.cpp with the preset `small` in build-small/, and measure it
need build
build_in build-small engine_only --preset small
ctest --test-dir build-small --verbose -R '^repo\.size$'
