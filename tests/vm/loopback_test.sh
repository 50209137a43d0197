#!/bin/sh
# Checks that v4l2loopback compiles for kernels whose headers declare strlcpy and strscpy, and for those without strlcpy,
# with minimal headers and a make script of this test.   loopback_test.sh KERNEL_SH
set -eu
kernel_sh=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/make" <<'MAKE'
#!/bin/sh
# make -s -C HEADERS M=MODULE [VARIABLE=VALUE…] modules
headers=$3 KCFLAGS=
for word in "$@"; do
  case $word in
    M=*) module=${word#M=} ;;
    KCFLAGS=*) KCFLAGS=${word#KCFLAGS=} ;;
  esac
done
# shellcheck disable=SC2086  # a list of words
exec cc -Werror $KCFLAGS -include "$headers/string.h" -c "$module/v4l2loopback.c" -o "$module/v4l2loopback.ko"
MAKE
chmod +x "$work/bin/make"

# try RELEASE DECLARATIONS
try() {
  headers=$work/$1/usr/src/linux-headers-$1
  source=$work/$1/usr/src/v4l2loopback-0.1
  mkdir -p "$headers" "$source"
  printf '%s\n' '#include <stddef.h>' "$2" >"$headers/string.h"
  printf '%s\n' '#include "v4l2loopback.h"' 'void name(char *to) { strlcpy(to, NAME, 8); }' >"$source/v4l2loopback.c"
  echo '#define NAME "name"' >"$source/v4l2loopback.h"
  PATH=$work/bin:$PATH "$kernel_sh" loopback "$1" "$work/$1"
  [ -f "$work/$1/lib/modules/$1/extra/v4l2loopback.ko" ]
  echo "compiled for $1"
}
try 6.1 'size_t strlcpy(char *, const char *, size_t); long strscpy(char *, const char *, size_t);'
try 6.12 'long strscpy(char *, const char *, size_t);'
