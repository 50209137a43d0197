"""Compares the mattes of glsegment with the true ones of rendered figures, and with the masks of photographs.

Each line of the tables is one set of properties of glsegment: those of every --settings, or else each value of
`refine`.
"""
from __future__ import annotations

import argparse
from pathlib import Path
from typing import Iterator

import metrics
import numpy
from numpy import ndarray
from pipelines import frames_of, picture, segmented, versions, words_of

GREEN = (0, 255, 0)
PHOTOGRAPHS = {
    "mp_portrait.jpg": "mp_portrait_segmentation_golden.png",
    "mp_pose.jpg": "mp_pose_segmentation_golden.png",
    "mp_three_people.jpg": "mp_three_people_binary_mask.png",
}
"""And their masks, in which people are blue or white, and nothing else has any blue."""
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


def photograph_scores(photo: Path, mask: Path, settings: str, options: argparse.Namespace) -> list[float]:
    """The boundary F-measure within each tolerance."""
    truth = picture(mask, options.size, options.folder / "mask.raw")[..., 2] / 255
    path = options.folder / "photograph.raw"
    picture(photo, options.size, path)
    found = segmented(path, options.size, f"{settings} background=mask")[0, ..., 0] / 255
    return [metrics.boundary_f(found, truth, tolerance) for tolerance in TOLERANCES]


def table(heads: list[str], rows: Iterator[list[str]]) -> Iterator[str]:
    for cells in (heads, ["---"] * len(heads)):
        yield "| " + " | ".join(cells) + " |"
    for cells in rows:
        yield "| " + " | ".join(cells) + " |"


def figure_table(options: argparse.Namespace, sets: list[str]) -> Iterator[str]:
    figures = Figures(options)
    yield (
        f"Rendered figures: {options.clips} clips of {options.frames} frames, {options.size[0]}x{options.size[1]}, "
        f"`glfiguresrc seed={options.seed} seed-interval={options.frames} {options.figures}`, model "
        f"`{model_name(options.model)}`. Lower is better."
    )
    yield ""

    def rows() -> Iterator[list[str]]:
        for settings in sets:
            scores = figure_scores(figures, f"model={options.model} {settings}")
            yield [f"`{settings}`", *(form.format(scores[name]) for name, form in COLUMNS.items())]
        perfect = dict.fromkeys(COLUMNS, 0.0) | {"edge color": spilled_color(figures)}
        yield ["true alpha", *(form.format(perfect[name]) for name, form in COLUMNS.items())]

    yield from table(["settings", *COLUMNS], rows())


def photograph_table(options: argparse.Namespace, sets: list[str]) -> Iterator[str]:
    pairs = [(folder / photo, folder / mask) for folder in options.media for photo, mask in PHOTOGRAPHS.items()]
    pairs = [pair for pair in pairs if pair[0].is_file() and pair[1].is_file()]
    if not pairs:
        return
    yield ""
    yield (
        f"Photographs, stretched to {options.size[0]}x{options.size[1]}, model "
        f"`{model_name(options.photograph_model)}`: boundary F-measure within {' and '.join(map(str, TOLERANCES))} pixels. Higher is better."
    )
    yield ""

    def rows() -> Iterator[list[str]]:
        for settings in sets:
            cells = [f"`{settings}`"]
            for pair in pairs:
                scores = photograph_scores(*pair, f"model={options.photograph_model} {settings}", options)
                cells.append(", ".join(f"{score:.3f}" for score in scores))
            yield cells

    yield from table(["settings", *(f"`{photo.name}`" for photo, _ in pairs)], rows())


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
    parser.add_argument("--clips", type=int, default=6)
    parser.add_argument("--frames", type=int, default=4, help="per clip")
    parser.add_argument("--size", type=size_of, default=(1280, 720), metavar="WIDTHxHEIGHT")
    parser.add_argument("--folder", type=Path, required=True, help="directory for frames")
    parser.add_argument("--media", type=Path, action="append", default=[], help="directory of photographs with masks")
    parser.add_argument("--photograph-model", default="selfie-segmenter", help="of glsegment, for photographs")
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
