"""What is behind figures: rooms, and objects in them."""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as functional
from torch import Tensor

from drawing import Drawing, square

OBJECTS = 3
"""Objects that each picture can have."""
SKIES = torch.tensor([[0.25, 0.5, 0.9], [0.55, 0.72, 0.9], [0.8, 0.82, 0.85], [0.95, 0.7, 0.5]])
GROUNDS = torch.tensor(
    [[0.85, 0.78, 0.65], [0.35, 0.5, 0.2], [0.2, 0.5, 0.55], [0.45, 0.45, 0.45], [0.15, 0.25, 0.1], [0.9, 0.9, 0.92]]
)
"""Sand, grass, water, asphalt, leaves, snow."""


@dataclass
class Scenery:
    rooms: Tensor
    """B x 3 x S x S: images without figures"""
    objects: Tensor
    """B x OBJECTS x RGBA x T x T: pictures of things, as in objects.py"""

    def some(self, indices: Tensor) -> "Scenery":
        return Scenery(self.rooms[indices], self.objects[indices])


def outdoors(draw: Drawing, count: int, size: int) -> Tensor:
    """A sky with clouds, and below it up to three kinds of ground."""
    y, _ = square(size)
    picture = torch.lerp(draw.one_of(SKIES, count), torch.ones(1), y * draw.uniform(0, 0.8, count, 1, 1, 1))
    cover = draw.uniform(-1, 1, count, 1, 1, 1) + 1.5 * draw.details(count, size, 0.5)
    picture = torch.lerp(picture, draw.uniform(0.7, 1, count, 1, 1, 1), cover.clamp(0, 1))
    line = draw.uniform(0.2, 0.9, count, 1, 1, 1)
    for _ in range(3):
        # Waves are wider than high, as the ground is seen from the side.
        contrast = torch.exp(draw.uniform(-2.5, 0, count, 1, 1, 1))
        surface = draw.one_of(GROUNDS, count) * torch.exp(contrast * draw.details(count, size, 3))
        border = line + draw.uniform(0, 0.15, count, 1, 1, 1) ** 2 * 5 * draw.details(count, size, 1)
        picture = torch.where(y > border, surface, picture)
        line = line + draw.uniform(0.03, 0.4, count, 1, 1, 1)
    return picture.clamp(0, 1)


def place_objects(draw: Drawing, picture: Tensor, objects: Tensor) -> Tensor:
    """Objects of any size and direction, in uneven light. Some hang in waves, as flags and curtains do."""
    count, size = len(picture), picture.shape[-1]
    line = torch.linspace(-1, 1, size)
    y, x = torch.meshgrid(line, line, indexing="ij")
    for k in range(objects.shape[1]):
        reach = torch.exp(draw.uniform(math.log(0.1), math.log(0.9), count, 1, 1))
        middle = draw.uniform(-1, 1, 2, count, 1, 1)
        angle = draw.uniform(-1, 1, count, 1, 1) ** 3 * math.pi / 2
        wide, lean = torch.exp(draw.uniform(-0.5, 0.5, count, 1, 1)), draw.uniform(-0.3, 0.3, count, 1, 1)
        right, down = (x - middle[0]) / reach, (y - middle[1]) / reach
        across = (right * torch.cos(angle) + down * torch.sin(angle)) * wide
        along = down * torch.cos(angle) - right * torch.sin(angle) + lean * across
        waves = draw.chosen(0.4, count).view(-1, 1, 1) * draw.uniform(0, 0.25, count, 1, 1)
        phase = draw.uniform(2, 9, count, 1, 1) * (across + 0.6 * along) + draw.uniform(0, 6, count, 1, 1)
        bend = waves * torch.sin(phase)
        mirror = torch.where(draw.chosen(0.5, count).view(-1, 1, 1), -1.0, 1.0)
        grid = torch.stack([mirror * (across + 0.4 * bend), along + bend], -1)
        source = objects[:, k]
        source = torch.cat([source[:, :3] * source[:, 3:], source[:, 3:]], 1)
        drawn = functional.grid_sample(source, grid, align_corners=False)
        cover = drawn[:, 3:]
        color = drawn[:, :3] / cover.clamp(min=0.02)
        # Less contrast than printed colors, in the light of the room.
        light = torch.exp(draw.uniform(-1, 0.2, count, 1, 1, 1) + draw.uniform(-0.15, 0.15, count, 3, 1, 1))
        slope = 1 + (waves * torch.cos(phase)).unsqueeze(1) * draw.uniform(0, 3, count, 1, 1, 1)
        color = (0.06 + 0.9 * color) * light * slope.clamp(0.2, 1.6) * draw.cloth(count, size)[1]
        cover = cover * draw.chosen(0.6, count).view(-1, 1, 1, 1)
        picture = torch.lerp(picture, color.clamp(0, 1), cover)
    return picture
