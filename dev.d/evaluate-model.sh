# shellcheck shell=sh
#: evaluate-model [OPTION]
#:                      measure the trained model on figures that training never used
: "${python:?}" "${model_scripts:?}" "${model_folder:?}" "${model_renderer:?}" "${model_command:?}"
model_environment 'gstsightglass sightglass sightglass-render-figures'
"$model_scripts/render.sh" "$model_renderer" "$model_folder" eval
exec "$python" -u "$model_scripts/evaluate.py" --folder "$model_folder" --command "$model_command" "$@"
