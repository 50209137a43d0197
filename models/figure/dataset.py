"""Batches of training frames. Each depends only on the seed and its index, so training can resume."""
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Generator, Tensor
from torch.utils.data import Dataset

from augment import MIRRORED, Augmenter
from compose import Batch
from drawing import Drawing
from layers import SIZE
from objects import Objects
from previous_frame import Previous, previous_frames
from records import Records
from scenery import OBJECTS, Scenery


@dataclass
class Sources:
    figures: Records
    rooms: Records
    objects: Objects


@dataclass
class Step:
    batch: Batch
    previous: Previous

    def to(self, device: torch.device) -> "Step":
        batch, previous = self.batch, self.previous
        return Step(
            Batch(*(value.to(device) for value in (batch.picture, batch.mask, batch.points))),
            Previous(*(value.to(device) for value in (previous.masks, previous.own, previous.pictures))),
        )

    def mirrored(self) -> "Step":
        points = self.batch.points[:, MIRRORED].clone()
        points[:, :, 0] = 1 - points[:, :, 0]
        batch = Batch(self.batch.picture.flip(-1), self.batch.mask.flip(-1), points)
        previous = Previous(self.previous.masks.flip(-1), self.previous.own, self.previous.pictures.flip(-1))
        return Step(batch, previous)


def load_batch(records: Records, indices: list[int]) -> Batch:
    """Frames as rendered."""
    picture, mask, points = records.get(indices)
    return Batch(
        torch.from_numpy(picture).permute(0, 3, 1, 2).contiguous().float() / 255,
        torch.from_numpy(mask).unsqueeze(1).float() / 255,
        torch.from_numpy(points),
    )


def chances(records: Records) -> Tensor:
    """How often to draw each frame: raised arms and whole bodies, of which there are few, more often."""
    points = torch.from_numpy(records.points())
    inside = points[:, :, 2] > 0
    raised = (inside[:, 9:11] & (points[:, 9:11, 1] < points[:, 5:7, 1])).any(1)
    whole = inside[:, 15:17].any(1)
    return 1 + raised.float() + 0.7 * whole.float()


class TrainingBatches(Dataset[Step]):
    """The batch of each step: frames chosen at random and augmented. As this takes as long as a step, each batch is used
    once more in the next step, mirrored.
    """

    def __init__(self, sources: Sources, seed: int, count: int, large_from: int, plain: float = 0) -> None:
        """`plain` is the share of batches without scenery."""
        self._sources, self._seed, self._count, self._large_from = sources, seed, count, large_from
        self._plain = plain
        self._chances = chances(sources.figures)
        self._last: tuple[int, Step] | None = None

    def __getitem__(self, step: int) -> Step:
        """`count` images of half the model size; from step `large_from`, half as many of full size."""
        first = step - step % 2
        if self._last is None or self._last[0] != first:
            self._last = first, self._make(first)
        return self._last[1].mirrored() if step % 2 else self._last[1]

    def _make(self, step: int) -> Step:
        large = step >= self._large_from
        count, size = (self._count // 2, SIZE) if large else (self._count, SIZE // 2)
        generator = Generator().manual_seed((self._seed << 32) + step)
        figures, rooms, objects = self._sources.figures, self._sources.rooms, self._sources.objects
        indices = torch.multinomial(self._chances, count, True, generator=generator).tolist()
        chosen_rooms = torch.randint(len(rooms), (count,), generator=generator).tolist()
        things = objects.draw(count * OBJECTS, generator)
        scenery = Scenery(load_batch(rooms, chosen_rooms).picture, things.unflatten(0, (count, OBJECTS)))
        if torch.rand(1, generator=generator).item() < self._plain:
            scenery = None
        batch = Augmenter(generator)(load_batch(figures, indices), scenery, size)
        return Step(batch, previous_frames(Drawing(generator), batch))
