#!/bin/sh
# Compiles every C header by itself, in C11 and in C++20.   headers.sh CC CXX INCLUDE_DIR…
set -eu
cc=$1
cxx=$2
shift 2
flags=
for folder in "$@"; do flags="$flags -I$folder"; done
count=0
for folder in "$@"; do
  for header in "$folder"/sightglass/*.h; do
    source="#include <sightglass/$(basename "$header")>
typedef int not_empty;"
    # shellcheck disable=SC2086  # a list of flags
    {
      echo "$source" | "$cc" -x c -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only $flags -
      echo "$source" | "$cxx" -x c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only $flags -
    }
    count=$((count + 1))
  done
done
[ "$count" -ge 2 ] || { echo "found $count headers" && exit 1; }
echo "$count headers"
