"""How good results are: overlap of masks, distance of key points."""
from __future__ import annotations

import numpy
from numpy import ndarray

WINDOW = 2
"""Places on each side of a heat map's peak that tell where between places it is."""


def overlap(mask: ndarray, truth: ndarray) -> float:
    """Intersection over union of what is 0.5 or more; 1 where both are empty."""
    a, b = mask >= 0.5, truth >= 0.5
    union = numpy.logical_or(a, b).sum()
    return float(numpy.logical_and(a, b).sum() / union) if union else 1.0


def peaks(heat: ndarray) -> ndarray:
    """Of heat maps S x S x K, the K places {x, y, height}, x and y in [0,1]: the mean place around the highest one."""
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
    """Distances of the visible points from the true ones, in torsos: the distance from the middle of the shoulders to
    the middle of the hips.
    """
    torso = numpy.linalg.norm(truth[[5, 6], :2].mean(0) - truth[[11, 12], :2].mean(0))
    seen = truth[:, 2] == 2
    return numpy.linalg.norm(found[seen, :2] - truth[seen, :2], axis=1) / max(torso, 1e-3)
