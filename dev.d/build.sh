# shellcheck shell=sh
#: build                configure and build into build/
need build
build_in build all "$@"
say "built: the plugins are in build/gst_plugin/, the command-line tool is build/tools/sightglass/sightglass"
