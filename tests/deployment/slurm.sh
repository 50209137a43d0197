#!/bin/sh
# Runs packaging/slurm-array.sh on a Slurm cluster of this machine, kills one task, and checks that its shard is queued
# again, that nothing is missing, and that nothing is done twice.   slurm.sh SOURCE BUILD
set -eu
source=$1
build=$2
for program in slurmctld slurmd sbatch munged; do
  command -v "$program" >/dev/null || {
    printf 'slurm.sh: Skipped\n%s is not installed: ./dev deployment-test installs it\n[  SKIPPED ] deployment.slurm (0 ms)\n' "$program"
    exit 77
  }
done
folder=$(mktemp -d)
cluster=$source/tests/deployment/slurm_cluster.sh
# shellcheck disable=SC2317  # the trap calls it
finish() {
  sh "$cluster" "$folder/cluster" stop
  rm -rf "$folder"
}
trap finish EXIT
sh "$cluster" "$folder/cluster" start
export SLURM_CONF="$folder/cluster/slurm.conf"
export GST_PLUGIN_PATH="$build/gst_plugin" SIGHTGLASS="$build/tools/sightglass/sightglass"

mkdir "$folder/in"
clip() {
  gst-launch-1.0 -q videotestsrc num-buffers="$2" ! video/x-raw,format=I420,width=64,height=48 ! jpegenc ! matroskamux ! \
    filesink location="$folder/in/$1.mkv"
}
# The first file, of shard 0, is long enough to be interrupted.
clip a 60
for name in b c d e f; do clip $name 3; done

cd "$folder"
sbatch --array=0-2 --output="$folder/task-%a.log" "$source/packaging/slurm-array.sh" "$folder/in" "$folder/out" \
  --refine none --blur-strength 2
tries=0
until [ -n "$(find out -name '*a.mkv.mp4.part*' 2>/dev/null)" ]; do
  tries=$((tries + 1))
  [ $tries -lt 1200 ] || { echo "the first task does not start" && cat task-*.log && exit 1; }
  sleep 0.1
done
sleep 0.5
pkill -KILL -f "sightglass batch $folder/in .*--shard 0/3"

tries=0
while [ -n "$(squeue -h)" ]; do
  tries=$((tries + 1))
  [ $tries -lt 300 ] || { squeue && cat task-*.log && exit 1; }
  sleep 1
done
cat task-*.log
bad=0
check() {
  echo "$1: $2"
  [ "$2" = "$3" ] || { echo "  expected $3" && bad=1; }
}
check 'tasks queued again' "$(cat task-*.log | grep -c 'queued again')" 1
check 'results' "$(find out -name '*.mp4' | wc -l)" 6
check 'incomplete results' "$(find out -name '*.part' | wc -l)" 0
check 'files done' "$(cat out/manifest-*.jsonl | grep -c '"status":"done"')" 6
check 'files done twice' "$(cat out/manifest-*.jsonl | grep -o '"input":"[^"]*"' | sort | uniq -d | wc -l)" 0
check 'files failed' "$(cat out/manifest-*.jsonl | grep -c '"status":"failed"')" 0
exit "$bad"
