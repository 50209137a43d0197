"""Runs the model in PyTorch, and its .tflite file in the engine."""
from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy
import torch
from numpy import ndarray

from layers import HEAT_SIZE, KEY_POINTS, SIZE
from network import FigureNetwork


def run_torch(
    network: FigureNetwork, picture: ndarray, previous: ndarray | None = None
) -> tuple[ndarray, ndarray]:
    """Mask SIZE x SIZE and heatmaps HEAT_SIZE x HEAT_SIZE x 17 of an image SIZE x SIZE x 3, bytes, and of the mask of the
    frame before.
    """
    x = torch.from_numpy(picture).permute(2, 0, 1)[None].float() / 255
    before = None if previous is None else torch.from_numpy(previous)[None, None].float()
    with torch.no_grad():
        mask, heat = network(x, before)
    return torch.sigmoid(mask)[0, 0].numpy(), torch.sigmoid(heat)[0].permute(1, 2, 0).numpy()


def run_engine(
    command: Path, model: Path, picture: ndarray, previous: ndarray | None = None
) -> tuple[ndarray, ndarray]:
    """The same with `sightglass run`. Only the recurrent model takes a previous mask."""
    values = picture.astype("<f4") / 255
    if previous is not None:
        values = numpy.concatenate([values, previous[..., None].astype("<f4")], 2)
    with TemporaryDirectory() as name:
        folder = Path(name)
        values.tofile(folder / "picture.raw")
        run = [command, "run", model, "--input", folder / "picture.raw", "--output-prefix", folder / "result"]
        subprocess.run([*run, "--runs", "0"], check=True, stdout=subprocess.DEVNULL)
        mask = numpy.fromfile(folder / "result.out0.raw", "<f4").reshape(SIZE, SIZE)
        heat = numpy.fromfile(folder / "result.out1.raw", "<f4").reshape(HEAT_SIZE, HEAT_SIZE, KEY_POINTS)
    return mask, heat
