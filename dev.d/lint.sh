# shellcheck shell=sh
#: lint [--fast|--since COMMIT]
#:                      check formatting, C++ with clang-tidy, and scripts with shellcheck; --fast: without clang-tidy;
#:                      --since: with clang-tidy only for the sources that differ from COMMIT
: "${root:?}"
since=
case ${1:-} in
  '' | --fast) [ $# -le 1 ] || fail "lint --fast takes no more arguments" ;;
  --since)
    [ $# = 2 ] || fail "lint --since requires one COMMIT"
    since=$2
    ;;
  *) fail "lint takes only --fast or --since COMMIT" ;;
esac
need lint
# Other versions format differently.
if clang-format --version | grep -q 'version 14\.'; then
  say "clang-format"
  cpp_files | xargs clang-format --dry-run --Werror
else
  say "formatting was not checked: it follows clang-format 14, and this is $(clang-format --version)"
fi
say "shellcheck"
scripts | xargs shellcheck
if [ "${1:-}" != --fast ]; then
  if [ -n "$since" ]; then
    changed=$(git -c safe.directory='*' diff --name-only --diff-filter=d "$since") || fail "no commit $since"
    set --
    for file in $changed; do
      case $file in *.cpp) set -- "$@" "$root/$file\$" ;; esac
    done
  else
    set -- "$(folders_regex)"
  fi
  say "clang-tidy"
  if [ $# = 0 ]; then
    say "no source differs from $since"
  else
    need build
    # A configuration for clang-tidy, which cannot read headers precompiled by GCC. Only generated sources are built.
    build_in build-lint 'sightglass_tflite_schema sightglass_embed_shaders' -DSIGHTGLASS_PRECOMPILE=OFF -DCMAKE_UNITY_BUILD=OFF
    run-clang-tidy -quiet -p build-lint -header-filter="$(folders_regex)" "$@" 2>/dev/null
  fi
fi
say "clean"
