#!/bin/sh
# Checks the tree as a whole.   hygiene.sh SOURCE_DIR
set -eu
cd "$1"
bad=0
complain() {
  echo "$*"
  bad=1
}
. dev.d/lib/sources.sh

# Formatting, linting, and the tests of the tree read every directory with C++.
in_tree=$(find . \( -path './build*' -o -path './obj-*' -o -path './.*' \) -prune -o \( -name '*.h' -o -name '*.cpp' \) -print |
  cut -d / -f 2 | LC_ALL=C sort -u)
listed=$(folders_of product tests examples | tr ' ' '\n' | LC_ALL=C sort)
[ "$in_tree" = "$listed" ] || complain "dev.d/folders.txt lists:
$listed
and these directories have C++:
$in_tree"

# A file with one job is short. Above the soft limit, a file is listed. Above the hard limit, the test fails.
# longer_than LINES ENDINGS: prints the files with such endings (a regular expression) that have more lines.
longer_than() {
  { cpp_files && find shaders -type f; } | grep -E "\.($2)\$" | LC_ALL=C sort | xargs awk -v most="$1" '
    function check() { if (lines > most) print lines, file }
    FNR == 1 { check(); file = FILENAME }
    { lines = FNR }
    END { check() }'
}
longer_than 500 'h|cpp' | while read -r lines file; do echo "note: $file has $lines lines; is it still one job?"; done
too_long=$(longer_than 800 'h|cpp' && longer_than 250 'comp|frag|vert|glsl')
[ -z "$too_long" ] || complain "$too_long: more lines than the limit, 800 or, for shaders, 250"

# No paths of the machine that a file was written on.
here=hygiene.sh
if grep -rnIE '(^|[^A-Za-z0-9_.$}"])/(home|root|work|Users)/' --exclude-dir='build*' --exclude-dir=.git --exclude=.git \
  --exclude="$here" .; then
  complain "  ^ paths of one machine"
fi
# Unfinished work is listed in docs/limits.md, not left in the sources.
if grep -rnIwE 'TODO|FIXME|XXX|HACK' --include='*.h' --include='*.cpp' --include='*.comp' --include='*.frag' \
  --include='*.vert' --include='*.glsl' --include='*.cmake' --include='*.sh' --exclude="$here" \
  --exclude-dir='build*' .; then
  complain "  ^ unfinished work"
fi
# Both plugins link this code. A process registers each type only once, so code must look up a type before registering it.
registering=$(grep -rlE 'G_DEFINE_|g_[a-z]+_register_static|gst_meta_[a-z_]*register' gst_plugin/gobject gst_plugin/gl)
for file in $registering; do
  grep -q g_type_from_name "$file" || complain "$file: types in code that both plugins link"
done
# Every script has an interpreter line and is executable. `./dev` reads those of dev.d/ itself.
for file in debian/rules $(scripts | grep -v '^\./dev\.d/'); do
  [ -x "$file" ] || complain "$file has no run bit"
  case $(head -n 1 "$file") in '#!/'*) ;; *) complain "$file has no interpreter line" ;; esac
done
# Relative links in the documentation lead to files. Our file names have no spaces.
for file in $(docs/pages.sh); do
  # shellcheck disable=SC2016
  links=$(sed '/^```/,/^```/d' "$file" | grep -oE '\]\([^)#][^)]*\)' | sed 's/^](//; s/)$//; s/#.*//' | grep -vE '^[a-z]+:' || true)
  for link in $links; do
    [ -e "$(dirname "$file")/$link" ] || complain "$file: no file at the link $link"
  done
done
[ "$bad" = 0 ] && echo "the tree is clean"
exit "$bad"
