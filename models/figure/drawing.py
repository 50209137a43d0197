"""Random numbers, and what is drawn with them: textures, cloth, other views of an image."""
from __future__ import annotations

import math

import torch
import torch.nn.functional as functional
from torch import Generator, Tensor


class Drawing:
    """Random numbers, and what is drawn with them."""

    def __init__(self, generator: Generator) -> None:
        self.generator = generator

    def uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return low + (high - low) * torch.rand(*shape, generator=self.generator)

    def chosen(self, chance: float, count: int) -> Tensor:
        return self.uniform(0, 1, count) < chance

    def some(self, chance: float, count: int) -> Tensor:
        """Indices of some pictures of a batch."""
        return self.chosen(chance, count).nonzero().flatten()

    def textures(self, count: int, size: int) -> Tensor:
        """Colors, waves and noise at several scales; rows of upright boxes, as books on shelves."""
        if size > 128:
            return functional.interpolate(self.textures(count, size // 2), (size, size), mode="bilinear")
        result = self.colors(count).expand(-1, -1, size, size)
        for cells in (2, 5, 12, 40):
            tall = int(cells * 2 ** self.uniform(-1.5, 0, 1).item()) + 1 if self.uniform(0, 1, 1) < 0.4 else cells
            grid = self.hues(self.uniform(-1, 1, count, 1, tall, cells))
            mode = "nearest" if self.uniform(0, 1, 1) < 0.4 else "bilinear"
            layer = functional.interpolate(grid, (size, size), mode=mode)
            result = result + layer * self.uniform(0, 0.5, count, 1, 1, 1)
        y, x = square(size)
        frequency = self.uniform(-90, 90, 2, count, 1, 1, 1)
        waves = torch.sin(x * frequency[0] + y * frequency[1])
        return (result + waves * self.hues(self.uniform(-0.25, 0.25, count, 1, 1, 1))).clamp(0, 1)

    def colors(self, count: int) -> Tensor:
        return (self.uniform(0, 1, count, 1, 1, 1) + self.uniform(-0.25, 0.25, count, 3, 1, 1)).clamp(0, 1)

    def one_of(self, colors: Tensor, count: int) -> Tensor:
        """Colors of a table, N x RGB, with some change."""
        chosen = colors[torch.randint(len(colors), (count,), generator=self.generator)].view(count, 3, 1, 1)
        return chosen * torch.exp(self.uniform(-0.5, 0.3, count, 1, 1, 1) + self.uniform(-0.1, 0.1, count, 3, 1, 1))

    def details(self, count: int, size: int, height: float) -> Tensor:
        """Noise as in photographs: the contrast of details is proportional to their size. Values are mostly in [-1,1].
        They are `height` times as many from top to bottom as from left to right.
        """
        result = torch.zeros(count, 1, size, size)
        cells = 3
        while cells * height < size:
            grid = self.uniform(-1, 1, count, 1, max(2, int(cells * height)), cells)
            result += functional.interpolate(grid, (size, size), mode="bicubic") / math.sqrt(cells)
            cells *= 2
        return result

    def hues(self, gray: Tensor) -> Tensor:
        """Three channels of one. As in photographs, they differ little from each other, but for a few images."""
        count = len(gray)
        tint = 1 + self.uniform(-0.35, 0.35, count, 3, 1, 1)
        spread = torch.where(self.chosen(0.15, count).view(-1, 1, 1, 1), 0.8, 0.15)
        return gray * tint + spread * self.uniform(-1, 1, count, 3, *gray.shape[2:])

    def cloth(self, count: int, size: int) -> tuple[Tensor, Tensor]:
        """Patterns, to be added to a color, and folds, to be multiplied with it."""
        y, x = square(size)
        angle, rate = self.uniform(0, math.pi, count, 1, 1, 1), self.uniform(8, 130, count, 1, 1, 1)
        bend = functional.interpolate(self.uniform(-1, 1, count, 1, 5, 5), (size, size), mode="bicubic")
        along = x * torch.cos(angle) + y * torch.sin(angle) + 0.03 * bend
        across = y * torch.cos(angle) - x * torch.sin(angle) + 0.03 * bend
        kind = self.uniform(0, 1, count, 1, 1, 1)
        stripes = torch.sin(along * rate)
        checks = torch.where(kind < 0.3, stripes * torch.sin(across * rate), stripes)
        lines = torch.tanh(checks * self.uniform(0.5, 6, count, 1, 1, 1))
        spots = self.hues(self.uniform(-1, 1, count, 1, 24, 24))
        prints = functional.interpolate(spots, (size, size), mode="bilinear")
        pattern = torch.where(kind < 0.65, lines * self.uniform(-1, 1, count, 3, 1, 1), prints)
        folds = functional.interpolate(self.uniform(-1, 1, count, 1, 9, 9), (size, size), mode="bicubic")
        gain = torch.exp(0.5 * self.uniform(-1, 1, count, 1, 1, 1) * folds)
        return pattern, gain


def square(size: int) -> tuple[Tensor, Tensor]:
    """The places of pixels, from 0 to 1."""
    line = torch.linspace(0, 1, size)
    y, x = torch.meshgrid(line, line, indexing="ij")
    return y, x


def sampled(
    picture: Tensor, size: int, scale: tuple[Tensor, Tensor], shift: tuple[Tensor, Tensor], padding: str = "border"
) -> Tensor:
    """Images of the places scale * (x, y) + shift, from -1 to 1 across the picture."""
    zero = torch.zeros_like(scale[0])
    rows = torch.stack([torch.stack([scale[0], zero, shift[0]], -1), torch.stack([zero, scale[1], shift[1]], -1)], 1)
    grid = functional.affine_grid(rows, [*picture.shape[:2], size, size], align_corners=False)
    return functional.grid_sample(picture, grid, padding_mode=padding, align_corners=False)
