"""Reads files written by sightglass-render-figures."""
from __future__ import annotations

import struct
from pathlib import Path

import numpy

from layers import KEY_POINTS

_HEADER = struct.Struct("<8s4I")


class Records:
    """Frames of glfiguresrc from one or more files, read on demand."""

    def __init__(self, paths: list[Path]) -> None:
        if not paths:
            raise SystemExit("no rendered figures found; ./dev train renders them")
        self._files = [_open(path) for path in paths]
        self._index = [(f, r) for f, file in enumerate(self._files) for r in range(len(file))]
        self.size = self._files[0]["picture"].shape[1]
        """Width and height of the images."""
        if any(file["picture"].shape[1] != self.size for file in self._files):
            raise SystemExit(f"{paths[0]} and others differ in image size; delete them to render them again")

    def __len__(self) -> int:
        return len(self._index)

    def points(self) -> numpy.ndarray:
        """The keypoints of all frames."""
        return numpy.concatenate([file["points"] for file in self._files])

    def get(self, indices: list[int]) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
        """Images N x S x S x 3 and masks N x S x S as bytes; keypoints N x 17 x {x, y, visibility}, x and y in
        [0,1] inside the image, visibility 0 outside of it, 1 hidden, 2 visible.
        """
        chosen = [self._files[f][r] for f, r in (self._index[i] for i in indices)]
        return tuple(numpy.stack([record[field] for record in chosen]) for field in ("picture", "mask", "points"))


def _open(path: Path) -> numpy.ndarray:
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
    if len(header) < _HEADER.size or not header.startswith(b"SGFIGS01"):
        raise SystemExit(f"{path}: not a file of sightglass-render-figures; delete it to render it again")
    _, size, count, _, _ = _HEADER.unpack(header)
    record = numpy.dtype(
        [
            ("seed", "<u4"),
            ("points", "<f4", (KEY_POINTS, 3)),
            ("picture", "u1", (size, size, 3)),
            ("mask", "u1", (size, size)),
        ]
    )
    if path.stat().st_size != _HEADER.size + count * record.itemsize:
        raise SystemExit(f"{path}: its length does not match its header; delete it to render it again")
    return numpy.memmap(path, record, "r", _HEADER.size, (count,))
