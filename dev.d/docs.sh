# shellcheck shell=sh
#: docs                 build the documentation site, build/docs/site/, and check its links
need docs
docs/site.sh build/docs
say "written: build/docs/site/index.html"
