"""Augments rendered frames: backgrounds, views, light, lenses, sensors and codecs.

All functions work on batches (B x C x S x S, values in [0,1]) and draw random numbers from one generator.
"""
from __future__ import annotations

import math

import torch
import torch.nn.functional as functional
from torch import Generator, Tensor

from compose import Batch, Composer
from drawing import Drawing
from scenery import Scenery

# Mirroring swaps left and right keypoints, here in COCO order.
MIRRORED = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]


class Augmenter:
    def __init__(self, generator: Generator) -> None:
        self._generator = generator
        self._drawing = Drawing(generator)
        self._composer = Composer(self._drawing)
        self._uniform, self._chosen, self._textures = (
            self._drawing.uniform,
            self._drawing.chosen,
            self._drawing.textures,
        )

    def __call__(self, batch: Batch, scenery: Scenery | None, size: int) -> Batch:
        """Applies all augmentations; the results are `size` wide and high. Without a scenery, figures stay as they are
        rendered, before what was there.
        """
        shrink = batch.picture.shape[-1] // size
        if shrink > 1:
            batch = Batch(
                functional.avg_pool2d(batch.picture, shrink), functional.avg_pool2d(batch.mask, shrink), batch.points
            )
        if scenery is not None:
            if shrink > 1:
                scenery = Scenery(functional.avg_pool2d(scenery.rooms, shrink), scenery.objects)
            batch = self._composer(batch, scenery)
        batch = self._move(batch, size)
        batch = self._occlude(batch)
        if scenery is not None:
            batch = self._composer.reach_in(batch)
        # Blur mixes the figure with what is behind it: its mask is as soft.
        seen = torch.cat([self._light(batch.picture), batch.mask], 1)
        seen = self._lower_resolution(self._blur(seen))
        picture = self._sharpen(seen[:, :3])
        picture = self._noise(picture)
        picture = self._block(picture)
        return Batch(picture.clamp(0, 1), seen[:, 3:].clamp(0, 1), batch.points)

    def _move(self, batch: Batch, size: int) -> Batch:
        """Rotates, zooms, stretches, shifts, mirrors."""
        count = batch.picture.shape[0]
        angle = self._uniform(-1, 1, count) ** 3 * math.radians(35)
        zoom = torch.exp(self._uniform(math.log(0.85), math.log(1.9), count))
        stretch = torch.exp(self._uniform(-0.25, 0.35, count))
        zoom = torch.where(self._chosen(0.15, count), torch.ones(count), zoom)
        mirror = torch.where(self._chosen(0.5, count), -torch.ones(count), torch.ones(count))
        # Center of the view: near the figure when zoomed in.
        weight = batch.mask.flatten(2).sum(-1) + 1e-3
        line = torch.linspace(-1, 1, batch.mask.shape[-1])
        center_x = (batch.mask.sum(2) * line).sum(-1) / weight
        center_y = (batch.mask.sum(3) * line).sum(-1) / weight
        pull = (1 - 1 / zoom).clamp(min=0)
        shift_x = center_x[:, 0] * pull + self._uniform(-0.25, 0.25, count)
        shift_y = center_y[:, 0] * pull + self._uniform(-0.25, 0.25, count)
        cosine, sine = torch.cos(angle), torch.sin(angle)
        # Maps result coordinates to source coordinates.
        rows = torch.stack(
            [
                torch.stack([mirror * cosine / (zoom * stretch), -sine / zoom, shift_x], -1),
                torch.stack([mirror * sine / (zoom * stretch), cosine / zoom, shift_y], -1),
            ],
            1,
        )
        grid = functional.affine_grid(rows, (count, 3, size, size), align_corners=False)
        source = torch.cat([batch.picture, batch.mask], 1)
        moved = functional.grid_sample(source, grid, padding_mode="border", align_corners=False)
        # Outside the frame: its replicated border, or a texture.
        outside = (grid.abs() > 1).any(-1).unsqueeze(1) & self._chosen(0.3, count).view(-1, 1, 1, 1)
        surround = functional.interpolate(self._textures(count, 64), (size, size), mode="bilinear")
        picture = torch.where(outside, surround, moved[:, :3])
        mask = moved[:, 3:].masked_fill(outside, 0)
        points = batch.points.clone()
        places = (points[:, :, :2] * 2 - 1 - rows[:, None, :, 2]).unsqueeze(-1)
        places = torch.linalg.inv(rows[:, :, :2]).unsqueeze(1) @ places
        points[:, :, :2] = (places.squeeze(-1) + 1) / 2
        gone = ((points[:, :, :2] < 0) | (points[:, :, :2] >= 1)).any(-1) & (points[:, :, 2] > 0)
        points[:, :, 2] = points[:, :, 2].masked_fill(gone, 0)
        points = torch.where(mirror.view(-1, 1, 1) < 0, points[:, MIRRORED], points)
        return Batch(picture, mask, points)

    def _occlude(self, batch: Batch) -> Batch:
        """Puts textured ellipses and boxes in front of some figures."""
        count, size = batch.picture.shape[0], batch.picture.shape[-1]
        y, x = torch.meshgrid(torch.linspace(0, 1, size), torch.linspace(0, 1, size), indexing="ij")
        middle = self._uniform(0, 1, 2, count, 1, 1, 1)
        reach = self._uniform(0.03, 0.2, 2, count, 1, 1, 1)
        across, down = (x - middle[0]).abs() / reach[0], (y - middle[1]).abs() / reach[1]
        round_shape = self._chosen(0.5, count).view(-1, 1, 1, 1)
        inside = torch.where(round_shape, across**2 + down**2 < 1, torch.maximum(across, down) < 1)
        inside = (inside & self._chosen(0.25, count).view(-1, 1, 1, 1)).float()
        surface = functional.interpolate(self._textures(count, 64), (size, size), mode="bilinear")
        return Batch(torch.lerp(batch.picture, surface, inside), batch.mask * (1 - inside), batch.points)

    def _light(self, picture: Tensor) -> Tensor:
        """Exposure, gamma, contrast, light color, saturation, hue, and a gradient across the image."""
        count, size = picture.shape[0], picture.shape[-1]
        x = picture.clamp(0, 1) ** torch.exp(self._uniform(-0.5, 0.5, count, 1, 1, 1))
        direction = self._uniform(-1, 1, 2, count, 1, 1, 1)
        line = torch.linspace(-1, 1, size)
        slope = direction[0] * line.view(1, 1, 1, -1) + direction[1] * line.view(1, 1, -1, 1)
        strength = self._uniform(0, 0.5, count, 1, 1, 1) * self._chosen(0.4, count).view(-1, 1, 1, 1)
        x = x * torch.exp(slope * strength * 1.2)
        x = x * torch.exp(self._uniform(-0.35, 0.35, count, 1, 1, 1))
        x = x * torch.exp(self._uniform(-0.2, 0.2, count, 3, 1, 1))
        gray = (x * torch.tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)).sum(1, keepdim=True)
        saturation = torch.where(self._chosen(0.06, count), torch.zeros(count), self._uniform(0.4, 1.6, count))
        x = gray + (x - gray) * saturation.view(-1, 1, 1, 1)
        x = self._turn_hue(x)
        average = x.mean((1, 2, 3), keepdim=True)
        return ((x - average) * self._uniform(0.6, 1.4, count, 1, 1, 1) + average).clamp(0, 1)

    def _turn_hue(self, picture: Tensor) -> Tensor:
        """Rotates colors slightly around the gray axis; skin usually keeps a skin tone."""
        angle = self._uniform(-1, 1, picture.shape[0]) ** 3 * 0.5
        cosine, sine = torch.cos(angle).view(-1, 1, 1), torch.sin(angle).view(-1, 1, 1)
        third = torch.full((3, 3), 1 / 3)
        cross = torch.tensor([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]]) / math.sqrt(3)
        turn = cosine * (torch.eye(3) - third) + sine * cross + third
        return (turn @ picture.flatten(2)).view_as(picture)

    def _blur(self, picture: Tensor) -> Tensor:
        """Defocus and motion blur: each blurred image has its own kernel, a streak of random width."""
        chosen = self._chosen(0.3, picture.shape[0]).nonzero().flatten()
        count = len(chosen)
        if count == 0:
            return picture
        reach = 4
        line = torch.arange(-reach, reach + 1).float()
        y, x = torch.meshgrid(line, line, indexing="ij")
        angle = self._uniform(0, math.pi, count, 1, 1)
        along, across = x * torch.cos(angle) + y * torch.sin(angle), y * torch.cos(angle) - x * torch.sin(angle)
        wide = self._uniform(0.3, 2.5, count, 1, 1)
        thin = torch.where(self._chosen(0.5, count).view(-1, 1, 1), wide, self._uniform(0.3, 0.6, count, 1, 1))
        kernel = torch.exp(-0.5 * ((along / wide) ** 2 + (across / thin) ** 2))
        kernel = (kernel / kernel.sum((1, 2), keepdim=True)).repeat_interleave(4, 0).unsqueeze(1)
        padded = functional.pad(picture[chosen], (reach,) * 4, mode="replicate")
        blurred = functional.conv2d(padded.reshape(1, -1, *padded.shape[2:]), kernel, groups=4 * count)
        result = picture.clone()
        result[chosen] = blurred.view(count, *picture.shape[1:])
        return result

    def _lower_resolution(self, picture: Tensor) -> Tensor:
        chosen = self._chosen(0.12, picture.shape[0])
        size = picture.shape[-1]
        small = int(size * self._uniform(0.3, 0.8, 1).item())
        low = functional.interpolate(picture[chosen], (small, small), mode="area")
        result = picture.clone()
        result[chosen] = functional.interpolate(low, (size, size), mode="bilinear", align_corners=False)
        return result

    def _sharpen(self, picture: Tensor) -> Tensor:
        """As cameras do: edges with seams."""
        chosen = self._chosen(0.25, picture.shape[0]).nonzero().flatten()
        if len(chosen) == 0:
            return picture
        x = picture[chosen]
        smooth = functional.avg_pool2d(x, 3, 1, 1, count_include_pad=False)
        result = picture.clone()
        result[chosen] = (x + (x - smooth) * self._uniform(0.3, 2, len(chosen), 1, 1, 1)).clamp(0, 1)
        return result

    def _noise(self, picture: Tensor) -> Tensor:
        count = picture.shape[0]
        strength = self._uniform(0, 1, count, 1, 1, 1) ** 2 * 0.08 * self._chosen(0.6, count).view(-1, 1, 1, 1)
        return picture + strength * torch.randn(picture.shape, generator=self._generator)

    def _block(self, picture: Tensor) -> Tensor:
        """JPEG and video compression: coarsely rounded cosine coefficients of 8x8 blocks."""
        chosen = self._chosen(0.25, picture.shape[0])
        x = picture[chosen]
        if len(x) == 0:
            return picture
        count, _, size, _ = x.shape
        order = torch.arange(8).float()
        transform = torch.cos(math.pi / 8 * (order + 0.5) * order.view(-1, 1)) / 2
        transform[0] /= math.sqrt(2)
        blocks = x.view(count, 3, size // 8, 8, size // 8, 8).transpose(3, 4)
        step = (1 + order + order.view(-1, 1)) * self._uniform(0.005, 0.06, count, 1, 1, 1, 1, 1)
        coefficients = torch.round((transform @ blocks @ transform.T) / step) * step
        result = picture.clone()
        result[chosen] = (transform.T @ coefficients @ transform).transpose(3, 4).reshape_as(x)
        return result
