# shellcheck shell=sh
# Lists of source files, for commands and for tests. The working directory is the root of the source tree.

# folders_of KIND…: prints the directories with C++ sources, from dev.d/folders.txt.
folders_of() { for kind in "$@"; do sed -n "s/^$kind: //p" dev.d/folders.txt; done; }

# shellcheck disable=SC2046  # a list of words
cpp_files() { find $(folders_of product tests examples) -name '*.h' -o -name '*.cpp'; }

# Prints a regular expression for the files in the directories with C++ sources.
folders_regex() { printf '%s/(%s)/.*' "$(pwd)" "$(folders_of product tests examples | tr ' ' '\n' | paste -s -d '|' -)"; }

scripts() { printf '%s\n' dev .ci/run && find . \( -path './build*' -o -path ./.git \) -prune -o -name '*.sh' -print; }
