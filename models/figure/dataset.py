"""Batches of training frames. Each depends only on the seed and its index, so training can resume."""
from __future__ import annotations

import torch
from torch import Generator, Tensor
from torch.utils.data import Dataset

from augment import MIRRORED, Augmenter
from compose import Batch
from layers import SIZE
from records import Records


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


def mirrored(batch: Batch) -> Batch:
    points = batch.points[:, MIRRORED].clone()
    points[:, :, 0] = 1 - points[:, :, 0]
    return Batch(batch.picture.flip(-1), batch.mask.flip(-1), points)


class TrainingBatches(Dataset[Batch]):
    """The batch of each step: frames chosen at random and augmented. As this takes as long as a step, each batch is used
    once more in the next step, mirrored.
    """

    def __init__(self, records: Records, rooms: Records, seed: int, count: int, large_from: int) -> None:
        self._records, self._rooms, self._seed, self._count, self._large_from = records, rooms, seed, count, large_from
        self._chances = chances(records)
        self._last: tuple[int, Batch] | None = None

    def __getitem__(self, step: int) -> Batch:
        """`count` images of half the model size; from step `large_from`, half as many of full size."""
        first = step - step % 2
        if self._last is None or self._last[0] != first:
            self._last = first, self._make(first)
        return mirrored(self._last[1]) if step % 2 else self._last[1]

    def _make(self, step: int) -> Batch:
        large = step >= self._large_from
        count, size = (self._count // 2, SIZE) if large else (self._count, SIZE // 2)
        generator = Generator().manual_seed((self._seed << 32) + step)
        indices = torch.multinomial(self._chances, count, True, generator=generator).tolist()
        rooms = torch.randint(len(self._rooms), (count,), generator=generator).tolist()
        return Augmenter(generator)(load_batch(self._records, indices), load_batch(self._rooms, rooms).picture, size)
