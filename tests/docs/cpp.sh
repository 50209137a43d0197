#!/bin/sh
# Compiles the C++ blocks of docs/embedding.md.   cpp.sh SOURCE_DIR CXX
#   A block that starts with an include starts a file. Other blocks are statements that continue the previous file; they
#   can use `options`, a PlanOptions.
set -eu
cd "$1"
cxx=$2
page=docs/embedding.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v page="$page" -v work="$work" '
  /^```cpp$/ { inside = first = 1; next }
  inside && /^```$/ { if (statements) print "}" >file; inside = 0; next }
  !inside { next }
  first {
    first = 0
    statements = !/^#include/
    if (!statements) file = work "/" NR ".cpp"
    if (statements) printf "#include <cstdio>\nvoid statements_%d(PlanOptions& options) {\n", NR >file
    printf "#line %d \"%s\"\n", NR, page >file
  }
  { print >file }' "$page"

for file in "$work"/*.cpp; do
  "$cxx" -std=c++20 -Wall -Wextra -Werror -Wno-unused-parameter -fsyntax-only -Igpu_engine/include -Iinterop/include "$file"
done
echo "the C++ of $page compiles"
