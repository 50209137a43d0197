#!/bin/sh
# A Slurm cluster of one node on loopback, in a directory, for the current user.   cluster.sh DIRECTORY start|stop
#   After start: export SLURM_CONF=DIRECTORY/slurm.conf
set -eu
folder=$1
port=${SLURM_TEST_PORT:-16817}
case $2 in
  start)
    mkdir -p "$folder/state" "$folder/spool"
    chmod 700 "$folder" "$folder/state"
    dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 2>/dev/null
    chmod 600 "$folder/munge.key"
    munged --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munge.pid" \
      --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" --force
    host=$(hostname -s)
    cat >"$folder/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0,requeue_delay=0
MinJobAge=3600
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF="$folder/slurm.conf"
    slurmctld -c
    slurmd
    tries=0
    until sinfo -h -o %t 2>/dev/null | grep -qE 'idle|mix|alloc'; do
      tries=$((tries + 1))
      [ $tries -lt 100 ] || { sinfo; tail -n 20 "$folder/slurmctld.log" "$folder/slurmd.log"; exit 1; }
      sleep 0.3
    done
    ;;
  stop)
    # They write to the directory until they have ended.
    for program in slurmd slurmctld munge; do
      process=$(cat "$folder/$program.pid" 2>/dev/null) || continue
      tries=0
      while kill "$process" 2>/dev/null && [ $tries -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.3
      done
    done
    ;;
esac
