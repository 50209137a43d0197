"""Reads the metadata of the elements by GObject introspection.   metadata_test.py SOURCE_DIR"""
import gc
import re
import subprocess
import sys
import unittest

try:
    import gi

    for name, version in (("Gst", "1.0"), ("GstApp", "1.0"), ("GstController", "1.0")):
        gi.require_version(name, version)
except (ImportError, ValueError) as error:
    print(f"introspection.python: Skipped\n{error}\n[  SKIPPED ] introspection.python (0 ms)")
    sys.exit()
gi.require_version("Sightglass", "0.1")
from gi.repository import Gst, GstApp, Sightglass  # noqa: E402,F401

SOURCE = sys.argv.pop()
CAPS = "video/x-raw(memory:GLMemory),width=320,height=240"


class MetadataTest(unittest.TestCase):
    def play(self, elements: str) -> Gst.Element:
        """Starts a pipeline that ends with the appsink that is returned."""
        pipeline = Gst.parse_launch(f"{elements} ! appsink name=sink sync=false")
        self.addCleanup(pipeline.set_state, Gst.State.NULL)
        pipeline.set_state(Gst.State.PLAYING)
        return pipeline.get_by_name("sink")

    def buffer(self, elements: str) -> Gst.Buffer:
        sample = self.play(elements).pull_sample()
        self.assertIsNotNone(sample)
        return sample.get_buffer()

    def test_results(self) -> None:
        pose = "glpose model=figure results=meta results-sync=exact"
        buffer = self.buffer(f"glfiguresrc num-buffers=1 framing=half ! {CAPS} ! {pose}")
        results = Sightglass.results_meta_get(buffer)
        self.assertEqual((results.model, results.frame, results.width, results.height), ("figure", 0, 320, 240))
        self.assertEqual((results.timestamp, results.running_time), (0, 0))
        self.assertEqual(results.get_classes(), [])
        people = results.get_objects()
        del results, buffer
        gc.collect()  # objects outlive the results and the buffer
        self.assertEqual(len(people), 1)
        self.assertEqual((people[0].label, people[0].id), ("person", 1))
        points = people[0].get_points()
        self.assertEqual([point.name for point in points][:3], ["nose", "left_eye", "right_eye"])
        self.assertTrue(0 < points[0].x < 1 and 0 < points[0].y < 1)
        self.assertEqual(people[0].get_classes(), [])
        self.assertTrue(0 < people[0].width <= 1.5 and people[0].confidence > 0.2)

    def test_results_of_the_last_frame_are_an_event(self) -> None:
        sink = self.play(f"glfiguresrc num-buffers=2 ! {CAPS} ! glpose model=figure results=meta results-sync=latest")
        frames = []

        def collect_events(pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
            buffer = Sightglass.results_event_get_buffer(info.get_event())
            if buffer is not None:
                frames.extend(results.frame for results in Sightglass.results_meta_get_all(buffer))
            return Gst.PadProbeReturn.OK

        def collect_buffers(pad: Gst.Pad, info: Gst.PadProbeInfo) -> Gst.PadProbeReturn:
            frames.extend(results.frame for results in Sightglass.results_meta_get_all(info.get_buffer()))
            return Gst.PadProbeReturn.OK

        pad = sink.get_static_pad("sink")
        pad.add_probe(Gst.PadProbeType.BUFFER, collect_buffers)
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, collect_events)
        while sink.pull_sample() is not None:
            pass
        self.assertEqual(sorted(frames), [0, 1])

    def test_mask(self) -> None:
        buffer = self.buffer(f"glfiguresrc num-buffers=1 ! {CAPS} ! glsegment model=figure attach-mask=true")
        mask = Sightglass.mask_meta_get(buffer)
        self.assertEqual((mask.x, mask.y, mask.width, mask.height), (0, 0, 1, 1))
        del buffer
        gc.collect()
        self.assertEqual(mask.get_buffer().n_memory(), 1)

    def test_figure(self) -> None:
        buffer = self.buffer(f"glfiguresrc num-buffers=1 seed=7 framing=half ! {CAPS}")
        figure = Sightglass.figure_meta_get(buffer)
        self.assertEqual((figure.seed, figure.frame, figure.time), (7, 0, 0))
        self.assertEqual(len(figure.get_points()), 17)
        self.assertTrue(0 < figure.get_points()[0].x < 1)
        self.assertEqual(figure.get_mask().n_memory(), 1)

    def test_buffers_without_metadata(self) -> None:
        buffer = Gst.Buffer()
        self.assertIsNone(Sightglass.results_meta_get(buffer))
        self.assertEqual(Sightglass.results_meta_get_all(buffer), [])
        self.assertIsNone(Sightglass.mask_meta_get(buffer))
        self.assertIsNone(Sightglass.figure_meta_get(buffer))
        self.assertIsNone(Sightglass.results_event_get_buffer(Gst.Event.new_eos()))

    def test_example(self) -> None:
        # If it crashes, the fault handler says where.
        program = [sys.executable, "-B", "-X", "faulthandler", f"{SOURCE}/examples/python_results.py", "--frames", "4"]
        run = subprocess.run(program, capture_output=True, text=True, timeout=300)
        self.assertEqual(run.returncode, 0, f"{run.stdout}\n{run.stderr}")
        lines = run.stdout.splitlines()
        self.assertEqual(len(lines), 4, lines)
        for index, line in enumerate(lines):
            self.assertRegex(line, rf"^frame {index}: .*; blur radius \d+$")
        radii = [int(re.search(r"(\d+)$", line).group(1)) for line in lines]
        self.assertLess(radii[0], radii[3])


if __name__ == "__main__":
    Gst.init(None)
    unittest.main()
