# shellcheck shell=sh
#: format               format all C++ with clang-format
need lint
cpp_files | xargs clang-format -i
say "formatted"
