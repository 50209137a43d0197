#!/usr/bin/env python3
"""Publishes the results of glpose or glinfer to an MQTT broker: one JSON message per frame.

    mqtt_publish.py --element "glpose model=movenet.tflite" --input /dev/video0 --host broker.example

Reads the metadata of the buffers. The messages have the names of resultsjson. Needs the packages python3-gi,
gir1.2-gst-plugins-base-1.0 and python3-paho-mqtt. GST_PLUGIN_PATH and GI_TYPELIB_PATH must name the directories of the
plugin and of Sightglass-0.1.typelib unless they are installed.
"""
import argparse
import json
import os
import sys

import gi
import paho.mqtt.client as mqtt

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("Sightglass", "0.1")
from gi.repository import GLib, Gst, GstApp, Sightglass  # noqa: E402,F401 (GstApp adds methods to appsink)


def make_pipeline(options: argparse.Namespace) -> Gst.Pipeline:
    """The pipeline from an input, which can have any file name, to an appsink."""
    sources = {
        "figures": "glfiguresrc is-live=true seed-interval=90 name=source",
        "camera": "v4l2src name=source ! videoconvert ! glupload",
        "file": "filesrc name=source ! decodebin ! glupload ! glcolorconvert",
    }
    kind = "figures" if options.input == "figures" else "camera" if options.input.startswith("/dev/") else "file"
    if kind == "file" and not os.path.exists(options.input):
        sys.exit(f"mqtt_publish.py: {options.input} does not exist")
    pipeline = Gst.parse_launch(
        f"{sources[kind]} ! {options.element} results=meta results-sync=exact"
        " ! appsink name=sink sync=false max-buffers=4 caps=video/x-raw(memory:GLMemory)"
    )
    source = pipeline.get_by_name("source")
    if kind == "camera":
        source.set_property("device", options.input)
    elif kind == "file":
        source.set_property("location", options.input)
    return pipeline


def message_of(results: Sightglass.FrameResults, source: str) -> dict:
    """The results of a frame, with the names that resultsjson uses."""
    objects = []
    for found in results.get_objects():
        box = {"x_min": found.x, "x_max": found.x + found.width, "y_min": found.y, "y_max": found.y + found.height}
        detection = {"bounding_box": box, "confidence": found.confidence, "label": found.label}
        points = [{"name": p.name, "x": p.x, "y": p.y, "z": p.z, "visibility": p.visibility} for p in found.get_points()]
        objects.append({"id": found.id, "detection": detection, "keypoints": points})
    classes = [{"label": best.label, "label_id": best.label_id, "confidence": best.confidence}
               for best in results.get_classes()]
    if classes:
        objects.append({"classification": classes[0], "classifications": classes})
    size = {"width": results.width, "height": results.height}
    return {"timestamp": results.stream_time, "source": source, "resolution": size, "objects": objects}


def connect(host: str, port: int) -> mqtt.Client:
    """A client whose own thread talks to the broker, and reconnects if the connection is lost."""
    version = (mqtt.CallbackAPIVersion.VERSION2,) if hasattr(mqtt, "CallbackAPIVersion") else ()  # paho-mqtt 2
    client = mqtt.Client(*version)
    try:
        client.connect(host, port)
    except OSError as error:
        sys.exit(f"mqtt_publish.py: cannot connect to the broker at {host}:{port}: {error}")
    client.loop_start()
    return client


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--element", required=True, help="the element that produces results, with its properties")
    parser.add_argument("--input", default="figures", help="a video file, /dev/videoN, or figures (default)")
    parser.add_argument("--frames", type=int, help="stop after this number of frames (default: at the end of the input)")
    parser.add_argument("--topic", default="sightglass/results")
    parser.add_argument("--host", default="localhost")
    parser.add_argument("--port", type=int, default=1883)
    parser.add_argument("--print", action="store_true", help="print the messages instead")
    options = parser.parse_args()
    Gst.init(None)
    try:
        pipeline = make_pipeline(options)
    except GLib.Error as error:
        sys.exit(f"mqtt_publish.py: {error.message}")
    client = None if options.print else connect(options.host, options.port)
    sink, bus = pipeline.get_by_name("sink"), pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    error, published, frames = None, None, 0
    try:
        while error is None and frames != options.frames:
            sample = sink.try_pull_sample(100 * Gst.MSECOND)  # returns often, so that Ctrl-C works
            error = bus.pop_filtered(Gst.MessageType.ERROR)
            if sample is None:
                if sink.is_eos():
                    break
                continue
            frames += 1
            for results in Sightglass.results_meta_get_all(sample.get_buffer()):
                text = json.dumps(message_of(results, options.input))
                if client is None:
                    print(text, flush=True)
                else:
                    published = client.publish(options.topic, text, qos=1)
    except KeyboardInterrupt:
        pass
    pipeline.set_state(Gst.State.NULL)
    if published is not None:
        published.wait_for_publish(timeout=5)
    if client is not None:
        client.disconnect()
        client.loop_stop()
    if error is not None:
        sys.exit(f"mqtt_publish.py: {error.parse_error()[0].message}")


if __name__ == "__main__":
    main()
