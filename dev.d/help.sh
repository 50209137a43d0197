# shellcheck shell=sh
#: help                 print this text
usage
