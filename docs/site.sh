#!/bin/sh
# Builds the documentation site with MkDocs, and checks its links.   site.sh FOLDER: writes FOLDER/site/
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder/pages"
folder=$(cd "$folder" && pwd)
cd "$root"
cp docs/mkdocs.yml "$folder"
stage() { mkdir -p "$folder/pages/$(dirname "$1")" && cp "$1" "$folder/pages/$1"; }
stage docs/site.css
bad=0
for page in $(docs/pages.sh); do
  stage "$page"
  grep -qE "(: |- )$page\$" docs/mkdocs.yml || { echo "docs/mkdocs.yml: $page is missing from the navigation" && bad=1; }
  # Images, and the few source files that pages link to.
  # shellcheck disable=SC2016
  links=$(sed '/^```/,/^```/d' "$page" | grep -oE '\]\([^)#]+' | sed 's/^](//' | grep -vE '^[a-z]+:|\.md$' || true)
  for link in $links; do
    stage "$(realpath --relative-to=. "$(dirname "$page")/$link")"
  done
done
[ "$bad" = 0 ] || exit 1
mkdocs --quiet build --config-file "$folder/mkdocs.yml"
python3 docs/check_site.py "$folder/site"
