"""Measures how cost grows with the model, the frame, and the number of streams, and writes a report with fitted lines.

  growth.py BUILD_DIR REPORT [--quick]     --quick: three points of each series

A line has a fixed cost and a cost per unit, chosen so that the sum of squared relative errors is least. A point whose
time differs from the line by more than a quarter is marked: there the line bends, or the machine was busy.
"""

import argparse
import dataclasses
import datetime
import json
import os
import pathlib
import subprocess
import sys

FRAMES = ((320, 180), (640, 360), (960, 540), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160), (5120, 2880), (7680, 4320))
STREAMS = (1, 2, 4, 8, 16, 32, 64)
STREAM_SIZE = (320, 180)
ELEMENTS = "glsegment model=figure background=blur"
BENDS = 0.25


@dataclasses.dataclass
class Point:
  name: str
  size: float  # in units of the series
  ms: float | None  # None: not measured
  notes: tuple = ()  # a cell for each further column


@dataclasses.dataclass
class Line:
  fixed: float
  per_unit: float

  def at(self, size):
    return self.fixed + self.per_unit * size


def fit(points):
  """The line with the least sum of squares of (measured - line) / measured. Neither of its costs is negative."""
  known = [point for point in points if point.ms]
  if len(known) < 2:
    return None
  weights = [1 / point.ms**2 for point in known]
  total = sum(weights)
  x = sum(weight * point.size for weight, point in zip(weights, known)) / total
  y = sum(weight * point.ms for weight, point in zip(weights, known)) / total
  spread = sum(weight * (point.size - x)**2 for weight, point in zip(weights, known))
  slope = sum(weight * (point.size - x) * (point.ms - y) for weight, point in zip(weights, known)) / spread
  if slope < 0:
    return Line(y, 0)
  if y - slope * x >= 0:
    return Line(y - slope * x, slope)
  through_zero = (sum(weight * point.size * point.ms for weight, point in zip(weights, known)) /
                  sum(weight * point.size**2 for weight, point in zip(weights, known)))
  return Line(0, through_zero)


def table(points, line, columns):
  rows = [
      "| " + " | ".join(columns[:2] + ("line", "difference") + columns[2:]) + " |",
      "|" + "---|" * (len(columns) + 2),
  ]
  for point in points:
    if point.ms is None:
      cells = [point.name, "not measured", "", ""]
    elif line is None:
      cells = [point.name, f"{point.ms:.2f}", "", ""]
    else:
      expected = line.at(point.size)
      difference = point.ms / expected - 1
      mark = " (bends)" if abs(difference) > BENDS else ""
      cells = [point.name, f"{point.ms:.2f}", f"{expected:.2f}", f"{100 * difference:+.0f} %{mark}"]
    rows.append("| " + " | ".join(cells + list(point.notes)) + " |")
  return "\n".join(rows)


def run(command):
  """The JSON that a program prints, also if it then reports that time was over."""
  done = subprocess.run(command, capture_output=True, text=True, check=False)
  try:
    return json.loads(done.stdout)
  except json.JSONDecodeError:
    sys.exit(f"{done.stderr}{command[0]}: exit status {done.returncode}, and no result")


def measure_models(build, passes):
  measured = run([build / "bench/operator_bench", "--growth", "--passes", str(passes)])
  points = [
      Point(f"{model['name']}, {model['multiply_adds'] / 1e6:,.1f}", model["multiply_adds"] / 1e6, model["ms"],
            (f"{2e-6 * model['multiply_adds'] / model['ms']:.1f}",)) for model in measured["models"]
  ]
  return measured["renderer"], points


def measure_frames(build, width, height, streams, seconds):
  return run([
      build / "bench/frames_bench", "--name", "growth", "--elements", ELEMENTS, "--width", str(width), "--height", str(height),
      "--streams", str(streams), "--seconds", str(seconds), "--limit", "300"
  ])


def frame_point(measured, name, size):
  """Milliseconds per frame of all streams together, and the memory of the process."""
  rate = measured.get("frames_per_second")
  memory = f"{measured['resident_mib']:.0f}" if "resident_mib" in measured else ""
  copies = str(measured["copies"]["count"]) if "copies" in measured else ""
  return Point(name, size, 1000 / rate if rate else None, (f"{rate:.1f}" if rate else measured.get("error", ""), memory, copies))


def section(title, text, points, unit, columns):
  line = fit(points)
  fitted = f"Line: {line.fixed:.2f} ms + {line.per_unit:.4g} ms per {unit}." if line else "Too few points for a line."
  return f"\n## {title}\n\n{text}\n\n{fitted}\n\n{table(points, line, columns)}\n"


def write(report, renderer, models, frames, streams):
  date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
  text = (f"# How cost grows: {renderer}\n\n{date}, {os.cpu_count()} processor cores, load {os.getloadavg()[0]:.1f} at the "
          "end. `./dev bench --growth` writes this report. Each line fits a fixed cost and a cost per unit, with the least "
          "squares of relative errors. Where a time differs from it by more than a quarter, the row says that the line "
          "bends.\n")
  text += section(
      "Models", "Milliseconds of a run of eight 3×3 convolutions in 32-bit floats: the least, with the wait for the GPU.", models,
      "million multiply-adds", ("input, million multiply-adds", "ms", "GFLOP/s"))
  text += section(
      "Frames", f"Milliseconds per frame of `{ELEMENTS}` with rendered frames, one stream, nothing shown.", frames,
      "million pixels", ("frame", "ms", "frames/s", "resident MiB", "copies"))
  text += section(
      "Streams", f"The same with streams of {STREAM_SIZE[0]} × {STREAM_SIZE[1]} in one process: milliseconds in which each "
      "stream shows a frame.", streams, "stream", ("streams", "ms", "frames/s together", "resident MiB", "copies"))
  report.parent.mkdir(parents=True, exist_ok=True)
  report.write_text(text, encoding="utf-8")


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("build", type=pathlib.Path)
  parser.add_argument("report", type=pathlib.Path)
  parser.add_argument("--quick", action="store_true", help="three points of each series")
  options = parser.parse_args()
  build = options.build.resolve()
  pick = (lambda points: (points[0], points[len(points) // 2], points[-1])) if options.quick else lambda points: points
  seconds = 0.3 if options.quick else 3

  frames, streams = [], []
  print("== models", file=sys.stderr)
  renderer, models = measure_models(build, 1 if options.quick else 40)
  # Written after each point: a run that is stopped leaves what it has.
  for width, height in pick(FRAMES[:5] if options.quick else FRAMES):
    print(f"== frames of {width}x{height}", file=sys.stderr)
    measured = measure_frames(build, width, height, 1, seconds)
    frames.append(frame_point(measured, f"{width} × {height}", width * height / 1e6))
    write(options.report, renderer, models, frames, streams)
  for number in pick(STREAMS[:3] if options.quick else STREAMS):
    print(f"== {number} streams", file=sys.stderr)
    measured = measure_frames(build, *STREAM_SIZE, number, seconds)
    # All streams show a frame in this time.
    point = frame_point(measured, str(number), number)
    streams.append(dataclasses.replace(point, ms=point.ms and point.ms * number))
    write(options.report, renderer, models, frames, streams)
  print(f"== the report is {options.report}", file=sys.stderr)


if __name__ == "__main__":
  main()
