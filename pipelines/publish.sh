#!/bin/sh
# Publishes what a model finds in a camera, a clip or drawn figures to an MQTT broker, one line of JSON for each frame with
# results. Needs the tree to be built (./dev build) and mosquitto's clients; SIGHTGLASS_BUILD names another build folder.
set -eu
usage() {
  cat <<'USAGE'
Usage: pipelines/publish.sh --element "glpose model=…" [OPTION…]

  --element TEXT   the element that finds something, with its properties
  --input INPUT    a clip, /dev/videoN, or figures, which are drawn (default: figures)
  --frames N       end after so many frames of a camera or of figures (default: never)
  --topic TOPIC    (default: sightglass/results)
  --host HOST      of the broker (default: localhost)
  --port PORT      (default: 1883)
  --print          print the lines instead
USAGE
}
fail() {
  echo "publish: $*" >&2
  exit 1
}

element='' input=figures frames=-1 topic=sightglass/results host=localhost port=1883 print=no
while [ $# -gt 0 ]; do
  case $1 in
    --element | --input | --frames | --topic | --host | --port)
      [ $# -ge 2 ] || fail "$1 wants a value"
      case $1 in
        --element) element=$2 ;;
        --input) input=$2 ;;
        --frames) frames=$2 ;;
        --topic) topic=$2 ;;
        --host) host=$2 ;;
        --port) port=$2 ;;
      esac
      shift
      ;;
    --print) print=yes ;;
    -h | --help)
      usage
      exit
      ;;
    *)
      usage >&2
      fail "unknown option: $1"
      ;;
  esac
  shift
done
[ -n "$element" ] || {
  usage >&2
  fail "--element is missing"
}
[ "$print" = yes ] || command -v mosquitto_pub >/dev/null || fail "mosquitto_pub is not installed (Debian: mosquitto-clients)"

root=$(cd "$(dirname "$0")/.." && pwd)
build=${SIGHTGLASS_BUILD:-$root/build}
[ -e "$build/gst_plugin/libgstsightglass.so" ] || fail "$build/gst_plugin has no plugin; run ./dev build first"
export GST_PLUGIN_PATH="$build/gst_plugin${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}"
# quoted VALUE: as gst-launch-1.0's parser takes it for one value, whatever is in it.
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"; }
case $input in
  figures) set -- glfiguresrc is-live=true "num-buffers=$frames" seed-interval=90 ;;
  /dev/*) set -- v4l2src "device=$(quoted "$input")" "num-buffers=$frames" ! videoconvert ! glupload ;;
  *)
    [ -e "$input" ] || fail "there is no $input"
    set -- filesrc "location=$(quoted "$input")" ! decodebin ! glupload ! glcolorconvert
    ;;
esac

publish() {
  if [ "$print" = yes ]; then
    cat
  else
    mosquitto_pub -l -h "$host" -p "$port" -t "$topic"
  fi
}
# Descriptor 3 has the lines alone; whatever else the pipeline says goes to stderr. Its status, which the shell's pipe
# would lose, comes by descriptor 4.
exec 5>&1
# shellcheck disable=SC2086  # a list of words
status=$({
  {
    result=0
    gst-launch-1.0 -q "$@" ! $element results=meta ! resultsjson "source=$(quoted "$input")" ! fdsink sync=false fd=3 \
      3>&1 1>&2 4>&- || result=$?
    echo "$result" >&4
  } | publish >&5
} 4>&1)
exit "$status"
