#!/bin/sh
# Runs a command with a preloaded library, before those that LD_PRELOAD names.   preload.sh LIBRARY COMMAND [ARGUMENT…]
# The loader splits LD_PRELOAD at blanks and colons, so such paths get a link without them.
set -eu
library=$1
shift
case $library in
  *[\ :]*)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    ln -s "$library" "$folder/"
    library=$folder/${library##*/}
    ;;
esac
LD_PRELOAD="$library${LD_PRELOAD:+ $LD_PRELOAD}" "$@"
