"""Training losses."""
from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor

SIGMA = 1 / 40
"""Standard deviation of a keypoint's spot in its heatmap, as a fraction of the map width."""


def mask_loss(logits: Tensor, mask: Tensor) -> Tensor:
    """Cross entropy of the pixels, 1 minus intersection over union, and the mean differences of the shares of the figure
    and of their slopes, which are large at edges and hair.
    """
    probability = torch.sigmoid(logits)
    common = (probability * mask).sum((1, 2, 3))
    union = (probability + mask - probability * mask).sum((1, 2, 3))
    overlap = 1 - (common + 1) / (union + 1)
    off = probability - mask
    slopes = off.diff(dim=2).abs().mean() + off.diff(dim=3).abs().mean()
    entropy = functional.binary_cross_entropy_with_logits(logits, mask)
    return entropy + overlap.mean() + 0.5 * off.abs().mean() + slopes


def spots(points: Tensor, size: int) -> Tensor:
    """Heatmaps B x 17 x size x size with peaks of 1 at the keypoints inside the image."""
    line = (torch.arange(size, device=points.device) + 0.5) / size
    across = torch.exp(-0.5 * ((line - points[:, :, :1]) / SIGMA) ** 2)
    down = torch.exp(-0.5 * ((line - points[:, :, 1:2]) / SIGMA) ** 2)
    return down.unsqueeze(-1) * across.unsqueeze(-2) * (points[:, :, 2] > 0)[:, :, None, None]


def key_point_loss(logits: Tensor, points: Tensor) -> Tensor:
    """Position of the points inside the image: cross entropy over the heatmap cells. Presence and visibility:
    cross entropy per cell, with spots of half the height for hidden points. Unknown points (visibility -1), and
    images with only unknown points, count nothing.
    """
    target = spots(points, logits.shape[-1])
    visibility = points[:, :, 2]
    present = (visibility > 0).float()
    places = target.flatten(2)
    places = places / places.sum(-1, keepdim=True).clamp(min=1e-6)
    where = -(places * functional.log_softmax(logits.flatten(2), -1)).sum(-1)
    seen = torch.where(visibility == 1, 0.5, 1.0)
    heights = target * seen[:, :, None, None]
    known = (visibility >= 0).float()[:, :, None, None].expand_as(logits)
    weight = known * (1 + 30 * target)
    there = functional.binary_cross_entropy_with_logits(logits, heights, weight, reduction="sum")
    return (where * present * seen).sum() / present.sum().clamp(min=1) + 4 * there / weight.sum().clamp(min=1)
