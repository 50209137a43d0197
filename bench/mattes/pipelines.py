"""Frames of GStreamer pipelines as arrays. The environment says where the plugin is, and that there is no window."""
from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from shlex import quote, split
from tempfile import TemporaryDirectory

import numpy
from numpy import ndarray

RGBA = "video/x-raw,format=RGBA"


def _run(words: list[str], **environment: str) -> str:
    """What the command says on standard error; ends the process with that if the command fails."""
    done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}\nfailed: {done.stderr.strip()}")
    return done.stderr


def frames_of(pipeline: str, size: tuple[int, int], path: Path) -> ndarray:
    """Writes the RGBA frames of a pipeline, of width and height `size`, to a file: N x H x W x 4 bytes.

    Values with blanks are quoted as for a shell."""
    unfinished = path.with_suffix(".part")
    _run(["gst-launch-1.0", "-q", *split(f"{pipeline} ! {RGBA} ! filesink location={quote(str(unfinished))}")])
    unfinished.rename(path)
    return numpy.memmap(path, "u1", "r").reshape(-1, size[1], size[0], 4)


def segmented(frames: Path, size: tuple[int, int], settings: str) -> ndarray:
    """The frames of a file, as frames_of() writes them, after glsegment with these properties."""
    parse = f"rawvideoparse format=rgba width={size[0]} height={size[1]} framerate=30/1"
    with TemporaryDirectory() as folder:
        pipeline = f"filesrc location={quote(str(frames))} ! {parse} ! glupload ! glsegment {settings} ! gldownload"
        return numpy.array(frames_of(pipeline, size, Path(folder) / "result.raw"))


def picture(path: Path, size: tuple[int, int], result: Path) -> ndarray:
    """A PNG or JPEG file, stretched to the size: H x W x 4 bytes."""
    caps = f"video/x-raw,width={size[0]},height={size[1]},pixel-aspect-ratio=1/1"
    scale = f"decodebin ! videoconvert ! videoscale add-borders=false ! {caps} ! videoconvert"
    return frames_of(f"filesrc location={quote(str(path))} ! {scale}", size, result)[0]


def words_of(element: str, property_name: str) -> list[str]:
    """The values of an enumeration property."""
    page = subprocess.run(["gst-inspect-1.0", element], check=True, capture_output=True, text=True).stdout
    lines = page.split(f"\n  {property_name} ", 1)[1].split("\n")[1:]
    words = []
    for line in lines:
        if value := re.match(r" +\(-?\d+\): +(\S+)", line):
            words.append(value.group(1))
        elif words:
            break
    return words


def versions() -> str:
    """Of GStreamer, and of what draws."""
    version = subprocess.run(["gst-launch-1.0", "--version"], check=True, capture_output=True, text=True).stdout
    log = _run(
        "gst-launch-1.0 -q gltestsrc num-buffers=1 ! fakesink".split(), GST_DEBUG="glcontext:4", GST_DEBUG_NO_COLOR="1"
    )
    facts = [version.split("\n")[1]]
    for name in ("GL_RENDERER", "GL_VERSION"):
        if value := re.search(rf"{name}: (.*)", log):
            facts.append(value.group(1))
    return ", ".join(facts)
