#!/bin/sh
# The C++ blocks of docs/embedding.md compile. A block that begins with an include begins a file; one that does not is
# statements in the file before, for which `options` are PlanOptions.   cpp.sh SOURCE_DIR CXX
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
