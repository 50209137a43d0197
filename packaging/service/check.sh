#!/bin/sh
# Runs under systemd, as root: enables the unit of `sightglass serve` as docs/packages.md shows, and checks that it serves
# frames, that its profile applies, and that it restarts and stops. Writes to service.log next to this file.   check.sh
set -eu
exec >"$(dirname "$0")/service.log" 2>&1
unit=sightglass-serve
address=http://127.0.0.1:8080

work=$(mktemp -d)
cd "$work"
finish() {
  status=$?
  [ "$status" = 0 ] || {
    journalctl --no-pager --unit $unit --lines 30 || true
  }
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
fail() {
  echo "check.sh: $*"
  exit 1
}
# is TEXT ACTUAL EXPECTED
is() {
  echo "$1: $2"
  [ "$2" = "$3" ] || fail "expected $3"
}
property() { systemctl show --property "$1" --value $unit; }
# serves TEXT RESTARTS: waits until frames flow. A first start compiles the model, and scans all plugins. systemd must have
# started a failed process again at most RESTARTS times.
serves() {
  tries=0
  until curl --silent --fail --max-time 5 $address/healthz >/dev/null; do
    tries=$((tries + 1))
    [ "$(property NRestarts)" -le "$2" ] || fail "$1: the service fails again and again"
    [ $tries -lt 600 ] || fail "$1: no frames after 300 s: $(curl --silent --max-time 5 $address/healthz)"
    sleep 0.5
  done
  is "$1: /healthz" "$(curl --silent --output /dev/null --write-out '%{http_code}' $address/healthz)" 200
  process=$(property MainPID)
}
# field NAME: a line of /proc/PID/status, without its name.
field() { sed -n "s/^$1:[[:space:]]*//p" "/proc/$process/status"; }
# write FILE: tries to create FILE as root, with the file systems of the service.
write() { nsenter --mount --target "$process" touch "$1" 2>/dev/null && echo yes || echo no; }

systemctl --version | head -n 1
is 'after installation' "$(systemctl is-enabled $unit)" disabled
# What `systemctl edit` writes.
mkdir -p /etc/systemd/system/$unit.service.d
cat >/etc/systemd/system/$unit.service.d/override.conf <<'OVERRIDE'
[Service]
ExecStart=
ExecStart=/usr/bin/sightglass serve segment --input figures --size 320x240 --listen 127.0.0.1:8080
OVERRIDE
systemctl daemon-reload
systemctl enable --quiet --now $unit
is 'enabled' "$(systemctl is-enabled $unit)" enabled
serves 'started' 0
curl --silent $address/metrics | grep '^sightglass_frames_total'

echo "== profile"
systemd-analyze security --no-pager --threshold=20 $unit >security.log || { cat security.log && fail "the profile is too weak"; }
tail -n 1 security.log
[ "$(field Uid | cut -f1)" -ge 61184 ] || fail "the user $(field Uid) is not a dynamic one"
echo "user: $(field Uid | cut -f1)"
is 'capabilities' "$(field CapPrm) $(field CapBnd)" '0000000000000000 0000000000000000'
is 'no new privileges' "$(field NoNewPrivs)" 1
is 'watchdog' "$(property WatchdogUSec)" 30s
is 'memory limit' "$(property MemoryMax)" 1073741824
is 'system call filter' "$(field Seccomp)" 2
is 'can write to /usr' "$(write /usr/probe)" no
is 'can write to /etc' "$(write /etc/probe)" no
is 'can write to home directories' "$(write "$(getent passwd root | cut -d: -f6)/probe")" no
is 'can write to /var/cache/sightglass' "$(write /var/cache/sightglass/probe)" yes
is 'sees /proc/meminfo' "$(nsenter --mount --target "$process" test -e /proc/meminfo && echo yes || echo no)" no
kept=$(find /var/cache/private/sightglass -type f | wc -l)
echo "files in the cache: $kept"
[ "$kept" -gt 3 ] || fail "the service keeps no list of plugins and no compiled programs"

echo "== restart and stop"
previous=$process
kill -KILL "$process"
tries=0
until [ "$(property MainPID)" != "$previous" ] && [ "$(property MainPID)" != 0 ]; do
  tries=$((tries + 1))
  [ $tries -lt 60 ] || fail "systemd does not restart the process that was killed"
  sleep 0.5
done
serves 'killed and restarted by systemd' 1
is 'restarts' "$(property NRestarts)" 1
previous=$process
systemctl restart $unit
serves 'restarted' 0
[ "$process" != "$previous" ] || fail "restart left process $process"
begin=$(date +%s)
systemctl stop $unit
echo "seconds to stop: $(($(date +%s) - begin))"
[ $(($(date +%s) - begin)) -lt 20 ] || fail "it was too slow"
is 'stopped' "$(property ActiveState) $(property Result) $(property ExecMainStatus)" 'inactive success 0'
curl --silent --max-time 5 $address/healthz && fail "something still answers"

# Errors that a profile causes do not always end the process.
journalctl --no-pager --unit $unit --output cat >journal.log
[ -s journal.log ] || fail "the journal has nothing of the service"
if grep -iE 'denied|not permitted|read-only file system|cannot (write|store|create)' journal.log; then
  fail "the profile disturbs the service"
fi
echo "== the unit serves, restarts, and stops"
