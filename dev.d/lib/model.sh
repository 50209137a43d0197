# shellcheck shell=sh
# The scripts of the bundled model, and the programs that they start.
: "${root:?}"
# shellcheck disable=SC2034  # for commands
model_scripts=models/figure model_folder=${SIGHTGLASS_MODEL_FOLDER:-build-model} \
  model_command=build/tools/sightglass/sightglass model_renderer=build/models/figure/sightglass-render-figures

# model_environment TARGETS: builds TARGETS, and sets up the scripts.
model_environment() {
  need build model
  build_in build "$1"
  run_environment build
  headless_environment
  schema=$root/gpu_engine/tflite
  flatc --python --gen-object-api --gen-onefile -o build-model/schema "$schema/schema.fbs" "$schema/metadata.fbs"
  export PYTHONPATH="$root/build-model/schema" PYTHONDONTWRITEBYTECODE=1
}
