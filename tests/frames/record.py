"""The file with what launch lines did, and its comparison with what they do."""
import collections
import itertools
import re

from runs import KINDS

# `runs`: values by key, by the name of the line.
Record = collections.namedtuple("Record", "device runs")

EVERYTHING = KINDS
# What does not depend on the renderer and the version of GStreamer.
ANYWHERE = ["outcome", "exit", "stat"]

HEAD = """\
# What the elements do with the launch lines of lines.txt. `./dev frames-test` compares, `./dev frames-test --record` writes
# this file. Frames: time, hash of the pixels, metadata. GL calls (gl): until the first output frame, until the end of the
# stream, after it. Log lines stand at the end, without numbers, each with how often each launch line logs it.
"""


def kind_of(key):
    return key.split(" ")[0]


def write(path, record):
    lines = [HEAD + f"device: {record.device}"]
    logs = {}
    for name, facts in record.runs.items():
        lines.append(f"\n== {name}")
        for key, value in facts.items():
            if kind_of(key) == "log":
                logs.setdefault(key[4:], {})[name] = value
            else:
                lines.append(f"{key}: {value}")
    lines.append("\n== log lines")
    # Launch lines that log as much stand in one row.
    for text in sorted(logs):
        lines.append(text)
        by_count = sorted(logs[text].items(), key=lambda entry: int(entry[1]))
        for count, group in itertools.groupby(by_count, key=lambda entry: entry[1]):
            names = [name for name, _ in group]
            if len(names) > len(record.runs) / 2:
                names = ["all"] + [f"-{name}" for name in record.runs if name not in names]
            lines.append(f"  {count}: {' '.join(names)}")
    path.write_text("\n".join(lines) + "\n")


def read(path):
    device, runs = "", {}
    section, text = None, ""
    for line in path.read_text().splitlines():
        if line.startswith("device: "):
            device = line[len("device: "):]
        elif line.startswith("== "):
            section = line[3:]
            if section != "log lines":
                runs[section] = {}
        elif not line or line.startswith("#"):
            continue
        elif section != "log lines":
            key, value = line.split(": ", 1)
            runs[section][key] = value
        elif not line.startswith("  "):
            text = line
        else:
            count, names = line.strip().split(": ", 1)
            names = names.split(" ")
            if names[0] == "all":
                names = [name for name in runs if f"-{name}" not in names]
            for name in names:
                runs[name][f"log {text}"] = count
    return Record(device, runs)


def gl_change(old, new):
    """-1, 0, or 1: fewer, as many, or more calls. More until the first frame is no loss if there are fewer after it."""
    before, after = ([int(number) for number in calls.split(" ")] for calls in (old, new))
    if after[1] > before[1] or sum(after) > sum(before):
        return 1
    return 0 if after == before else -1


class Comparison:
    def __init__(self, old, new, kinds):
        self.kinds = kinds
        self.differences, self.fewer = [], []
        self.compared = collections.Counter()
        self.different = collections.Counter()
        for name in new:
            if name in old:
                self.compare_line(name, old[name], new[name])
            else:
                self.differences.append(f"{name}: not in the record")
        self.lines = len(new)

    def compare_line(self, name, old, new):
        for key in sorted({**old, **new}, key=lambda key: KINDS.index(kind_of(key))):
            kind = kind_of(key)
            if kind not in self.kinds:
                continue
            self.compared[kind] += 1
            nothing = "0 0 0" if kind == "gl" else "0" if kind == "log" else "(none)"
            before, after = old.get(key, nothing), new.get(key, nothing)
            change = gl_change(before, after) if kind == "gl" else int(before != after)
            text = f"{name}: {key}\n    recorded: {before}\n    now:      {after}"
            if change < 0:
                self.fewer.append(text)
            elif change > 0:
                self.different[kind] += 1
                self.differences.append(text)

    def summary(self):
        parts = [f"{kind}: {self.different[kind]} of {self.compared[kind]} differ" for kind in self.kinds]
        return f"{self.lines} launch lines; " + "; ".join(parts)
