#!/bin/sh
# Compiles every C header by itself, in C11 and in C++20.   headers.sh CC CXX INCLUDE_DIR…
set -eu
cc=$1
cxx=$2
shift 2
names=$(find "$@" -path '*/sightglass/*.h' -exec basename {} \;)
# The directories become options of the compilers.
for folder in "$@"; do
  shift
  set -- "$@" "-I$folder"
done
count=0
for name in $names; do
  source="#include <sightglass/$name>
typedef int not_empty;"
  echo "$source" | "$cc" -x c -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only "$@" -
  echo "$source" | "$cxx" -x c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only "$@" -
  count=$((count + 1))
done
[ "$count" -ge 2 ] || { echo "found $count headers" && exit 1; }
echo "$count headers"
