# shellcheck shell=sh
#: pictures             regenerate the images in docs/images; those of photographs only if ../shared has the photographs
need build picture
build_in build 'sightglass gstsightglass gstsightglasstest'
run_environment build
headless_environment
docs/images/layers.sh
docs/images/refine.sh
docs/images/persons.sh
docs/images/tutorial.sh
docs/images/sheets.sh
docs/images/desktop.sh
say "written: docs/images/layers.jpg, refine.jpg, tutorial.jpg, bins.jpg, window.png, progress.png, doctor.png and, if ../shared has photographs, persons.jpg, blur.jpg and the mode sheets"
