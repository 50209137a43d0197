#!/usr/bin/env python3
"""The elements from Python: reads results in an appsink, and changes a property over time with a controller.

    python_results.py [--source "v4l2src ! glupload ! glcolorconvert"] [--frames 60]

Prints the people of each frame, and blurs the background more and more. Frames stay on the GPU: the appsink takes GL
memory. Needs the packages python3-gi, gir1.2-gstreamer-1.0 and gir1.2-gst-plugins-base-1.0. GST_PLUGIN_PATH and
GI_TYPELIB_PATH must name the directories of the plugin and of Sightglass-0.1.typelib unless they are installed.
"""
import argparse
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstController", "1.0")
gi.require_version("Sightglass", "0.1")
from gi.repository import Gst, GstApp, GstController, Sightglass  # noqa: E402,F401 (GstApp adds methods to appsink)


def ramp(element: Gst.Element, name: str, values: dict[int, float]) -> None:
    """Interpolates a property between values at times in nanoseconds."""
    source = GstController.InterpolationControlSource(mode=GstController.InterpolationMode.LINEAR)
    for time, value in values.items():
        source.set(time, value)
    element.add_control_binding(GstController.DirectControlBinding.new_absolute(element, name, source))


def describe(results: Sightglass.FrameResults) -> str:
    """The people of a frame, each with its track ID, score and nose."""
    people = []
    for person in results.get_objects():
        nose = next((point for point in person.get_points() if point.name == "nose"), None)
        where = f" nose at ({nose.x:.2f}, {nose.y:.2f})" if nose is not None and nose.visibility > 0.3 else ""
        people.append(f"person {person.id} {person.confidence:.2f}{where}")
    return f"frame {results.frame}: " + (", ".join(people) or "nobody")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default="glfiguresrc seed-interval=30")
    parser.add_argument("--frames", type=int, default=60)
    options = parser.parse_args()
    Gst.init(None)
    pipeline = Gst.parse_launch(
        f"{options.source} ! video/x-raw(memory:GLMemory),width=640,height=360"
        " ! glpose model=figure results=meta results-sync=exact ! glsegment name=segment model=figure"
        " ! appsink name=sink sync=false max-buffers=2 caps=video/x-raw(memory:GLMemory)"
    )
    ramp(pipeline.get_by_name("segment"), "blur-radius", {0: 0, 2 * Gst.SECOND: 60})
    sink = pipeline.get_by_name("sink")
    pipeline.set_state(Gst.State.PLAYING)
    for _ in range(options.frames):
        sample = sink.pull_sample()
        if sample is None:  # the end of the stream, or an error
            break
        results = Sightglass.results_meta_get(sample.get_buffer())
        if results is not None:
            radius = pipeline.get_by_name("segment").get_property("blur-radius")
            print(f"{describe(results)}; blur radius {radius:.0f}", flush=True)
    error = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if error is not None:
        sys.exit(f"python_results.py: {error.parse_error()[0].message}")


if __name__ == "__main__":
    main()
