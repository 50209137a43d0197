#!/bin/sh
#SBATCH --job-name=sightglass
#SBATCH --array=0-7
#SBATCH --requeue
#SBATCH --open-mode=append
# Processes a directory of videos as an array job of Slurm: each task processes one shard.
#   sbatch [--array=0-N] slurm-array.sh INPUT_DIRECTORY OUTPUT_DIRECTORY [OPTION of sightglass batch]
# On machines with GPUs, add --gres=gpu:1: one process per GPU. A task that fails or is killed is queued again up to three
# times, and continues where it stopped.
input=$1
output=$2
shift 2
"${SIGHTGLASS:-sightglass}" batch "$input" --output "$output" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" "$@"
status=$?
# Wrong usage fails in the same way again.
if [ "$status" -ne 0 ] && [ "$status" -ne 2 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
  echo "status $status: queued again"
  scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
