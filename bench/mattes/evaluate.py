"""Compares the mattes of glsegment with the true ones of rendered figures, and with the masks of photographs.

Each line of the tables is one set of properties of glsegment: those of every --settings, or else each value of
`refine`.
"""
from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Iterator

import metrics
import numpy
from numpy import ndarray
from pipelines import frames_of, picture, segmented, versions, words_of

GREEN = (0, 255, 0)


@dataclass
class Photograph:
    name: str
    mask: str
    """In which people are blue or white, and nothing else has any blue."""
    people: tuple[float, float, float, float] = (0, 0, 0, 0)
    """Left, top, right, bottom, as shares of the size: a rectangle with nothing but people, which the mask has holes in."""


PHOTOGRAPHS = (
    Photograph("mp_portrait.jpg", "mp_portrait_segmentation_golden.png"),
    Photograph("mp_pose.jpg", "mp_pose_segmentation_golden.png"),
    # The hole is a part of a sweater.
    Photograph("mp_three_people.jpg", "mp_three_people_binary_mask.png", (0.15, 0.52, 0.314, 0.735)),
)
EQUAL_FRAMES = 4
"""How often a photograph is shown; the last result counts, because models and smoothing depend on earlier frames."""
TOLERANCES = (1, 4)
"""Pixels within which boundaries of masks agree."""
MARKERS = ("<!-- tables -->\n", "<!-- end of tables -->\n")
COLUMNS: dict[str, str] = {
    "SAD": "{:.2f}",
    "MSE": "{:.2f}",
    "Grad": "{:.2f}",
    "Conn": "{:.2f}",
    "dtSSD": "{:.2f}",
    "edge color": "{:.1f}",
}


class Figures:
    """Clips of figures with their true alpha and foreground."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.clip = options.frames
        self.size = options.size
        self.count = options.clips * options.frames
        self.path = options.folder / "picture.raw"
        width, height = options.size
        source = f"glfiguresrc num-buffers={self.count} seed={options.seed} seed-interval={self.clip} {options.figures}"
        caps = f"video/x-raw(memory:GLMemory),width={width},height={height},framerate=30/1"

        def rendered(output: str, path: Path) -> ndarray:
            return frames_of(f"{source} output={output} ! {caps} ! gldownload", self.size, path)

        self._picture = rendered("picture", self.path)
        self._alpha = rendered("alpha", options.folder / "alpha.raw")
        self._foreground = rendered("foreground", options.folder / "foreground.raw")

    def picture(self, frame: int) -> ndarray:
        return self._picture[frame, ..., :3].astype(float)

    def alpha(self, frame: int) -> ndarray:
        return self._alpha[frame, ..., 0] / 255

    def foreground(self, frame: int) -> ndarray:
        return self._foreground[frame, ..., :3].astype(float)


def figure_scores(figures: Figures, settings: str) -> dict[str, float]:
    """Means over the frames."""
    color = "0xff{:02x}{:02x}{:02x}".format(*GREEN)
    mattes = segmented(figures.path, figures.size, f"{settings} background=transparent alpha=straight")[..., 3]
    over_green = segmented(figures.path, figures.size, f"{settings} background=color background-color={color}")
    scores: dict[str, list[float]] = {name: [] for name in COLUMNS}
    found_before = truth_before = numpy.zeros(0)
    for frame in range(figures.count):
        found, truth = mattes[frame] / 255, figures.alpha(frame)
        scores["SAD"].append(metrics.sad(found, truth))
        scores["MSE"].append(metrics.mse(found, truth))
        scores["Grad"].append(metrics.gradient_error(found, truth))
        scores["Conn"].append(metrics.connectivity_error(found, truth))
        if frame % figures.clip > 0:
            scores["dtSSD"].append(metrics.dtssd(found, truth, found_before, truth_before))
        composed = metrics.composed(truth, figures.foreground(frame), GREEN)
        scores["edge color"].append(metrics.edge_color_error(over_green[frame, ..., :3], composed, truth))
        found_before, truth_before = found, truth
    return {name: float(numpy.mean(values)) if values else 0.0 for name, values in scores.items()}


def spilled_color(figures: Figures) -> float:
    """The edge color error of the true alpha with the colors of the picture, into which the background is mixed."""
    errors = []
    for frame in range(figures.count):
        truth = figures.alpha(frame)
        spilled = metrics.composed(truth, figures.picture(frame), GREEN)
        composed = metrics.composed(truth, figures.foreground(frame), GREEN)
        errors.append(metrics.edge_color_error(spilled, composed, truth))
    return float(numpy.mean(errors))


def truth_of(photo: Photograph, folder: Path, options: argparse.Namespace) -> ndarray:
    """The mask, without its holes unless they are asked for."""
    truth = picture(folder / photo.mask, options.size, options.folder / "mask.raw")[..., 2] / 255
    if not options.masks_as_published:
        (width, height), (left, top, right, bottom) = options.size, photo.people
        truth[round(top * height) : round(bottom * height), round(left * width) : round(right * width)] = 1
    return truth


def photograph_scores(photo: Photograph, folder: Path, settings: str, options: argparse.Namespace) -> list[float]:
    """The boundary F-measure within each tolerance, and intersection over union."""
    truth = truth_of(photo, folder, options)
    path = options.folder / "photograph.raw"
    picture(folder / photo.name, options.size, path)
    path.write_bytes(path.read_bytes() * EQUAL_FRAMES)
    found = segmented(path, options.size, f"{settings} background=mask")[-1, ..., 0] / 255
    return [*(metrics.boundary_f(found, truth, tolerance) for tolerance in TOLERANCES), metrics.iou(found, truth)]


def table(heads: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    for cells in (heads, ["---"] * len(heads)):
        yield "| " + " | ".join(cells) + " |"
    for cells in rows:
        yield "| " + " | ".join(cells) + " |"


def figure_table(options: argparse.Namespace, sets: list[str]) -> Iterator[str]:
    if options.clips == 0:
        return
    figures = Figures(options)
    yield (
        f"Rendered figures: {options.clips} clips of {options.frames} frames, {options.size[0]}x{options.size[1]}, "
        f"`glfiguresrc seed={options.seed} seed-interval={options.frames} {options.figures}`, model "
        f"`{model_name(options.model)}`. Lower is better."
    )
    yield ""

    def rows() -> Iterator[list[str]]:
        for settings in sets:
            scores = figure_scores(figures, f"model={quote(options.model)} {settings}")
            yield [f"`{settings}`", *(form.format(scores[name]) for name, form in COLUMNS.items())]
        perfect = dict.fromkeys(COLUMNS, 0.0) | {"edge color": spilled_color(figures)}
        yield ["true alpha", *(form.format(perfect[name]) for name, form in COLUMNS.items())]

    yield from table(["settings", *COLUMNS], rows())


def photograph_table(options: argparse.Namespace, sets: list[str]) -> Iterator[str]:
    found = [(photo, folder) for folder in options.media for photo in PHOTOGRAPHS]
    found = [(photo, folder) for photo, folder in found if all((folder / n).is_file() for n in (photo.name, photo.mask))]
    if not found:
        return
    yield ""
    yield (
        f"Photographs, stretched to {options.size[0]}x{options.size[1]}, model "
        f"`{model_name(options.photograph_model)}`: boundary F-measure within {' and '.join(map(str, TOLERANCES))} pixels, and IoU. "
        "Higher is better."
    )
    yield ""

    def rows() -> Iterator[list[str]]:
        for settings in sets:
            cells = [f"`{settings}`"]
            for photo, folder in found:
                with_model = f"model={quote(options.photograph_model)} {settings}"
                scores = photograph_scores(photo, folder, with_model, options)
                cells.append(", ".join(f"{score:.3f}" for score in scores))
            yield cells

    yield from table(["settings", *(f"`{photo.name}`" for photo, _ in found)], rows())


def model_name(model: str) -> str:
    return Path(model).name


def size_of(text: str) -> tuple[int, int]:
    width, height = map(int, text.split("x"))
    return width, height


def replaced(page: str, tables: str) -> str:
    """The page with other text between the markers."""
    before, rest = page.split(MARKERS[0], 1)
    return f"{before}{MARKERS[0]}\n{tables}\n{MARKERS[1]}{rest.split(MARKERS[1], 1)[1]}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev evaluate-mattes", description=__doc__)
    parser.add_argument("--settings", action="append", help="properties of glsegment to measure; may be repeated")
    parser.add_argument("--model", default="figure", help="of glsegment, for figures")
    parser.add_argument("--figures", default="detail=fine shutter=0.5", help="properties of glfiguresrc")
    parser.add_argument("--seed", type=int, default=2000000, help="of the first clip")
    parser.add_argument("--clips", type=int, default=6, help="of figures; 0: only photographs")
    parser.add_argument("--frames", type=int, default=4, help="per clip")
    parser.add_argument("--size", type=size_of, default=(1280, 720), metavar="WIDTHxHEIGHT")
    parser.add_argument("--folder", type=Path, required=True, help="directory for frames")
    parser.add_argument("--media", type=Path, action="append", default=[], help="directory of photographs with masks")
    parser.add_argument("--photograph-model", default="selfie-segmenter", help="of glsegment, for photographs")
    parser.add_argument("--masks-as-published", action="store_true", help="leave known holes in masks of photographs")
    parser.add_argument("--write", type=Path, help="page whose tables to replace")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    sets = options.settings or [f"refine={word}" for word in words_of("glsegment", "refine")]
    lines: list[str] = []

    def show(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    for make in (figure_table, photograph_table):
        for line in make(options, sets):
            show(line)
    show("")
    show(f"Measured with {versions()}.")
    if options.write:
        options.write.write_text(replaced(options.write.read_text(), "\n".join(lines) + "\n"))


if __name__ == "__main__":
    main()
