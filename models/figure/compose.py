"""Composes pictures of figures: other clothes, backgrounds, light, several figures, arms and hands near the camera.

All functions work on batches, as those in augment.py do.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as functional
from torch import Generator, Tensor


@dataclass
class Batch:
    picture: Tensor
    """B x 3 x S x S"""
    mask: Tensor
    """B x 1 x S x S: the figure's share of each pixel"""
    points: Tensor
    """B x 17 x {x, y, visibility}, as in records.py"""


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
        result = self.uniform(0, 1, count, 3, 1, 1).expand(-1, -1, size, size)
        for cells in (2, 5, 12, 40):
            tall = int(cells * 2 ** self.uniform(-1.5, 0, 1).item()) + 1 if self.uniform(0, 1, 1) < 0.4 else cells
            grid = self.uniform(-1, 1, count, 3, tall, cells)
            mode = "nearest" if self.uniform(0, 1, 1) < 0.4 else "bilinear"
            layer = functional.interpolate(grid, (size, size), mode=mode)
            result = result + layer * self.uniform(0, 0.5, count, 1, 1, 1)
        y, x = square(size)
        frequency = self.uniform(-90, 90, 2, count, 1, 1, 1)
        waves = torch.sin(x * frequency[0] + y * frequency[1])
        return (result + waves * self.uniform(-0.25, 0.25, count, 3, 1, 1)).clamp(0, 1)


def square(size: int) -> tuple[Tensor, Tensor]:
    """The places of pixels, from 0 to 1."""
    line = torch.linspace(0, 1, size)
    y, x = torch.meshgrid(line, line, indexing="ij")
    return y, x


def solid(picture: Tensor, mask: Tensor) -> Tensor:
    """The colors of the figure, without the background that shines through at its edges: there those of the nearest
    pixels that show nothing else.
    """
    inside = (mask > 0.95).float()
    small = functional.avg_pool2d(torch.cat([picture * inside, inside], 1), 2)
    near = functional.avg_pool2d(small, 5, 1, 2, count_include_pad=False)
    near = functional.interpolate(near, picture.shape[-2:], mode="bilinear", align_corners=False)
    weight = near[:, 3:]
    unknown = (mask <= 0.95) & (weight > 0.01)
    return torch.where(unknown, near[:, :3] / weight.clamp(min=0.01), picture)


class Composer:
    def __init__(self, drawing: Drawing) -> None:
        self._draw = drawing

    def __call__(self, batch: Batch) -> Batch:
        batch = self._dress(batch)
        batch = self._replace_backgrounds(batch)
        batch = self._group(batch)
        return self._light_apart(batch)

    def _dress(self, batch: Batch) -> Batch:
        """Patterns and folds on some figures, below the chin."""
        draw = self._draw
        some = draw.some(0.25, len(batch.picture))
        count, size = len(some), batch.picture.shape[-1]
        if count == 0:
            return batch
        points = batch.points[some]
        # From the nose to the shoulders, or all of the figure where these are unknown.
        chin = 0.4 * points[:, 0, 1] + 0.6 * points[:, 5:7, 1].mean(1)
        chin = torch.where(points[:, 0, 2] >= 0, chin, torch.zeros(count)).view(-1, 1, 1, 1)
        y, x = square(size)
        angle, rate = draw.uniform(0, math.pi, count, 1, 1, 1), draw.uniform(8, 130, count, 1, 1, 1)
        bend = functional.interpolate(draw.uniform(-1, 1, count, 1, 5, 5), (size, size), mode="bicubic")
        along = x * torch.cos(angle) + y * torch.sin(angle) + 0.03 * bend
        across = y * torch.cos(angle) - x * torch.sin(angle) + 0.03 * bend
        kind = draw.uniform(0, 1, count, 1, 1, 1)
        stripes = torch.sin(along * rate)
        checks = torch.where(kind < 0.3, stripes * torch.sin(across * rate), stripes)
        sharp = draw.uniform(0.5, 6, count, 1, 1, 1)
        lines = torch.tanh(checks * sharp)
        prints = functional.interpolate(draw.uniform(-1, 1, count, 3, 24, 24), (size, size), mode="bilinear")
        tint = draw.uniform(-1, 1, count, 3, 1, 1)
        pattern = torch.where(kind < 0.65, lines * tint, prints)
        folds = functional.interpolate(draw.uniform(-1, 1, count, 1, 9, 9), (size, size), mode="bicubic")
        gain = torch.exp(0.5 * draw.uniform(-1, 1, count, 1, 1, 1) * folds)
        picture = batch.picture[some]
        changed = picture * gain + pattern * draw.uniform(0, 0.25, count, 1, 1, 1)
        share = batch.mask[some] * torch.sigmoid((y - chin) * 60)
        result = batch.picture.clone()
        result[some] = torch.lerp(picture, changed, share).clamp(0, 1)
        return Batch(result, batch.mask, batch.points)

    def _behind(self, batch: Batch, some: Tensor) -> Tensor:
        """The backgrounds of other frames. Replaces their figures by the mirror image of the frame, and by a texture
        where this shows them too; some have clutter.
        """
        draw = self._draw
        other, other_mask = batch.picture[some], batch.mask[some]
        textures = draw.textures(len(some), other.shape[-1])
        mirrored = torch.lerp(other.flip(-1), textures, other_mask.flip(-1))
        # Far enough from the figure, or a seam would show where it stood.
        wide = functional.max_pool2d(other_mask, 5, 1, 2)
        background = torch.lerp(other, mirrored, wide)
        kind = draw.uniform(0, 1, len(some)).view(-1, 1, 1, 1)
        background = torch.where(kind < 0.18, textures, background)
        cluttered = draw.some(0.35, len(some))
        if len(cluttered) > 0:
            background[cluttered] = self._clutter(background[cluttered])
        return background

    def _clutter(self, picture: Tensor) -> Tensor:
        """Leaves, boxes and bars of one color each."""
        draw = self._draw
        count, size = len(picture), picture.shape[-1]
        y, x = square(size)
        family = draw.uniform(0, 1, count, 1, 1, 1) + draw.uniform(-0.25, 0.25, count, 3, 1, 1)
        for _ in range(10):
            middle = draw.uniform(0, 1, 2, count, 1, 1, 1)
            reach = torch.exp(draw.uniform(math.log(0.008), math.log(0.15), 2, count, 1, 1, 1))
            angle = draw.uniform(0, math.pi, count, 1, 1, 1) * draw.chosen(0.6, count).view(-1, 1, 1, 1)
            cosine, sine = torch.cos(angle), torch.sin(angle)
            across = ((x - middle[0]) * cosine + (y - middle[1]) * sine) / reach[0]
            down = ((y - middle[1]) * cosine - (x - middle[0]) * sine) / reach[1]
            box = torch.maximum(across.abs(), down.abs())
            leaf = torch.where(draw.chosen(0.5, count).view(-1, 1, 1, 1), across**2 + down**2, box)
            color = (family + draw.uniform(-0.3, 0.3, count, 1, 1, 1) + draw.uniform(-0.1, 0.1, count, 3, 1, 1)).clamp(0, 1)
            picture = torch.where(leaf < 1, color * (1 - 0.3 * across.clamp(-1, 1)), picture)
        return picture.clamp(0, 1)

    def _replace_backgrounds(self, batch: Batch) -> Batch:
        some = self._draw.some(0.4, len(batch.picture))
        if len(some) == 0:
            return batch
        mask = batch.mask[some]
        behind = self._behind(batch, (some + 1) % len(batch.picture))
        result = batch.picture.clone()
        result[some] = torch.lerp(behind, solid(batch.picture[some], mask), mask)
        return Batch(result, batch.mask, batch.points)

    def _group(self, batch: Batch) -> Batch:
        """Two or three figures in one picture, all of which the mask shows; their key points are unknown."""
        draw = self._draw
        total = len(batch.picture)
        some = draw.some(0.22, total)
        count, size = len(some), batch.picture.shape[-1]
        if count == 0:
            return batch
        picture = self._behind(batch, (some + 3) % total)
        mask = torch.zeros_like(batch.mask[some])
        # From left to right, in a random order from the farthest to the nearest.
        order = draw.uniform(0, 1, count, 3).argsort(1)
        for layer in range(3):
            source = (some + layer) % total
            place = (order[:, layer] - 1.0) * draw.uniform(0.35, 0.75, count) + draw.uniform(-0.2, 0.2, count)
            scale = draw.uniform(0.6, 1.15, count)
            # No lower edge of a frame shows.
            drop = (1 - scale).clamp(min=0) + draw.uniform(0, 0.3, count)
            mirror = torch.where(draw.chosen(0.5, count), -torch.ones(count), torch.ones(count))
            zero = torch.zeros(count)
            rows = torch.stack(
                [torch.stack([mirror / scale, zero, -mirror * place / scale], -1),
                 torch.stack([zero, 1 / scale, -drop / scale], -1)],
                1,
            )
            grid = functional.affine_grid(rows, (count, 3, size, size), align_corners=False)
            own = batch.mask[source]
            figure = torch.cat([solid(batch.picture[source], own) * own, own], 1)
            moved = functional.grid_sample(figure, grid, align_corners=False)
            if layer == 2:
                moved = moved * draw.chosen(0.5, count).view(-1, 1, 1, 1)
            share = moved[:, 3:]
            picture = picture * (1 - share) + moved[:, :3]
            mask = mask + share * (1 - mask)
        result, masks, points = batch.picture.clone(), batch.mask.clone(), batch.points.clone()
        result[some], masks[some] = picture, mask
        points[some, :, 2] = -1
        return Batch(result, masks, points)

    def _light_apart(self, batch: Batch) -> Batch:
        """Light on the figure that is not that of its background; a bright background veils the figure."""
        draw = self._draw
        some = draw.some(0.4, len(batch.picture))
        count = len(some)
        if count == 0:
            return batch
        picture, mask = batch.picture[some], batch.mask[some]
        near = picture * torch.exp(draw.uniform(-0.45, 0.3, count, 1, 1, 1) + draw.uniform(-0.12, 0.12, count, 3, 1, 1))
        far = picture * torch.exp(draw.uniform(-0.5, 0.6, count, 1, 1, 1) + draw.uniform(-0.2, 0.2, count, 3, 1, 1))
        lit = torch.lerp(far, near, mask)
        veil = draw.uniform(0, 0.25, count, 1, 1, 1) * draw.chosen(0.4, count).view(-1, 1, 1, 1)
        lit = torch.lerp(lit, far.mean((2, 3), keepdim=True).clamp(0, 1), veil)
        result = batch.picture.clone()
        result[some] = lit.clamp(0, 1)
        return Batch(result, batch.mask, batch.points)

    def reach_in(self, batch: Batch) -> Batch:
        """Hands and arms near the camera, out of focus, which belong to the mask."""
        draw = self._draw
        some = draw.some(0.07, len(batch.picture))
        count, size = len(some), batch.picture.shape[-1]
        if count == 0:
            return batch
        y, x = square(size)
        around = draw.uniform(0, 2 * math.pi, count, 1, 1, 1)
        begin = 0.5 + 0.85 * torch.cos(around), 0.5 + 0.85 * torch.sin(around)
        share = draw.uniform(0.25, 0.65, count, 1, 1, 1)
        end = tuple(torch.lerp(a, draw.uniform(0.2, 0.8, count, 1, 1, 1), share) for a in begin)
        width = draw.uniform(0.035, 0.1, count, 1, 1, 1)
        distance = self._to_segment(x, y, begin, end) - width
        sleeve = (x - end[0]) ** 2 + (y - end[1]) ** 2 > (width * draw.uniform(1.5, 6, count, 1, 1, 1)) ** 2
        toward = torch.atan2(end[1] - begin[1], end[0] - begin[0])
        for finger in range(5):
            turn = toward + (finger - 2) * draw.uniform(0.1, 0.4, count, 1, 1, 1)
            length = width * draw.uniform(1.2, 2.6, count, 1, 1, 1)
            tip = end[0] + length * torch.cos(turn), end[1] + length * torch.sin(turn)
            distance = torch.minimum(distance, self._to_segment(x, y, end, tip) - 0.27 * width)
        soft = draw.uniform(0.004, 0.02, count, 1, 1, 1)
        cover = torch.sigmoid(-distance / soft * 2)
        pale = draw.uniform(0, 1, count, 1, 1, 1)
        dark_skin, pale_skin = (torch.tensor(c).view(1, 3, 1, 1) for c in ([0.28, 0.19, 0.14], [0.95, 0.8, 0.72]))
        shade = (1.05 + distance / width * draw.uniform(0, 0.5, count, 1, 1, 1)).clamp(0.3, 1.2)
        color = torch.lerp(dark_skin, pale_skin, pale) * shade
        cloth = functional.interpolate(draw.textures(count, 32), (size, size), mode="bilinear") * shade
        color = torch.where(sleeve & draw.chosen(0.6, count).view(-1, 1, 1, 1), cloth, color)
        result, masks = batch.picture.clone(), batch.mask.clone()
        result[some] = torch.lerp(batch.picture[some], color.clamp(0, 1), cover)
        masks[some] = masks[some] + cover * (1 - masks[some])
        return Batch(result, masks, batch.points)

    @staticmethod
    def _to_segment(x: Tensor, y: Tensor, a: tuple[Tensor, ...], b: tuple[Tensor, ...]) -> Tensor:
        along = b[0] - a[0], b[1] - a[1]
        length = (along[0] ** 2 + along[1] ** 2).clamp(min=1e-6)
        share = (((x - a[0]) * along[0] + (y - a[1]) * along[1]) / length).clamp(0, 1)
        return torch.sqrt((x - a[0] - share * along[0]) ** 2 + (y - a[1] - share * along[1]) ** 2)
