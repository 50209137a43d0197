#!/bin/sh
# Checks the commands of ./dev: their files, the help, and calls from other directories.   front_door.sh SOURCE_DIR
set -eu
source=$1
bad=0
complain() {
  echo "$*"
  bad=1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

lines=$(wc -l <"$source/dev")
[ "$lines" -le 150 ] || complain "dev has $lines lines: it only dispatches; write a file in dev.d/"

# Every file is a command of the help, and every command of the help has a file.
"$source/dev" help >"$work/help"
grep -oE '^  [a-z-]+' "$work/help" | tr -d ' ' | LC_ALL=C sort -u >"$work/listed"
(cd "$source/dev.d" && printf '%s\n' *.sh | sed 's/\.sh$//' | LC_ALL=C sort) >"$work/files"
diff "$work/files" "$work/listed" || complain "  ^ commands in dev.d/ (<) and in the help (>), whose order is in dev"

# As other people call it: from another directory, in a path with blanks, with little in the environment.
tree="$work/my code"
mkdir "$tree"
cp -r "$source/dev" "$source/dev.d" "$tree"
call() { (cd / && env -i PATH="$PATH" sh "$tree/dev" "$@"); }
call | diff "$work/help" - || complain "  ^ the help of ./dev without arguments, from another directory"
# refuses COMMAND TEXT: the command fails with status 1, and its last line is TEXT.
refuses() {
  status=0
  call "$1" >"$work/output" 2>"$work/errors" || status=$?
  last=$(tail -n 1 "$work/errors")
  if [ "$status" != 1 ] || [ "$last" != "$2" ] || [ -s "$work/output" ]; then
    complain "./dev $1: status $status, last line: $last; expected status 1 and: $2"
  fi
}
refuses nonsense './dev: unknown command: nonsense'
# Only files of commands are commands.
refuses lib/build './dev: unknown command: lib/build'
refuses packages.txt './dev: unknown command: packages.txt'

# Every group of packages that a command needs exists.
groups=$(cat "$source"/dev.d/*.sh "$source"/dev.d/lib/*.sh |
  sed -nE 's/^ *(if .*then )?need ([a-z -]+).*/\2/p; s/.*\(packages_of ([a-z-]+)\).*/\1/p')
[ -n "$groups" ] || complain "no command needs packages"
for group in $groups; do
  grep -q "^$group:" "$source/dev.d/packages.txt" || complain "dev.d/packages.txt: no group $group"
done
[ "$bad" = 0 ] && echo "./dev has $lines lines and $(wc -l <"$work/files") commands"
exit "$bad"
