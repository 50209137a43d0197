"""What a network knows of the frame before: its mask, right or wrong."""
from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as functional
from torch import Tensor

from compose import Batch
from drawing import Drawing


@dataclass
class Previous:
    masks: Tensor
    """B x 1 x S x S: 0 where there is no frame before"""
    own: Tensor
    """Indices of the masks that the network is to compute itself, so that it learns to correct its own mistakes."""
    pictures: Tensor
    """The frames for it, one per index: N x 3 x S x S"""


def previous_frames(draw: Drawing, batch: Batch) -> Previous:
    """For two pictures of five, none. Others have a mask that the network computes of a frame a moment before, or the
    true mask of that frame with large errors, or that of another scene.
    """
    count = len(batch.picture)
    seen = _moved(draw, torch.cat([batch.picture, batch.mask], 1))
    kind = draw.uniform(0, 1, count)
    own = ((kind >= 0.4) & (kind < 0.75)).nonzero().flatten()
    other = (kind >= 0.93).nonzero().flatten()
    masks = _with_errors(draw, seen[:, 3:])
    masks[other] = batch.mask[(other + 1) % count]
    masks[kind < 0.75] = 0
    pictures = seen[own, :3] * torch.exp(draw.uniform(-0.06, 0.06, len(own), 1, 1, 1))
    noise = torch.randn(pictures.shape, generator=draw.generator) * draw.uniform(0, 0.04, len(own), 1, 1, 1)
    return Previous(masks, own, (pictures + noise).clamp(0, 1))


def _moved(draw: Drawing, picture: Tensor) -> Tensor:
    """The picture a moment before, half of them the same."""
    count = len(picture)
    moves = draw.chosen(0.5, count).float()
    angle = draw.uniform(-0.06, 0.06, count) * moves
    zoom = torch.exp(draw.uniform(-0.05, 0.05, count) * moves)
    shift = draw.uniform(-0.08, 0.08, 2, count) * moves
    cosine, sine = zoom * torch.cos(angle), zoom * torch.sin(angle)
    rows = torch.stack([torch.stack([cosine, -sine, shift[0]], -1), torch.stack([sine, cosine, shift[1]], -1)], 1)
    grid = functional.affine_grid(rows, list(picture.shape), align_corners=False)
    return functional.grid_sample(picture, grid, padding_mode="border", align_corners=False)


def _with_errors(draw: Drawing, mask: Tensor) -> Tensor:
    """Parts of the figure are missing, and parts of the background added."""
    count, size = len(mask), mask.shape[-1]
    spots = functional.interpolate(draw.uniform(-1, 1, count, 1, 7, 7), (size, size), mode="bicubic")
    errors = spots.sign() * ((spots.abs() - draw.uniform(0.4, 1, count, 1, 1, 1)) * 8).clamp(0, 1)
    return (mask + errors).clamp(0, 1)
