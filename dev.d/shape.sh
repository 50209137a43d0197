# shellcheck shell=sh
#: shape                print how the source tree is shaped, with limits: sizes of files, GL bindings, places that an operator
#:                      or an element touches
: "${python:?}"
need python
exec "$python" -B tests/repo/shape.py .
