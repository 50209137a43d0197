"""Quality measures: overlap of masks, distance of keypoints."""
from __future__ import annotations

import numpy
from numpy import ndarray

WINDOW = 2
"""Cells on each side of a heatmap peak that determine its subcell position."""


def overlap(mask: ndarray, truth: ndarray) -> float:
    """Intersection over union of values of 0.5 or more; 1 if both are empty."""
    a, b = mask >= 0.5, truth >= 0.5
    union = numpy.logical_or(a, b).sum()
    return float(numpy.logical_and(a, b).sum() / union) if union else 1.0


def peaks(heat: ndarray) -> ndarray:
    """The K peaks {x, y, height} of heatmaps S x S x K, x and y in [0,1]: the mean position around the highest cell."""
    size, _, count = heat.shape
    result = numpy.zeros((count, 3), numpy.float32)
    for k in range(count):
        y, x = numpy.unravel_index(heat[:, :, k].argmax(), (size, size))
        rows, columns = slice(max(y - WINDOW, 0), y + WINDOW + 1), slice(max(x - WINDOW, 0), x + WINDOW + 1)
        near = heat[rows, columns, k]
        total = near.sum() + 1e-9
        middle_y = (near.sum(1) * numpy.arange(rows.start, rows.start + near.shape[0])).sum() / total
        middle_x = (near.sum(0) * numpy.arange(columns.start, columns.start + near.shape[1])).sum() / total
        result[k] = (middle_x + 0.5) / size, (middle_y + 0.5) / size, heat[y, x, k]
    return result


def key_point_errors(found: ndarray, truth: ndarray) -> ndarray:
    """Distances of the visible points from ground truth, in torso lengths: from the middle of the shoulders to
    the middle of the hips.
    """
    torso = numpy.linalg.norm(truth[[5, 6], :2].mean(0) - truth[[11, 12], :2].mean(0))
    seen = truth[:, 2] == 2
    return numpy.linalg.norm(found[seen, :2] - truth[seen, :2], axis=1) / max(torso, 1e-3)
