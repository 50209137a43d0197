#!/bin/sh
# Runs the command lines in the documentation as tests.
#   line.sh list SOURCE                      names every line, without those that run like an earlier one; fails if a block
#                                            has no language
#   line.sh table SOURCE                     fails if in_tests.txt has an unused row
#   line.sh run NAME SOURCE BUILD MEDIA      runs a line in a separate directory, with the files of media.sh. BUILD can be
#                                            "installed": lines about builds are skipped
set -eu
here=$(cd "$(dirname "$0")" && pwd)

lines() { docs/pages.sh | xargs awk -f "$here/lines.awk"; }

# Prints the rows of the table that skip, or those that replace, as sed commands.
script_of() {
  awk -F ' => ' -v kind="$1" '
    /^#/ { next }
    $2 == "SKIP" { if (kind == "skip") printf "s\001.*(%s).*\001%s\001p\n", $1, $3; next }
    kind == "replace" { printf "s\001%s\001%s\001g\n", $1, $2 == "NOTHING" ? "" : $2 }' "$here/in_tests.txt"
}

skip_reason() { printf '%s\n' "$1" | sed -nE "$(script_of skip)" | head -n 1; }
in_tests() { printf '%s\n' "$1" | sed -E "$(script_of replace)"; }

case $1 in
  list)
    cd "$2"
    result=0
    all=$(lines) || result=1
    # Lines without their names, as they run: `^` in a row of the table is the start of the line.
    printf '%s\n' "$all" | cut -f 3 | sed -E "$(script_of replace)" | awk '!known[$0]++ { print NR }' |
      awk -F '\t' 'NR == FNR { chosen[$1]; next } FNR in chosen { print $1 }' - /dev/fd/3 3<<EOF
$all
EOF
    exit "$result"
    ;;
  table)
    cd "$2"
    text=$(lines | cut -f 3)
    unneeded=$({ script_of skip && script_of replace; } | while read -r row; do
      changed=$(printf '%s\n' "$text" | sed -E "$row")
      [ "$changed" != "$text" ] || printf '%s\n' "$row" | tr '\001' ' '
      # Rows that skip print their lines twice. Later rows see the results of rows that replace.
      case $row in *g) text=$changed ;; esac
    done)
    [ -z "$unneeded" ] || { echo "unused rows of in_tests.txt:" && echo "$unneeded" && exit 1; }
    ;;
  run)
    name=$2 source=$3 build=$4 media=$5
    cd "$source"
    line=$(lines | awk -F '\t' -v name="$name" '$1 == name')
    place=$(printf '%s' "$line" | cut -f 2)
    command=$(printf '%s' "$line" | cut -f 3)
    [ -n "$command" ] || { echo "$name: command line not found" && exit 1; }
    echo "$place: $command"
    reason=$(skip_reason "$command")
    case $build:$command in installed:./dev* | installed:*\$PWD/build*) reason='about a build of the source tree' ;; esac
    if [ -n "$reason" ]; then
      printf '%s: Skipped\n%s\n[  SKIPPED ] %s (0 ms)\n' "$name" "$reason" "$name"
      exit 0
    fi
    command=$(in_tests "$command")
    echo "run as: $command"
    # The directory looks like a built checkout with the files of a user in it.
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    ln -s "$source"/* "$media"/* "$folder"
    rm -f "$folder"/build*
    [ "$build" = installed ] || ln -s "$build" "$folder/build"
    titles=$(sed -nE 's/^```.* title="([^"]+)".*/\1/p' "${place%:*}")
    for title in $titles; do
      awk -v extract="$title" -f "$here/lines.awk" "${place%:*}" >"$folder/$title"
    done
    cd "$folder"
    export XDG_DATA_HOME="$folder/data"
    [ "$build" = installed ] || export PATH="$build/tools/sightglass:$PATH" GST_PLUGIN_PATH="$build/gst_plugin"
    timeout 100 bash -euo pipefail -c "$command"
    ;;
esac
