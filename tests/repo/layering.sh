#!/bin/sh
# Checks which files include which.   layering.sh SOURCE_DIR CXX
#   The table "Where things are" in CONTRIBUTING.md is the allow-list: a file includes its own directory, the directories
#   and libraries of its row, the standard library, and libc. Also, frame, graph, tflite, ref, rewrites, kernel, ops,
#   plan, and support include no GL header, not even indirectly.
set -eu
cd "$1"
cxx=$2
bad=0
. dev.d/lib/sources.sh
folders=$(folders_of product tests examples)

table=$(mktemp)
files=$(mktemp)
trap 'rm -f "$table" "$files"' EXIT
# One line per directory: the directory, then its allowed includes.
sed -n '/^## Where things are/,/^## /p' CONTRIBUTING.md |
  awk -F'|' '/^\| `/ { n = split($2, names, "`"); for (i = 2; i <= n; i += 2) { gsub(/[,`]/, " ", $4); print names[i], $4 } }' >"$table"
cpp_files >"$files"

# shellcheck disable=SC2086  # a list of folders
grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' -r --include='*.h' --include='*.cpp' $folders |
  awk -v table="$table" -v files="$files" '
    # If subdirectories have their own rows, a directory covers only its own files.
    function room_of(path, folder) {
      folder = path
      while (folder ~ /\//) {
        sub(/\/[^\/]*$/, "", folder)
        if (folder in allowed) return (folder in divided) && path != folder "/" name_of(path) ? "" : folder
      }
      return ""
    }
    function name_of(path) {
      sub(/.*\//, "", path)
      return path
    }
    function normal(path) {
      while (match(path, /[^\/]+\/\.\.\//)) path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
      return path
    }
    BEGIN {
      while ((getline line <table) > 0) {
        split(line, words, " ")
        allowed[words[1]] = line " "
        parent = words[1]
        if (sub(/\/[^\/]*$/, "", parent)) divided[parent] = 1
      }
      while ((getline line <files) > 0) exists[line] = 1
      roots = split("base/include gpu_engine gpu_engine/include capi capi/include introspection/include interop interop/include gst_plugin gst_plugin/include models io tools/sightglass " \
                    "tests", root, " ")
    }
    {
      file = $0; sub(/:.*/, "", file)
      header = $0; sub(/^[^<"]*[<"]/, "", header); sub(/[>"].*/, "", header)
      from = room_of(file)
      if (from == "") { print file ": its folder has no row in the table of CONTRIBUTING.md"; bad = 1; next }
      if (allowed[from] ~ / everything /) next
      if ($0 ~ /include[[:space:]]*</) {
        # Library headers are in their own directories, system headers in sys/, linux/, or none.
        if (header !~ /\// && header !~ /^(gbm|drm|drm_fourcc|xf86drm|glib.*|obs.*)\.h$/) next
        to = header; sub(/[\/.-].*/, "", to)
        if (to == "sys" || index(allowed[from], " <" to "> ")) next
        print file ": includes <" header ">, and the row of " from " does not allow <" to ">"
        bad = 1
        next
      }
      folder = file; sub(/\/[^\/]*$/, "", folder)
      path = normal(folder "/" header)
      for (i = 1; !(path in exists) && i <= roots; ++i) path = root[i] "/" header
      if (!(path in exists)) {
        if (header ~ /_generated\.h$/) next
        print file ": " header " is not found"
        bad = 1
        next
      }
      to = room_of(path)
      if (to == "" && path ~ /^tests\//) to = "tests"
      if (to == from || to == "base/include" || index(allowed[from], " " to " ")) next
      print file ": includes " path ", and the row of " from " does not allow " to
      bad = 1
    }
    END { exit bad }' || bad=1

# gl_headers_of FILE…: prints the GL headers that the files include, directly or not.
gl_headers_of() {
  printf '#include "%s"\n' "$@" |
    "$cxx" -std=c++20 -M -MG -I. -Ibase/include -Igpu_engine -Igpu_engine/include -x c++ - | tr -s ' ' '\n' |
    grep -E '(^|/)(GLES[23]|GL|EGL)/|sightglass/gl_api\.h' || true
}
for folder in frame graph tflite kernel ops plan support ref rewrites; do
  # All files at once take as long as two of them. Only to name the file, each is read by itself.
  [ -n "$(gl_headers_of "gpu_engine/$folder"/*.cpp)" ] || continue
  for file in "gpu_engine/$folder"/*.cpp; do
    gl=$(gl_headers_of "$file")
    [ -z "$gl" ] || printf '%s reaches GL: %s\n' "$file" "$(echo "$gl" | tr '\n' ' ')"
  done
  bad=1
done
[ "$bad" = 0 ] && echo "layering holds"
exit "$bad"
