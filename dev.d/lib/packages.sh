# shellcheck shell=sh
# Debian packages: dev.d/packages.txt lists them in groups.

# packages_of GROUP…: prints the packages of these groups.
packages_of() {
  awk -v wanted="$*" '
    /^#/ { next }
    /^[a-z]/ { group = $1; sub(/:$/, "", group); sub(/^[^ ]*/, "") }
    { members[group] = members[group] " " $0 }
    function print_group(name, words, count, i) {
      if (!(name in members)) {
        print "dev.d/packages.txt: no group " name >"/dev/stderr"
        exit 1
      }
      count = split(members[name], words, " ")
      for (i = 1; i <= count; ++i)
        if (words[i] ~ /^@/) print_group(substr(words[i], 2)); else { printf "%s%s", blank, words[i]; blank = " " }
    }
    END { groups = split(wanted, group_of, " "); for (g = 1; g <= groups; ++g) print_group(group_of[g]) }' dev.d/packages.txt
}

missing_of() {
  for package in "$@"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || printf '%s ' "$package"
  done
}

# as_root COMMAND [ARGUMENT…]
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo -E "$@"
  else
    fail "not root and no sudo; as root, run: $*"
  fi
}

# need GROUP…: installs the packages of these groups that are missing.
need() {
  words=$(packages_of "$@") || exit
  # shellcheck disable=SC2086  # a list of words
  need_packages $words
}

# need_packages PACKAGE…
need_packages() {
  [ "${SIGHTGLASS_NO_DEPS:-}" = 1 ] && return 0
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "not a Debian system: install the equivalents of these packages yourself: $*"
    return 0
  fi
  missing=$(missing_of "$@")
  [ -z "$missing" ] && return 0
  say "installing: $missing"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update </dev/null
  # shellcheck disable=SC2086  # a list of words
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends $missing </dev/null
}
