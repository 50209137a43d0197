#!/bin/sh
# Publishes the results of a model on a camera, a video file, or rendered figures to an MQTT broker, as one line of JSON per
# frame with results. Needs a built tree (./dev build) and the mosquitto clients. SIGHTGLASS_BUILD sets another build
# directory.
set -eu
usage() {
  cat <<'USAGE'
Usage: pipelines/publish.sh --element "glpose model=…" [OPTION…]

  --element TEXT   the element that produces results, with its properties
  --input INPUT    a video file, /dev/videoN, or figures for rendered figures (default: figures)
  --frames N       stop after N frames of a camera or of figures (default: never)
  --topic TOPIC    MQTT topic (default: sightglass/results)
  --host HOST      host of the broker (default: localhost)
  --port PORT      port of the broker (default: 1883)
  --print          print the lines instead of publishing them
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
      [ $# -ge 2 ] || fail "$1 requires a value"
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
# quoted VALUE: prints VALUE so that the parser of gst-launch-1.0 reads it as one value, whatever it contains.
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"; }
case $input in
  figures) set -- glfiguresrc is-live=true "num-buffers=$frames" seed-interval=90 ;;
  /dev/*) set -- v4l2src "device=$(quoted "$input")" "num-buffers=$frames" ! videoconvert ! glupload ;;
  *)
    [ -e "$input" ] || fail "$input does not exist"
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
# Descriptor 3 carries only the lines. All other output of the pipeline goes to stderr. Descriptor 4 carries its status,
# which the shell pipe would lose.
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
