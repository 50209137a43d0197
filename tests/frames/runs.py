"""Runs launch lines with frame_record, and leaves out of its output what changes from run to run."""
import hashlib
import os
import pathlib
import re
import subprocess
import typing

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SHARED = SOURCE.parent / "shared"
RUN_LIMIT_S = 600

# Kinds of facts about a run, in the order of the record.
KINDS = ["outcome", "exit", "caps", "frame", "message", "warning", "stat", "gl", "log"]
# How often fences and queries are polled, depends on times.
POLLED_GL = {"ClientWaitSync", "GetQueryObjectuiv", "GetQueryObjectui64v"}
# So does when a fence is deleted, but not whether it is.
LATE_GL = {"DeleteSync"}
# Two functions for one purpose count as one.
SAME_GL = {"BindBufferRange": "BindBufferBase"}
# Statistics that are not counts of our elements: their times, and those of appsink.
TIMES = re.compile(r"-(time|latency|ns)$|^(model|frame|gpu|cpu|start|latency)")
# Log lines that depend on measured times, and on which of two threads negotiates first.
VOLATILE_LOG = re.compile(r"the latency has changed|GPU time per run|GstQueryContext")
# The rest of a log line, and of a message, counts as a hash or not at all.
LOG_LENGTH, MESSAGE_LENGTH = 120, 240


class SkippedTest(Exception):
    pass


class Line(typing.NamedTuple):
    text: str
    without: frozenset  # kinds that are not recorded
    left_out: str  # the reason not to run it; empty if there is none


def in_launch_line(folder):
    """A path as gst-launch-1.0 takes it, which splits words at blanks."""
    return str(folder).replace(" ", r"\ ")


def read_lines(path):
    """The launch lines of the file by name."""
    texts, lines = {}, {}
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, text = line.split(" = ", 1)
        text = re.sub(r"\$[a-z]+", lambda match: texts.get(match[0], match[0]), text)
        if name.startswith("$"):
            texts[name] = text
            continue
        name, _, without = name.partition(" without ")
        missing = "$shared" in text and not SHARED.is_dir()
        lines[name] = Line(text if "appsink" in text else text + " ! appsink name=out", frozenset(without.split(",")),
                           f"the directory {SHARED} is missing" if missing else "")
    return lines


def without_pointers(text):
    return re.sub(r"\b0x[0-9a-f]{6,}\b", "POINTER", text)


def pattern_of(text):
    """A log line without what differs between runs or frames, and without the names of models and tensors."""
    text = without_pointers(text)
    text = re.sub(r"'[^']*'", "'…'", text)
    text = re.sub(r"stream-id=\(string\)[^,;]*", "stream-id=…", text)
    # In quotes if the path has blanks.
    text = re.sub(r'"?\$\w+(/\w+)*/[\w.]+\.tflite"?', "MODEL", text)
    text = re.sub(r"\b[0-9a-f]{16,}\b", "HASH", text)
    text = re.sub(r"(?<![A-Za-z_])-?\d+(\.\d+)?(e[-+]\d+)?", "N", text)
    text = re.sub(r"\\([^n])", r"\1", text)
    return text[:LOG_LENGTH].rstrip()


def shortened(text):
    """The text, or its beginning and a hash of all."""
    if len(text) <= MESSAGE_LENGTH:
        return text
    return f"{text[:MESSAGE_LENGTH]}… {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def natural(text):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


class Machine:
    """This machine with the plugins of a build folder, and a folder for files."""

    def __init__(self, build, work):
        self.build, self.work = build, work
        self.program = build / "tests/frames/frame_record"
        self.models = work / "models"
        self.models.mkdir()
        self.environment = dict(os.environ, LC_ALL="C.UTF-8", TZ="UTC", XDG_DATA_HOME=str(work / "data"),
                                SIGHTGLASS_COMPILER_THREADS="1",  # otherwise, numbers of calls vary
                                GST_PLUGIN_PATH=str(build / "gst_plugin"), GST_REGISTRY=str(work / "registry.bin"))
        for name, value in (("PLATFORM", "egl"), ("WINDOW", "egl-device"), ("API", "gles2")):
            self.environment.setdefault(f"GST_GL_{name}", value)
        for name in ("GST_DEBUG", "GST_DEBUG_FILE", "GST_TRACERS", "LD_PRELOAD"):
            self.environment.pop(name, None)
        subprocess.run([self.program, "--models", self.models], check=True)
        found = subprocess.run([self.program, "--device"], env=self.environment, stdout=subprocess.PIPE, text=True,
                               check=False)
        self.device = found.stdout.strip()
        if found.returncode != 0:
            raise SkippedTest("this machine has no OpenGL ES context")

    def run(self, name, line):
        """What the line does: values by key, in the order of the record."""
        cache = self.work / "cache" / name
        cache.mkdir(parents=True)
        text = line.text
        for word, folder in self.folders():
            text = text.replace(word, in_launch_line(folder))
        result = subprocess.run([self.program, text], env=dict(self.environment, XDG_CACHE_HOME=str(cache)),
                                capture_output=True, text=True, errors="replace", timeout=RUN_LIMIT_S, check=False)
        facts = self.facts(result.stdout)
        if result.returncode != 0:
            facts["exit"] = str(result.returncode)
            print(f"{name}: {result.stderr}")
        return {key: value for key, value in facts.items() if key.split(" ")[0] not in line.without}

    def folders(self):
        return (("$models", self.models), ("$work", self.work), ("$pictures", SOURCE / "docs/images"),
                ("$source", SOURCE), ("$shared", SHARED))

    def facts(self, output):
        facts, numbers = {}, {}
        for line in output.splitlines():
            for word, folder in self.folders():
                line = line.replace(in_launch_line(folder), word).replace(str(folder), word)
            key, _, value = line.partition(": ")
            words = key.split(" ")
            if words[0] == "log" and VOLATILE_LOG.search(value):
                continue
            if words[0] == "log":
                key = f"{key} {pattern_of(value)}"
                facts[key] = facts.get(key, 0) + 1
            elif words[0] in ("message", "warning"):
                numbers[words[0]] = numbers.get(words[0], 0) + 1
                facts[f"{words[0]} {numbers[words[0]]}"] = shortened(without_pointers(value))
            elif words[0] == "gl":
                self.add_calls(facts, words[1], [int(calls) for calls in value.split(" ")])
            elif words[0] != "stat" or self.is_count(words):
                facts[key] = value
        if facts.get("outcome") != "end":
            # An error ends the pipeline at any point of what other elements do.
            facts = {key: value for key, value in facts.items() if key in ("outcome", "exit")}
        facts = {key: str(value) for key, value in facts.items()}
        return dict(sorted(facts.items(), key=lambda fact: (KINDS.index(fact[0].split(" ")[0]), natural(fact[0]))))

    @staticmethod
    def add_calls(facts, function, calls):
        if function in POLLED_GL:
            return
        if function in LATE_GL:
            calls = [0, 0, sum(calls)]
        key = f"gl {SAME_GL.get(function, function)}"
        before = [int(number) for number in facts.get(key, "0 0 0").split(" ")]
        facts[key] = " ".join(str(old + new) for old, new in zip(before, calls))

    @staticmethod
    def is_count(words):
        return words[1].startswith("gl") and not TIMES.search(words[2])
