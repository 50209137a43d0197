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

NAMES = {"outcome": "outcomes", "exit": "failures", "caps": "caps", "frame": "frames", "message": "messages",
         "warning": "warnings", "stat": "statistics", "gl": "numbers of GL calls", "log": "numbers of log lines"}

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


def total(calls):
    return sum(int(number) for number in calls.split(" "))


def has_more(before, after):
    """Whether there are more GL calls, in total or between the first frame and the last."""
    return total(after) > total(before) or int(after.split(" ")[1]) > int(before.split(" ")[1])


class Comparison:
    def __init__(self, old, new, kinds):
        self.kinds = kinds
        self.differences = []
        self.compared = collections.Counter()
        self.different = collections.Counter()
        self.fewer = {}  # calls by function and launch line
        self.lines = len(new)
        for name in new:
            if name in old:
                self.compare_line(name, old[name], new[name])
            else:
                self.differences.append(f"{name}: not in the record")

    def compare_line(self, name, old, new):
        for key in sorted({**old, **new}, key=lambda key: KINDS.index(kind_of(key))):
            kind = kind_of(key)
            if kind not in self.kinds:
                continue
            self.compared[kind] += 1
            nothing = "0 0 0" if kind == "gl" else "0" if kind == "log" else "(none)"
            before, after = old.get(key, nothing), new.get(key, nothing)
            if before == after:
                continue
            if kind == "gl" and not has_more(before, after):
                self.fewer.setdefault(key[3:], {})[name] = (before, after)
                continue
            self.different[kind] += 1
            self.differences.append(f"{name}: {key}\n    recorded: {before}\n    now:      {after}")

    def fewer_lines(self):
        """What became less, by function."""
        for function, lines in sorted(self.fewer.items()):
            saved = sum(total(before) - total(after) for before, after in lines.values())
            name, (before, after) = next(iter(lines.items()))
            yield f"    {function}: {saved} fewer in {len(lines)} launch lines, such as {name}: {before} -> {after}"

    def summary(self):
        parts = [f"{self.different[kind]} of {self.compared[kind]} {NAMES[kind]}" for kind in self.kinds]
        return f"{self.lines} launch lines; different: {', '.join(parts)}"
