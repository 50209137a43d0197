"""Reads the pictures of Debian's package openclipart-png (public domain) as objects to put behind figures: flags, animals,
food, furniture, vehicles. Those of people are left out, as far as their names tell.
"""
from __future__ import annotations

import argparse
import hashlib
import os
import re
from pathlib import Path

import numpy
import torch
from numpy import ndarray
from PIL import Image
from torch import Generator, Tensor

LIBRARY = Path("/usr/share/openclipart/png")
SIZE = 96
"""Width and height of an object."""
GROUPS = [r"flag", r"^animals/", r"^(food|plants)/", r"^(office|education|electronics|tools|containers|buildings)/", r""]
"""Each is drawn as often as any other. A picture is in the first that its path matches."""
PEOPLE = r"""(?x)^(people|recreation|special|unsorted)/ | (^|[/_-])(people|persons?|m[ae]n|wom[ae]n|girls?|boys?|child|baby|
    faces?|heads?|hands?|portrait|king|queen|jack|smil(e|ey))([/_.-]|$)"""
LEAST_COVER = 0.15
"""Outlines and thin lines cover less of their square."""
Image.MAX_IMAGE_PIXELS = 40_000_000  # it refuses those of twice the size: a few have hundreds of millions


def group_of(name: str) -> int:
    return next(i for i, pattern in enumerate(GROUPS) if re.search(pattern, name, re.IGNORECASE))


def _read(path: Path) -> ndarray | None:
    """SIZE x SIZE x RGBA, centered, or None if there is little to see."""
    try:
        with Image.open(path) as file:
            image = file.convert("RGBA")
    except Image.DecompressionBombError:
        return None
    image.thumbnail((SIZE, SIZE), Image.LANCZOS)
    result = Image.new("RGBA", (SIZE, SIZE))
    result.paste(image, ((SIZE - image.width) // 2, (SIZE - image.height) // 2))
    values = numpy.asarray(result)
    return values if max(image.size) == SIZE and (values[..., 3] > 127).mean() >= LEAST_COVER else None


def collect(library: Path) -> tuple[ndarray, ndarray]:
    """Objects N x SIZE x SIZE x RGBA, and their groups."""
    objects, groups, known = [], [], set()
    for path in sorted(library.rglob("*.png")):
        name = path.relative_to(library).as_posix()
        if re.search(PEOPLE, name, re.IGNORECASE):
            continue
        values = _read(path)
        digest = hashlib.sha256(values).digest() if values is not None else None
        if digest is None or digest in known:
            continue
        known.add(digest)
        objects.append(values)
        groups.append(group_of(name))
    if not objects:
        raise SystemExit(f"{library}: no pictures; install openclipart-png")
    return numpy.stack(objects), numpy.array(groups)


def shapes(count: int) -> tuple[ndarray, ndarray]:
    """Filled polygons in one color each, in place of pictures on a machine that has none."""
    random = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:SIZE, 0:SIZE] / (SIZE - 1) * 2 - 1
    objects = numpy.zeros((count, SIZE, SIZE, 4), "u1")
    for i in range(count):
        sides, turn = random.integers(3, 9), random.random() * 2 * numpy.pi
        around = (numpy.arctan2(y, x) + turn) % (2 * numpy.pi / sides) - numpy.pi / sides
        radius = numpy.hypot(x, y) * numpy.cos(around) / numpy.cos(numpy.pi / sides)
        objects[i, ..., :3] = random.integers(0, 256, 3)
        objects[i, ..., 3] = 255 * (radius <= 1)
    return objects, numpy.arange(count) % len(GROUPS)


class Objects:
    """The file that main() writes."""

    def __init__(self, path: Path) -> None:
        with numpy.load(path) as file:
            self._objects, groups = file["objects"], torch.from_numpy(file["groups"])
        sizes = torch.bincount(groups, minlength=len(GROUPS)).clamp(min=1)
        self._chances = 1 / sizes[groups].float()

    def __len__(self) -> int:
        return len(self._objects)

    def draw(self, count: int, generator: Generator) -> Tensor:
        """count x RGBA x SIZE x SIZE, in [0,1], colors not multiplied by alpha."""
        chosen = torch.multinomial(self._chances, count, True, generator=generator)
        return torch.from_numpy(self._objects[chosen.numpy()]).permute(0, 3, 1, 2).float() / 255


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--library", type=Path, default=LIBRARY)
    parser.add_argument("--shapes", type=int, default=0, help="draw this number of polygons instead")
    options = parser.parse_args()
    objects, groups = shapes(options.shapes) if options.shapes > 0 else collect(options.library)
    part = options.output.with_suffix(".part.npz")
    numpy.savez(part, objects=objects, groups=groups)
    os.replace(part, options.output)
    print(f"{len(objects)} objects, by group: {', '.join(map(str, numpy.bincount(groups)))}")


if __name__ == "__main__":
    main()
