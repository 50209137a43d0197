#!/usr/bin/env python3
"""Many streams in one process: a pipeline each, all with one GL display, so that they share the weights of the model.

    many_streams.py [--element "glsegment model=figure"] [--seconds N]
        ["v4l2src device=/dev/video0 ! glupload ! glcolorconvert" …]

Each argument is a source with frames in GL memory; without one, there are ten streams of rendered figures. A stream that
fails is reported and started again, and the others go on. Prints the frames of each stream and the resident memory every
five seconds. Needs the packages python3-gi, gir1.2-gstreamer-1.0 and gir1.2-gst-plugins-base-1.0.
"""
import argparse
import pathlib
import resource
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstGL", "1.0")
from gi.repository import GLib, Gst, GstGL  # noqa: E402

RETRY_SECONDS = 2
REPORT_SECONDS = 5


def resident_mib() -> float:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


class Stream:
    """One source, processed and dropped. A real application has its encoder or window in place of the fakesink."""

    def __init__(self, name: str, source: str, element: str, display: GstGL.GLDisplay) -> None:
        self.name = name
        self.pipeline = Gst.parse_launch(
            f"{source} ! queue max-size-buffers=2 ! {element} name=sightglass ! fakesink sync=true"
        )
        # Elements of GStreamer GL ask for a display only if the pipeline has none.
        context = Gst.Context.new(GstGL.GL_DISPLAY_CONTEXT_TYPE, True)
        GstGL.context_set_gl_display(context, display)
        self.pipeline.set_context(context)
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message::error", self.restart)
        bus.connect("message::eos", self.restart)

    def restart(self, _bus: Gst.Bus, message: Gst.Message) -> None:
        reason = message.parse_error()[0].message if message.type == Gst.MessageType.ERROR else "the stream ended"
        print(f"{self.name}: {reason}; starting again in {RETRY_SECONDS} s", file=sys.stderr, flush=True)
        self.stop()
        GLib.timeout_add_seconds(RETRY_SECONDS, lambda: self.start() and False)

    def start(self) -> None:
        self.pipeline.set_state(Gst.State.PLAYING)

    def stop(self) -> None:
        self.pipeline.set_state(Gst.State.NULL)

    def frames(self) -> int:
        return self.pipeline.get_by_name("sightglass").get_property("stats").get_uint64("frames")[1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sources", nargs="*")
    parser.add_argument("--element", default="glsegment model=figure mask-sync=latest")
    parser.add_argument("--seconds", type=float, default=0, help="0: until interrupted")
    options = parser.parse_args()
    Gst.init(None)
    figures = "glfiguresrc is-live=true seed={} ! video/x-raw(memory:GLMemory),width=320,height=180,framerate=10/1"
    sources = options.sources or [figures.format(seed) for seed in range(10)]
    display = GstGL.GLDisplay.new()
    streams = [Stream(f"stream {i}", source, options.element, display) for i, source in enumerate(sources)]
    loop = GLib.MainLoop()

    def report() -> bool:
        frames = " ".join(str(stream.frames()) for stream in streams)
        print(f"frames {frames}; resident {resident_mib():.1f} MiB", flush=True)
        return True

    GLib.timeout_add_seconds(REPORT_SECONDS, report)
    if options.seconds > 0:
        GLib.timeout_add(int(options.seconds * 1000), loop.quit)
    for stream in streams:
        stream.start()
    try:
        loop.run()
    except KeyboardInterrupt:
        pass
    for stream in streams:
        stream.stop()


if __name__ == "__main__":
    main()
