# shellcheck shell=sh
#: export-model [OPTION]
#:                      write the trained model to models/figure/figure.tflite; --check tests the exporter instead
: "${python:?}" "${model_scripts:?}" "${model_folder:?}" "${model_command:?}"
model_environment sightglass
[ "${1:-}" = --check ] && exec "$python" "$model_scripts/check_export.py" --command "$model_command"
exec "$python" "$model_scripts/export_tflite.py" --folder "$model_folder" "$@"
