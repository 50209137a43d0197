#!/usr/bin/env python3
"""Judges what compile_programs printed for each device, and writes it as a page.

  report.py RESULTS PAGE

RESULTS is a folder of files NAME.jsonl. Exits with 1 if a program of a device does not compile, or if a default uses
scratch memory or the lowest parallelism and another variant of the same step is better.
"""

import json
import pathlib
import re
import sys

PARALLEL = {"Mali": "threads", "VideoCore": "threads", "freedreno": "waves", "Intel": "SIMD", "AMD": "waves"}
COUNT = {"AMD": "bytes of code"}


# Known defaults in scratch memory or with the lowest parallelism: beginnings of the device and of the program (patterns),
# the most spills, fills and scratch bytes per wave that were seen, and why they stay.
ACCEPTED = [
    (".", "posenet_", 710, "lists in private arrays; a single work group per frame"),
    ("mali|videocore", "lstm", 147, "the sums of all gates at once; few invocations"),
    ("mali|videocore", "transpose_conv_2x2", 63, "four tiles of the output share each input"),
    (".", "conv2d_texture.comp PIXELS=1 SLICES=[5-8]", 174, "fewer slices would fetch the texture again"),
    ("mali", "conv2d.comp .*PIXELS=4 SLICES=1 POINTWISE", 0, "4 outputs in 20 cycles; with all threads, 2 take 21"),
    ("videocore", "depthwise", 36, "the registers of a window; only four rows spill less, in twice the code"),
]


def is_accepted(device, program, row):
    return any(
        re.match(known, device) and re.match(name, program) and memory(row) <= most for known, name, most, _ in ACCEPTED
    )


def sum_of(row, name):
    return sum(shader[name] for shader in row["shaders"])


def memory(row):
    return sum_of(row, "spills") + sum_of(row, "fills") + sum_of(row, "scratch")


def parallel(row):
    return min(shader["parallel"] for shader in row["shaders"])


def spelled(row):
    """Instructions, parallelism, and spills of the last shader, which is the compute or the fragment shader."""
    shader = row["shaders"][-1]
    text = f"{shader['instructions']}, {shader['parallel']}"
    if memory(row):
        text += f", {shader['spills']}:{shader['fills']}"
        text += f", {shader['scratch']} bytes" if shader["scratch"] else ""
    return text


class Device:
    def __init__(self, path):
        self.name = path.stem
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        self.title = re.sub(r", DRM [^)]*", "", rows[0]["device"]).split(" | ")
        self.family, self.lowest = rows[0]["family"], rows[0]["lowest"]
        self.errors = [row for row in rows if "error" in row and "program" in row]
        self.refused = sum("model" in row for row in rows)
        self.rows = [row for row in rows if row.get("shaders")]
        self.silent = sum("program" in row and "error" not in row and not row.get("shaders") for row in rows)
        self.defaults = {row["program"]: row for row in self.rows if row["role"] == "default"}
        self.elements = [row for row in self.rows if row["role"] == "element"]

    def poor(self):
        """Defaults in scratch memory or with the lowest parallelism, and for each the best other variant, or None."""
        found = {}
        for name, row in self.defaults.items():
            if memory(row) == 0 and parallel(row) > self.lowest:
                continue
            better = [
                other
                for other in self.rows
                if other.get("instead_of") == name
                and memory(other) <= memory(row)
                and (memory(other) < memory(row) or parallel(other) > parallel(row))
                and parallel(other) >= parallel(row)
            ]
            found[name] = min(better, key=lambda other: (memory(other), -parallel(other)), default=None)
        return found

    def problems(self):
        yield from (f"{row['program']}: {row['error']}" for row in self.errors)
        for name, better in self.poor().items():
            row = self.defaults[name]
            if is_accepted(self.name, name, row):
                continue
            if better:
                yield f"{name} ({spelled(row)}); better: {better['program']} ({spelled(better)})"
            elif memory(row):
                yield f"{name} ({spelled(row)}) uses scratch memory"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def page(devices):
    lines = [
        "# What GPU compilers say",
        "",
        "`./dev gpu-compilers` compiles the programs that models and elements use by default with the compilers of real",
        "drivers, on stub devices: nothing is executed. The counts are static, for whole shaders. They show where a",
        "default is bad beyond doubt (registers in memory, few invocations at a time), not how fast a good one is.",
        "This page is its output.",
        "",
    ]
    summary = []
    for device in devices:
        poor = device.poor()
        rows = list(device.defaults.values())
        summary.append(
            [
                device.name,
                f"{device.title[1]}, {device.title[2]}",
                len(rows),
                len(device.elements),
                len(device.errors),
                sum(memory(row) > 0 for row in rows),
                sum(parallel(row) <= device.lowest for row in rows),
                sum(better is not None for better in poor.values()),
            ]
        )
    lines += table(
        [
            "device",
            "driver",
            "programs of models",
            "of elements",
            "errors",
            "in scratch memory",
            "lowest parallelism",
            "with a better variant",
        ],
        summary,
    )
    for device in devices:
        unit, count = PARALLEL.get(device.family, ""), COUNT.get(device.family, "instructions")
        lines += ["", f"## {device.name}", "", "The programs with the most multiply-adds over all models:", ""]
        heavy = sorted(device.defaults.values(), key=lambda row: -row["multiply_adds"])[:12]
        cells = []
        for row in heavy:
            cycles = row["shaders"][-1].get("cycles")
            cells.append(
                [
                    f"`{row['program']}`",
                    row["models"],
                    spelled(row),
                    *(["" if cycles is None else f"{cycles:.0f}"] if device.family == "Mali" else []),
                ]
            )
        cycles = ["cycles"] if device.family == "Mali" else []
        lines += table(["program", "models", f"{count}, {unit}, spills:fills", *cycles], cells)
        elements = [row for row in device.elements if memory(row) > 0]
        if elements:
            lines += ["", "Programs of elements in scratch memory:", ""]
            lines += [f"- `{row['program']}`: {spelled(row)}" for row in elements]
        poor = {name: better for name, better in device.poor().items() if memory(device.defaults[name]) or better}
        if poor:
            lines += ["", "Defaults in scratch memory, or with a better variant:", ""]
            lines += table(
                ["program", "its counts", "best other variant", "its counts"],
                [
                    [
                        f"`{name}`",
                        spelled(device.defaults[name]),
                        f"`{better['program']}`" if better else "none is better",
                        spelled(better) if better else "",
                    ]
                    for name, better in poor.items()
                ],
            )
    return "\n".join(lines) + "\n"


def main():
    results, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    devices = [Device(path) for path in sorted(results.glob("*.jsonl"))]
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(page(devices))
    failed = False
    for device in devices:
        problems = list(device.problems())
        print(f"{device.name}: {len(device.defaults)} programs of models, {len(problems)} problems")
        for problem in problems:
            print(f"  {problem}")
        failed |= bool(problems) or device.silent > 0 or not device.defaults
        if device.silent:
            print(f"  no statistics for {device.silent} programs")
    sys.exit(failed)


main()
