# shellcheck shell=sh
#: train [OPTION]       train the bundled model on frames of glfiguresrc, in build-model/; run it again to resume;
#:                      `./dev train --help` lists the options
: "${python:?}" "${model_scripts:?}" "${model_folder:?}" "${model_renderer:?}"
need training
model_environment sightglass-render-figures
say "rendering frames into $model_folder/data/"
"$model_scripts/render.sh" "$model_renderer" "$model_folder" train
[ -f "$model_folder/data/objects.npz" ] || "$python" "$model_scripts/objects.py" --output "$model_folder/data/objects.npz"
# PyTorch frees and allocates large blocks in each step. If the C library returns them to the system, page faults take
# three quarters of the time.
export MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=100000000000 MALLOC_TOP_PAD_=200000000
exec "$python" -u "$model_scripts/train.py" --folder "$model_folder" "$@"
