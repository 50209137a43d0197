"""Composes pictures of figures: other clothes, backgrounds, light, several figures, arms and hands near the camera.

All functions work on batches, as those in augment.py do.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as functional
from torch import Tensor

from drawing import Drawing, sampled, square
from scenery import Scenery, outdoors, place_objects


@dataclass
class Batch:
    picture: Tensor
    """B x 3 x S x S"""
    mask: Tensor
    """B x 1 x S x S: the figure's share of each pixel"""
    points: Tensor
    """B x 17 x {x, y, visibility}, as in records.py"""


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

    def __call__(self, batch: Batch, scenery: Scenery) -> Batch:
        batch = self._dress(batch)
        batch = self._darken(batch)
        batch = self._replace_backgrounds(batch, scenery)
        batch = self._group(batch, scenery)
        batch = self._leave(batch, scenery)
        return self._light_apart(batch)

    def _dress(self, batch: Batch) -> Batch:
        """Patterns and folds on some figures, below the chin."""
        draw = self._draw
        some = draw.some(0.35, len(batch.picture))
        count, size = len(some), batch.picture.shape[-1]
        if count == 0:
            return batch
        chin = self._chins(batch.points[some])
        y, _ = square(size)
        pattern, gain = draw.cloth(count, size)
        picture = batch.picture[some]
        changed = picture * gain + pattern * draw.uniform(0, 0.25, count, 1, 1, 1)
        share = batch.mask[some] * torch.sigmoid((y - chin) * 60)
        result = batch.picture.clone()
        result[some] = torch.lerp(picture, changed, share).clamp(0, 1)
        return Batch(result, batch.mask, batch.points)

    def _darken(self, batch: Batch) -> Batch:
        """Some figures wear black: below the chin, or only below the hips."""
        draw = self._draw
        some = draw.some(0.3, len(batch.picture))
        count = len(some)
        if count == 0:
            return batch
        points = batch.points[some]
        hips = points[:, 11:13, 1].mean(1).view(-1, 1, 1, 1) - draw.uniform(0, 0.05, count, 1, 1, 1)
        line = torch.where(draw.chosen(0.7, count).view(-1, 1, 1, 1), hips, self._chins(points))
        y, _ = square(batch.picture.shape[-1])
        share = batch.mask[some] * torch.sigmoid((y - line) * 60)
        black = batch.picture[some] * torch.exp(draw.uniform(-3, -0.7, count, 1, 1, 1))
        result = batch.picture.clone()
        result[some] = torch.lerp(batch.picture[some], black, share)
        return Batch(result, batch.mask, batch.points)

    @staticmethod
    def _chins(points: Tensor) -> Tensor:
        """Heights between the nose and the shoulders, or of the upper edge where these are unknown."""
        chin = 0.4 * points[:, 0, 1] + 0.6 * points[:, 5:7, 1].mean(1)
        return torch.where(points[:, 0, 2] >= 0, chin, torch.zeros(len(points))).view(-1, 1, 1, 1)

    def _behind(self, batch: Batch, scenery: Scenery, some: Tensor) -> Tensor:
        """Rooms without figures, landscapes, or textures. Some have clutter, objects, or large shapes in the colors of the figures."""
        draw = self._draw
        count, size = len(some), batch.picture.shape[-1]
        # Another part of the room, as if seen from elsewhere.
        zoom, place = draw.uniform(0.4, 1, count), draw.uniform(-1, 1, 2, count)
        mirror = torch.where(draw.chosen(0.5, count), -zoom, zoom)
        shift = place * (1 - zoom)
        background = sampled(scenery.rooms, size, (mirror, zoom), (shift[0], shift[1]))
        textured = draw.some(0.15, count)
        if len(textured) > 0:
            background[textured] = draw.textures(len(textured), size)
        outside = draw.some(0.3, count)
        if len(outside) > 0:
            background[outside] = outdoors(draw, len(outside), size)
        cluttered = draw.some(0.35, count)
        if len(cluttered) > 0:
            background[cluttered] = self._clutter(background[cluttered])
        furnished = draw.some(0.5, count)
        if len(furnished) > 0:
            background[furnished] = self._furnish(background[furnished], batch, some[furnished])
        stocked = draw.some(0.75, count)
        if len(stocked) > 0:
            background[stocked] = place_objects(draw, background[stocked], scenery.objects[stocked])
        dark = draw.some(0.2, count)
        background[dark] *= torch.exp(draw.uniform(-2.5, -0.5, len(dark), 1, 1, 1))
        return background

    def _furnish(self, picture: Tensor, batch: Batch, some: Tensor) -> Tensor:
        """Large objects that are no people: flags, posters, curtains, furniture, animals. Many have the colors of skin
        and clothes, so that a network cannot tell people by these.
        """
        draw = self._draw
        count, full = len(picture), picture.shape[-1]
        size = full // 2  # objects are smooth but for their outlines, which follow from distances
        for _ in range(3):
            surface = self._surface(batch, some, size)
            distance, reach = self._outline(count, size)
            shade = 1 - draw.uniform(0, 0.4, count, 1, 1, 1) * distance.clamp(0, 1) ** 2
            soft = draw.uniform(0.001, 0.005, count, 1, 1, 1) / reach.clamp(min=0.1)
            drawn = torch.cat([(surface * shade).clamp(0, 1), distance], 1)
            drawn = functional.interpolate(drawn, (full, full), mode="bilinear")
            cover = torch.sigmoid((1 - drawn[:, 3:]) / soft) * draw.chosen(0.7, count).view(-1, 1, 1, 1)
            picture = torch.lerp(picture, drawn[:, :3], cover)
        return picture

    def _surface(self, batch: Batch, some: Tensor, size: int) -> Tensor:
        """A magnified part of a figure, its mean color, or any color, each with patterns and folds."""
        draw = self._draw
        count = len(some)
        zoom = draw.uniform(0.03, 0.15, count)
        middle = batch.points[some, 5:13, :2].mean(1) * 2 - 1
        magnified = sampled(batch.picture[some], size, (zoom, zoom), (middle[:, 0], middle[:, 1]))
        kind = draw.uniform(0, 1, count, 1, 1, 1)
        plain = torch.where(kind < 0.7, magnified.mean((2, 3), keepdim=True), draw.colors(count))
        pattern, gain = draw.cloth(count, size)
        surface = torch.where(kind < 0.35, magnified, plain.expand_as(magnified)) * gain
        return surface + pattern * draw.uniform(0, 0.35, count, 1, 1, 1)

    def _outline(self, count: int, size: int) -> tuple[Tensor, Tensor]:
        """Boxes, ovals, and several that overlap: the distance of each pixel from the middle, 1 at the outline, and the
        approximate size.
        """
        draw = self._draw
        y, x = square(size)
        place = draw.uniform(-0.1, 1.1, 2, count, 1, 1, 1)
        reach = torch.exp(draw.uniform(math.log(0.05), math.log(0.3), count, 1, 1, 1))
        parts = draw.uniform(0, 4, count, 1, 1, 1)
        boxes = draw.chosen(0.5, count).view(-1, 1, 1, 1)
        distance = torch.full((count, 1, size, size), 9.0)
        for part in range(4):
            at = place + reach * draw.uniform(-1, 1, 2, count, 1, 1, 1) * min(part, 1)
            radius = reach * torch.exp(draw.uniform(-1.2, 0.4, 2, count, 1, 1, 1))
            angle = draw.uniform(-1, 1, count, 1, 1, 1) ** 3 * math.pi / 2
            cosine, sine = torch.cos(angle), torch.sin(angle)
            across = ((x - at[0]) * cosine + (y - at[1]) * sine) / radius[0]
            down = ((y - at[1]) * cosine - (x - at[0]) * sine) / radius[1]
            near = torch.where(boxes, torch.maximum(across.abs(), down.abs()), torch.sqrt(across**2 + down**2))
            distance = torch.where(parts >= part, torch.minimum(distance, near), distance)
        return distance, reach

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
            shade, tint = draw.uniform(-0.3, 0.3, count, 1, 1, 1), draw.uniform(-0.1, 0.1, count, 3, 1, 1)
            color = (family + shade + tint).clamp(0, 1)
            picture = torch.where(leaf < 1, color * (1 - 0.3 * across.clamp(-1, 1)), picture)
        return picture.clamp(0, 1)

    def _replace_backgrounds(self, batch: Batch, scenery: Scenery) -> Batch:
        some = self._draw.some(0.55, len(batch.picture))
        if len(some) == 0:
            return batch
        behind = self._behind(batch, scenery.some(some), some)
        figures, points = self._step_back(batch, some)
        result, masks, all_points = batch.picture.clone(), batch.mask.clone(), batch.points.clone()
        result[some] = behind * (1 - figures[:, 3:]) + figures[:, :3]
        masks[some] = figures[:, 3:]
        all_points[some] = points
        return Batch(result, masks, all_points)

    def _step_back(self, batch: Batch, some: Tensor) -> tuple[Tensor, Tensor]:
        """Figures, colors multiplied by the mask in the last channel, and their key points: some smaller and elsewhere.
        Those that the frame cuts at a side stay, and those that it cuts below still end there.
        """
        draw = self._draw
        count, mask, points = len(some), batch.mask[some], batch.points[some].clone()
        cut = mask[..., [0, -1]].amax((1, 2, 3)) > 0.3
        whole = mask[..., -1, :].amax((1, 2)) < 0.3
        scale = torch.where(draw.chosen(0.5, count) & ~cut, draw.uniform(0.4, 1, count), torch.ones(count))
        room = 1 - scale
        drop = torch.where(whole, room * draw.uniform(-0.5, 1, count), room)
        shift = torch.stack([room * draw.uniform(-1, 1, count), drop], 1)
        figure = torch.cat([solid(batch.picture[some], mask) * mask, mask], 1)
        inverse = -shift / scale.unsqueeze(1)
        moved = sampled(figure, mask.shape[-1], (1 / scale, 1 / scale), (inverse[:, 0], inverse[:, 1]), "zeros")
        points[..., :2] = ((points[..., :2] * 2 - 1) * scale.view(-1, 1, 1) + shift.unsqueeze(1) + 1) / 2
        return moved, points

    def _group(self, batch: Batch, scenery: Scenery) -> Batch:
        """Two or three figures in one picture, all of which the mask shows; their key points are unknown."""
        draw = self._draw
        total = len(batch.picture)
        some = draw.some(0.28, total)
        count, size = len(some), batch.picture.shape[-1]
        if count == 0:
            return batch
        picture = self._behind(batch, scenery.some(some), some)
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
            own = batch.mask[source]
            figure = torch.cat([solid(batch.picture[source], own) * own, own], 1)
            shift = (-mirror * place / scale, -drop / scale)
            moved = sampled(figure, size, (mirror / scale, 1 / scale), shift, "zeros")
            if layer == 2:
                moved = moved * draw.chosen(0.5, count).view(-1, 1, 1, 1)
            share = moved[:, 3:]
            picture = picture * (1 - share) + moved[:, :3]
            mask = mask + share * (1 - mask)
        result, masks, points = batch.picture.clone(), batch.mask.clone(), batch.points.clone()
        result[some], masks[some] = picture, mask
        points[some, :, 2] = -1
        return Batch(result, masks, points)

    def _leave(self, batch: Batch, scenery: Scenery) -> Batch:
        """Some pictures without a figure."""
        some = self._draw.some(0.07, len(batch.picture))
        if len(some) == 0:
            return batch
        picture, mask, points = batch.picture.clone(), batch.mask.clone(), batch.points.clone()
        picture[some] = self._behind(batch, scenery.some(some), some)
        mask[some] = 0
        points[some, :, 2] = 0
        return Batch(picture, mask, points)

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
