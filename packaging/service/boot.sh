#!/bin/sh
# Boots a Debian that has the package sightglass, curl, and systemd in a container of systemd-nspawn, and runs check.sh under
# its systemd. Needs root.   boot.sh ROOT
# The exit status is that of check.sh, or 69 if this machine cannot boot such a container.
set -eu
root=$1
here=$(cd "$(dirname "$0")" && pwd)
log=$root.log
result=$root/srv/service.log
rm -f "$result"
cp "$here/check.sh" "$root/srv/check_service.sh"
echo "== the systemd unit under systemd"
# systemd.run= boots only the basic system and this command, and exits with its status. Nothing outside is needed: the
# container has its own loopback. A container in a container has no systemd to register with.
status=0
timeout --signal=KILL 900 systemd-nspawn --quiet --register=no --keep-unit --private-network --directory="$root" --boot \
  --console=pipe systemd.run=/srv/check_service.sh </dev/null >"$log" 2>&1 || status=$?
if [ ! -e "$result" ]; then
  tail -n 20 "$log" >&2
  echo "boot.sh: this machine cannot boot a container with systemd-nspawn; its output is above" >&2
  exit 69
fi
cat "$result"
exit "$status"
