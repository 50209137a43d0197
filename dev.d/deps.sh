# shellcheck shell=sh
#: deps                 install the packages for building, testing, and the demo (Debian 12 and 13)
need build
say "every package is installed"
