"""Runs ten streams in one process, and checks that all advance and that memory does not grow.   many_streams_test.py EXAMPLE

SIGHTGLASS_STREAM_SECONDS (10) is the length of the run.
"""
import os
import re
import subprocess
import sys

try:
    import gi

    gi.require_version("GstGL", "1.0")
except (ImportError, ValueError) as error:
    reason = f"{error} (Debian: python3-gi, gir1.2-gst-plugins-base-1.0)"
    print(f"many_streams_test.py: Skipped\n{reason}\n[  SKIPPED ] examples.many_streams (0 ms)")
    sys.exit()

STREAMS = 10
MAXIMUM_GROWTH = 0.02
seconds = int(os.environ.get("SIGHTGLASS_STREAM_SECONDS", 10))
# Cheap frames: this is about many streams, not about the model.
element = "glsegment model=figure refine=none inference-interval=10 blur-strength=2"
failures = []


def check(name: str, value: object, right: bool) -> None:
    print(f"{name}: {value}", flush=True)
    if not right:
        failures.append(name)


class Report:
    """A line of the example: the frames of each stream, and the resident memory."""

    def __init__(self, line: str) -> None:
        numbers = re.fullmatch(r"frames ([\d ]+); resident ([\d.]+) MiB", line)
        self.frames = [int(number) for number in numbers[1].split()]
        self.mib = float(numbers[2])


# Prints reports of the length of the run that follows the first frame of each stream. A slow machine starts slowly.
process = subprocess.Popen([sys.executable, "-B", sys.argv[1], "--element", element], stdout=subprocess.PIPE, text=True)
reports, started = [], []
for line in process.stdout:
    print(line, end="", flush=True)
    reports.append(Report(line.strip()))
    started = [report for report in reports if min(report.frames) >= 3]
    if len(started) * 5 > seconds or len(reports) * 5 > seconds + 120:
        break
process.terminate()
process.wait(60)
streams = len(reports[-1].frames) if reports else 0
check("streams", streams, streams == STREAMS)
check("reports after the first frames", len(started), len(started) * 5 > seconds)
if started:
    advances = [last - first for first, last in zip(started[0].frames, started[-1].frames)]
    check("frames of each stream meanwhile", advances, min(advances) > 0)
    check("slowest to fastest stream", f"{min(advances)}:{max(advances)}", min(advances) * 2 >= max(advances))
    # The first half may still fill caches.
    later = started[len(started) // 2:]
    growth = later[-1].mib / later[0].mib - 1
    check("growth of memory in the second half", f"{growth:.2%}", growth < MAXIMUM_GROWTH)
sys.exit(1 if failures else 0)
