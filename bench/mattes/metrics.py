"""How far an alpha matte is from the true one.

Mattes are arrays H x W in [0,1]; colors are arrays H x W x 3 of levels from 0 to 255. SAD, MSE, gradient and
connectivity are those of Rhemann et al., "A perceptually motivated online benchmark for image matting" (2009), over the
whole frame: there is no trimap. dtSSD is that of Erofeev et al., "Perceptually motivated benchmark for video matting"
(2015).
"""
from __future__ import annotations

import math

import numpy
from numpy import ndarray

SIGMA = 1.4
"""Of the Gaussian whose derivative gradient_error() takes, in pixels."""
CONNECTIVITY_STEP = 0.1
CONNECTIVITY_SLACK = 0.15
"""A pixel that is connected up to this much below its alpha counts as connected."""
EDGE = (0.02, 0.98)
"""Pixels whose true alpha is between these are an edge."""


def sad(found: ndarray, truth: ndarray) -> float:
    """Sum of absolute differences, in thousands."""
    return float(abs(found - truth).sum()) / 1e3


def mse(found: ndarray, truth: ndarray) -> float:
    """Mean squared difference, in thousandths."""
    return float(((found - truth) ** 2).mean()) * 1e3


def _filtered(matte: ndarray, weights: ndarray, axis: int) -> ndarray:
    """Correlated with the weights along an axis; the border is repeated."""
    reach = len(weights) // 2
    padded = numpy.pad(matte, [(reach, reach) if a == axis else (0, 0) for a in range(2)], mode="edge")
    size = matte.shape[axis]
    parts = (w * padded.take(range(i, i + size), axis) for i, w in enumerate(weights))
    return sum(parts, numpy.zeros(matte.shape))


def gradient(matte: ndarray) -> ndarray:
    """Magnitude of the gradient of the smoothed matte; the filters have a norm of 1."""
    least = 1e-2  # of the Gaussian that the filters keep
    reach = math.ceil(SIGMA * math.sqrt(-2 * math.log(math.sqrt(2 * math.pi) * SIGMA * least)))
    x = numpy.arange(-reach, reach + 1)
    bell = numpy.exp(-(x**2) / (2 * SIGMA**2))
    slope = x * bell
    bell, slope = bell / numpy.linalg.norm(bell), slope / numpy.linalg.norm(slope)
    across = _filtered(_filtered(matte, slope, 1), bell, 0)
    down = _filtered(_filtered(matte, slope, 0), bell, 1)
    return numpy.hypot(across, down)


def gradient_error(found: ndarray, truth: ndarray) -> float:
    """Sum of squared differences of the gradients, in thousands."""
    return float(((gradient(found) - gradient(truth)) ** 2).sum()) / 1e3


def largest_component(mask: ndarray) -> ndarray:
    """The pixels of the largest 4-connected component of a mask, the first in reading order of equally large ones."""
    edges = numpy.diff(numpy.pad(mask.astype("i1"), ((0, 0), (1, 1))), axis=1)
    rows, starts = numpy.nonzero(edges == 1)
    ends = numpy.nonzero(edges == -1)[1]
    if len(rows) == 0:
        return numpy.zeros(mask.shape, bool)
    parent = list(range(len(rows)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    # Runs of neighboring rows that share a column are connected. Where a row ends, `first` leads to the next.
    first = numpy.searchsorted(rows, numpy.arange(mask.shape[0] + 1))
    for row in range(1, mask.shape[0]):
        above, here = int(first[row - 1]), int(first[row])
        while above < first[row] and here < first[row + 1]:
            if starts[above] < ends[here] and starts[here] < ends[above]:
                a, b = sorted((root(above), root(here)))
                parent[b] = a
            if ends[above] < ends[here]:
                above += 1
            else:
                here += 1
    roots = numpy.array([root(run) for run in range(len(rows))])
    sizes = numpy.bincount(roots, ends - starts)
    kept = roots == sizes.argmax()
    marks = numpy.zeros((mask.shape[0], mask.shape[1] + 1), "i4")
    numpy.add.at(marks, (rows[kept], starts[kept]), 1)
    numpy.add.at(marks, (rows[kept], ends[kept]), -1)
    return marks.cumsum(axis=1)[:, :-1] > 0


def connectivity_error(found: ndarray, truth: ndarray) -> float:
    """Sum of the differences of how well pixels are connected to the largest region in which both mattes are opaque, in
    thousands.
    """
    steps = round(1 / CONNECTIVITY_STEP)
    connected = numpy.ones(truth.shape)  # the greatest threshold at which a pixel belongs to the region
    open_yet = numpy.ones(truth.shape, bool)
    for step in range(1, steps + 1):
        threshold = step * CONNECTIVITY_STEP
        region = largest_component((found >= threshold - 1e-9) & (truth >= threshold - 1e-9))
        lost = open_yet & ~region
        connected[lost] = threshold - CONNECTIVITY_STEP
        open_yet &= region

    def share(matte: ndarray) -> ndarray:
        distance = matte - connected
        return 1 - distance * (distance >= CONNECTIVITY_SLACK)

    return float(abs(share(found) - share(truth)).sum()) / 1e3


def dtssd(found: ndarray, truth: ndarray, found_before: ndarray, truth_before: ndarray) -> float:
    """Root of the mean squared difference between the changes since the frame before, in hundredths."""
    return math.sqrt((((found - found_before) - (truth - truth_before)) ** 2).mean()) * 1e2


def blinking(found: ndarray, truth: ndarray, found_before: ndarray, truth_before: ndarray) -> float:
    """Percentage of pixels whose alpha has changed by more than a quarter although the true one has not."""
    jumps = (abs(found - found_before) > 0.25) & (abs(truth - truth_before) < 0.05)
    return float(jumps.mean()) * 1e2


def composed(alpha: ndarray, foreground: ndarray, color: tuple[int, int, int]) -> ndarray:
    """The foreground over a plain color."""
    return alpha[..., None] * foreground + (1 - alpha[..., None]) * numpy.array(color, float)


def edge_color_error(found: ndarray, truth: ndarray, alpha: ndarray) -> float:
    """Mean absolute difference of two composed frames, in levels, over the edges of the true alpha; 0 without any."""
    edge = (alpha > EDGE[0]) & (alpha < EDGE[1])
    return float(abs(found[edge] - truth[edge]).mean()) if edge.any() else 0.0


def _grown(mask: ndarray, reach: int) -> ndarray:
    """1 where a square of (2 reach + 1)² pixels has one of the mask."""
    for axis in range(2):
        padded = numpy.pad(mask, [(reach, reach) if a == axis else (0, 0) for a in range(2)])
        size = mask.shape[axis]
        mask = numpy.logical_or.reduce([padded.take(range(i, i + size), axis) for i in range(2 * reach + 1)])
    return mask


def _boundary(mask: ndarray) -> ndarray:
    """Foreground that has background for a neighbor."""
    return mask & _grown(~mask, 1)


def iou(found: ndarray, truth: ndarray) -> float:
    """Intersection over union of alpha above 0.5; 1 if both are empty."""
    a, b = found > 0.5, truth > 0.5
    return float((a & b).sum() / (a | b).sum()) if (a | b).any() else 1.0


def boundary_f(found: ndarray, truth: ndarray, tolerance: int) -> float:
    """Harmonic mean of the shares of either boundary at alpha 0.5 that are within `tolerance` pixels of the other one
    (Csurka et al., "What is a good evaluation measure for semantic segmentation?", 2013).
    """
    a, b = _boundary(found > 0.5), _boundary(truth > 0.5)

    def share_near(of: ndarray, other: ndarray) -> float:
        return float((of & _grown(other, tolerance)).sum() / of.sum()) if of.any() else 1.0

    precision, recall = share_near(a, b), share_near(b, a)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
