"""Compares the defaults of glsegment with the plain masks of its models: in no clip may they be worse.

Clips are rendered figures with their true alpha, photographs with their masks, of people who stand still, and videos with
what most of the models see in them. Each is shown as it is, with the noise of a camera, with lights that change, and after
a cut. Exits with 1 if the defaults have a worse boundary, flicker more, or blink more than `refine=none smoothing=0`.
"""
from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Callable

import metrics
import numpy
from evaluate import PHOTOGRAPHS, model_name, size_of, truth_of
from numpy import ndarray
from pipelines import frames_of, picture, segmented

PLAIN = "refine=none smoothing=0"
REFINED = "refine=guided smoothing=0"
VIDEOS = ("mp_pose_squats.mp4",)
SETTLED = 2
"""Frames after which a clip counts."""
TOLERANCE = 2
"""Pixels within which boundaries agree, at a width of 640."""


@dataclass
class Clip:
    name: str
    frames: ndarray
    """N x H x W x 4 bytes."""
    truth: ndarray
    """N x H x W, in [0,1]."""


def noisy(sigma: float) -> Callable[[Clip, Clip], Clip]:
    def change(clip: Clip, _: Clip) -> Clip:
        random = numpy.random.default_rng(5)
        frames = clip.frames.astype("f4")
        frames[..., :3] += random.normal(0, sigma, frames[..., :3].shape)
        return Clip(clip.name, numpy.clip(numpy.rint(frames), 0, 255).astype("u1"), clip.truth)

    return change


def lights(clip: Clip, _: Clip) -> Clip:
    """Darker from frame to frame, and at once by a third in the middle."""
    count = len(clip.frames)
    levels = numpy.array([1 - 0.02 * i if i < count // 2 else 0.6 for i in range(count)])
    frames = clip.frames.copy()
    frames[..., :3] = frames[..., :3] * levels[:, None, None, None]
    return Clip(clip.name, frames, clip.truth)


def cut(clip: Clip, other: Clip) -> Clip:
    """The first half is of another clip."""
    half = len(clip.frames) // 2
    frames = numpy.concatenate([other.frames[:half], clip.frames[half:]])
    return Clip(clip.name, frames, numpy.concatenate([other.truth[:half], clip.truth[half:]]))


CONDITIONS: dict[str, Callable[[Clip, Clip], Clip]] = {
    "as it is": lambda clip, _: clip,
    "noise 7": noisy(7),
    "noise 14": noisy(14),
    "lights": lights,
    "a cut": cut,
}


@dataclass
class Scores:
    boundary: float
    flicker: float
    blinking: float

    # What is left to rounding, and to the few frames of a clip.
    def is_worse_than(self, other: Scores) -> bool:
        return (
            self.boundary < other.boundary - 0.01
            or self.flicker > 1.02 * other.flicker + 0.05
            or self.blinking > other.blinking + 0.02
        )


def scores(found: ndarray, truth: ndarray) -> Scores:
    """Means over the frames that count; the changes at a cut and after it, when a model can look closer, do not."""
    tolerance = max(round(TOLERANCE * found.shape[2] / 640), 1)
    boundary, flicker, blinking = [], [], []
    for i in range(SETTLED, len(found)):
        boundary.append(metrics.boundary_f(found[i], truth[i], tolerance))
        if max(numpy.abs(truth[j] - truth[j - 1]).mean() for j in (i - 1, i)) > 0.05:
            continue
        flicker.append(metrics.dtssd(found[i], truth[i], found[i - 1], truth[i - 1]))
        blinking.append(metrics.blinking(found[i], truth[i], found[i - 1], truth[i - 1]))
    return Scores(*(float(numpy.mean(values)) for values in (boundary, flicker, blinking)))


def figure(seed: int, options: argparse.Namespace) -> Clip:
    count = options.frames
    source = f"glfiguresrc num-buffers={count} seed={seed} seed-interval={count} detail=fine shutter=0.5"
    width, height = options.size
    caps = f"video/x-raw(memory:GLMemory),width={width},height={height},framerate=30/1"

    def rendered(output: str) -> ndarray:
        path = options.folder / f"{output}.raw"
        return numpy.array(frames_of(f"{source} output={output} ! {caps} ! gldownload", options.size, path))

    return Clip(f"figure {seed}", rendered("picture"), rendered("alpha")[..., 0] / 255)


def photographs(options: argparse.Namespace) -> list[Clip]:
    clips = []
    for photo in PHOTOGRAPHS:
        for folder in options.media:
            if (folder / photo.name).is_file() and (folder / photo.mask).is_file():
                still = picture(folder / photo.name, options.size, options.folder / "photograph.raw")
                truth = truth_of(photo, folder, options)
                count = options.frames
                clips.append(Clip(photo.name, numpy.repeat(still[None], count, 0), numpy.repeat(truth[None], count, 0)))
    return clips


def videos(options: argparse.Namespace) -> list[Clip]:
    """Nobody has drawn their truth: it is the median of the refined masks of all models for photographs."""
    clips = []
    for path in [folder / name for name in VIDEOS for folder in options.media if (folder / name).is_file()]:
        width, height = options.size
        caps = f"video/x-raw,width={width},height={height},pixel-aspect-ratio=1/1"
        scaled = f"decodebin ! videoconvert ! videoscale add-borders=false ! {caps} ! videoconvert"
        raw = options.folder / "video.raw"
        every = frames_of(f"filesrc location={quote(str(path))} ! {scaled}", options.size, raw)
        frames = numpy.array(every[: options.frames])
        frames.tofile(raw)
        masks = [
            segmented(raw, options.size, f"model={quote(model)} {REFINED} background=mask")[..., 0] / 255
            for model in options.photograph_model
        ]
        if masks:
            clips.append(Clip(path.name, frames, numpy.median(masks, 0)))
    return clips


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev evaluate-mattes --gate", description=__doc__)
    parser.add_argument("--model", action="append", help="of glsegment; may be repeated (default: the bundled models)")
    parser.add_argument("--seed", type=int, action="append", help="of a figure; may be repeated")
    parser.add_argument("--frames", type=int, default=10, help="per clip")
    parser.add_argument("--size", type=size_of, default=(640, 360), metavar="WIDTHxHEIGHT")
    parser.add_argument("--folder", type=Path, required=True, help="directory for frames")
    parser.add_argument("--media", type=Path, action="append", default=[], help="directory of photographs with masks")
    parser.add_argument("--masks-as-published", action="store_true", help="leave known holes in masks of photographs")
    parser.add_argument("--photograph-model", action="append", default=[], help="a model for photographs; may be repeated")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    figures = [figure(seed, options) for seed in options.seed or [2000002, 2000009]]
    pictures = photographs(options) + videos(options)
    path = options.folder / "clip.raw"
    worse = 0
    print("| model | clip | condition | boundary F | dtSSD | blinking |  |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    pairs = [(model, figures) for model in options.model or ["figure", "figure-recurrent"]]
    pairs += [(model, pictures) for model in options.photograph_model]
    for model, clips in pairs:
        for i, clip in enumerate(clips):
            for name, change in CONDITIONS.items():
                shown = change(clip, clips[(i + 1) % len(clips)])
                shown.frames.tofile(path)

                def measured(settings: str) -> Scores:
                    words = f"model={quote(model)} {settings} background=mask"
                    return scores(segmented(path, options.size, words)[..., 0] / 255, shown.truth)

                plain, default = measured(PLAIN), measured("")
                failed = default.is_worse_than(plain)
                worse += failed
                print(
                    f"| `{model_name(model)}` | {clip.name} | {name} "
                    f"| {plain.boundary:.3f} → {default.boundary:.3f} | {plain.flicker:.2f} → {default.flicker:.2f} "
                    f"| {plain.blinking:.3f}% → {default.blinking:.3f}% | {'worse' if failed else ''} |",
                    flush=True,
                )
    if worse:
        raise SystemExit(f"the defaults are worse than {PLAIN} in {worse} of the lines above")


if __name__ == "__main__":
    main()
