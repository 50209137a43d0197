# shellcheck shell=sh
#: properties           regenerate the property tables in docs/elements from the elements
need build
build_in build 'gstsightglass property_tables'
run_environment build
for page in docs/elements/*.md; do
  build/tools/property_tables/property_tables "$page" >build/page.md
  mv build/page.md "$page"
done
say "written: the property tables of docs/elements"
