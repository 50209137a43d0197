"""Batches of training frames. Each depends only on the seed and its index, so training can resume."""
from __future__ import annotations

import torch
from torch import Generator
from torch.utils.data import Dataset

from augment import Augmenter, Batch
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


class TrainingBatches(Dataset[Batch]):
    """The batch of each step: frames chosen at random and augmented."""

    def __init__(self, records: Records, seed: int, count: int, large_from: int) -> None:
        self._records, self._seed, self._count, self._large_from = records, seed, count, large_from

    def __getitem__(self, step: int) -> Batch:
        """`count` images of half the model size; from step `large_from`, half as many of full size."""
        large = step >= self._large_from
        count, size = (self._count // 2, SIZE) if large else (self._count, SIZE // 2)
        generator = Generator().manual_seed((self._seed << 32) + step)
        indices = torch.randint(0, len(self._records), (count,), generator=generator).tolist()
        return Augmenter(generator)(load_batch(self._records, indices), size)
