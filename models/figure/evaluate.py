"""Evaluates the model on figures that are not in the training data: as rendered, and with other light, scale and blur.
Runs it in PyTorch and, as a .tflite file, in the engine. `./dev evaluate-mattes` measures it on photographs.
"""
from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Callable

import numpy
import torch
import torch.nn.functional as functional
from numpy import ndarray

from export_tflite import load_network
from layers import SIZE
from measures import key_point_errors, overlap, peaks
from records import Records
from runs import run_engine, run_torch

Frame = tuple[ndarray, ndarray, ndarray]
"""Image, mask and keypoints, as in records.py."""


def _darker(frame: Frame) -> Frame:
    picture, mask, points = frame
    line = numpy.linspace(0.3, 0.9, SIZE)[None, :, None]
    return (255 * (picture / 255.0) ** 1.3 * line).astype("u1"), mask, points


def _brighter(frame: Frame) -> Frame:
    picture, mask, points = frame
    warm = numpy.array([1.5, 1.35, 1.15])
    return (255 * ((picture / 255.0) ** 0.8 * warm).clip(0, 1)).astype("u1"), mask, points


def _smaller(frame: Frame) -> Frame:
    """Scaled to 0.7 of its size, centered, with replicated border."""
    picture, mask, points = frame
    image = torch.from_numpy(numpy.concatenate([picture, mask[..., None]], 2)).permute(2, 0, 1)[None].float()
    grid = functional.affine_grid(torch.eye(2, 3)[None] / 0.7, [1, 4, SIZE, SIZE], align_corners=False)
    moved = functional.grid_sample(image, grid, padding_mode="border", align_corners=False)[0].permute(1, 2, 0)
    moved = moved.numpy().astype("u1")
    points = points.copy()
    points[:, :2] = (points[:, :2] - 0.5) * 0.7 + 0.5
    return moved[..., :3], moved[..., 3], points


def _moving(frame: Frame) -> Frame:
    """Blurred along a slanted line of 11 pixels."""
    picture, mask, points = frame
    steps = [(round(i * math.sin(0.4)), round(i * math.cos(0.4))) for i in range(-5, 6)]
    moved = [numpy.roll(picture, step, (0, 1)).astype("u2") for step in steps]
    return (sum(moved) // len(steps)).astype("u1"), mask, points


CONDITIONS: dict[str, Callable[[Frame], Frame]] = {
    "as rendered": lambda frame: frame,
    "dark, light from one side": _darker,
    "bright, warm light": _brighter,
    "seven tenths of the size": _smaller,
    "moving, 11 pixels": _moving,
}


def _row(name: str, overlaps: list[float], errors: list[ndarray]) -> str:
    good = (numpy.array(overlaps) >= 0.9).mean()
    distances = numpy.concatenate(errors)
    near = (distances < 0.2).mean()
    return (
        f"| {name} | {len(overlaps)} | {numpy.mean(overlaps):.4f} | {numpy.median(overlaps):.4f} | {good:.0%} | "
        f"{numpy.mean(distances):.3f} | {numpy.median(distances):.3f} | {near:.0%} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev evaluate-model", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("build-model"), help="directory of frames and checkpoint")
    parser.add_argument("--model", type=Path, default=Path(__file__).parent / "figure.tflite")
    parser.add_argument("--command", type=Path, required=True, help="path of sightglass")
    parser.add_argument("--engine-frames", type=int, default=200, help="number of frames to run in the engine")
    options = parser.parse_args()
    network = load_network(options.folder / "checkpoint.pt")
    records = Records(sorted((options.folder / "data").glob("eval-*.figures")))
    frames = [tuple(part[0] for part in records.get([i])) for i in range(len(records))]

    print("| figures | number | mean IoU | median | IoU 0.9 or more | mean keypoint error | median | within 0.2 |")
    print("|---|---|---|---|---|---|---|---|")
    for name, change in CONDITIONS.items():
        overlaps, errors = [], []
        for picture, mask, points in map(change, frames):
            found_mask, heat = run_torch(network, picture)
            overlaps.append(overlap(found_mask, mask / 255))
            errors.append(key_point_errors(peaks(heat), points))
        print(_row(f"{name}, PyTorch", overlaps, errors), flush=True)

    overlaps, errors, off_mask, off_heat, off_overlap = [], [], 0.0, 0.0, 0.0
    for picture, mask, points in frames[: options.engine_frames]:
        expected_mask, expected_heat = run_torch(network, picture)
        found_mask, heat = run_engine(options.command, options.model, picture)
        overlaps.append(overlap(found_mask, mask / 255))
        errors.append(key_point_errors(peaks(heat), points))
        off_mask = max(off_mask, float(abs(found_mask - expected_mask).max()))
        off_heat = max(off_heat, float(abs(heat - expected_heat).max()))
        off_overlap = max(off_overlap, abs(overlaps[-1] - overlap(expected_mask, mask / 255)))
    if overlaps:
        print(_row("as rendered, .tflite on the GPU", overlaps, errors))
        print(
            f"\nMaximum difference between the .tflite on the GPU and PyTorch: masks {off_mask:.4f}, "
            f"heatmaps {off_heat:.4f}, IoU {off_overlap:.4f}."
        )


if __name__ == "__main__":
    main()
