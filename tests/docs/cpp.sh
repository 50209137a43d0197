#!/bin/sh
# Compiles the C and C++ blocks of docs/embedding.md.   cpp.sh SOURCE_DIR CC CXX C_INCLUDE_DIR
#   A block that starts with an include starts a file. Other blocks are statements that continue the previous file; they
#   can use `options`, a PlanOptions.
set -eu
cd "$1"
cc=$2
cxx=$3
c_headers=$4
page=docs/embedding.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v page="$page" -v work="$work" '
  /^```cpp$/ { inside = first = 1; next }
  /^```c$/ {
    inside = 1
    file = work "/" NR ".c"
    printf "#include <stdio.h>\n#line %d \"%s\"\n", NR + 1, page >file
    next
  }
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
  "$cxx" -std=c++20 -Wall -Wextra -Werror -Wno-unused-parameter -fsyntax-only -Ibase/include -Igpu_engine/include -Iinterop/include "$file"
done
for file in "$work"/*.c; do
  "$cc" -std=c11 -Wall -Wextra -Werror -fsyntax-only -Icapi/include "-I$c_headers" "$file"
done
echo "the C and C++ of $page compile"
