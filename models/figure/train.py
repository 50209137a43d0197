"""Trains the network on rendered figures. Can stop and resume at any step. The result depends only on the seed, the
frames, the first weights and the number of steps (the last bits also on the PyTorch version and the device).
"""
from __future__ import annotations

import argparse
import os
import time
from copy import deepcopy
from pathlib import Path
from typing import Iterable

import torch
from torch import Tensor
from torch.utils.data import DataLoader

from dataset import Sources, Step, TrainingBatches
from layers import cost
from losses import key_point_loss, mask_loss
from network import FigureNetwork
from objects import Objects
from previous_frame import Previous
from records import Records
from warm_start import start_from

WARM_UP = 100
"""Steps until the full learning rate."""


def rate(step: int, steps: int, full: float, large_from: int) -> float:
    """Learning rate at a step: constant for images of half the size, then falling to 0."""
    fall = (steps - step) / (steps - large_from)
    return full * min((step + 1) / WARM_UP, 1, max(fall, 0.01))


def previous_masks(network: FigureNetwork, previous: Previous) -> Tensor:
    """The masks of the frames before, with those that the network computes itself."""
    masks = previous.masks.clone()
    if len(previous.own) > 0:
        network.eval()
        with torch.no_grad():
            masks[previous.own] = torch.sigmoid(network(previous.pictures)[0])
        network.train()
    return masks


def train_step(network: FigureNetwork, optimizer: torch.optim.Optimizer, item: Step, mask_weight: float) -> list[float]:
    """Returns the losses of the masks and of the keypoints."""
    batch = item.batch
    previous = previous_masks(network, item.previous)
    mask, heat = network(batch.picture.contiguous(memory_format=torch.channels_last), previous)
    losses = mask_loss(mask, batch.mask), key_point_loss(heat, batch.points)
    optimizer.zero_grad(set_to_none=True)
    (mask_weight * losses[0] + losses[1]).backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
    optimizer.step()
    return [loss.item() for loss in losses]


def seconds_of_step(network: FigureNetwork, loader: Iterable[Step], device: torch.device) -> float:
    """Measures steps on a copy of the network. The first half does not count: workers begin with a stock of batches."""
    copy = deepcopy(network)
    optimizer = torch.optim.AdamW(copy.parameters(), lr=1e-4)
    times = []
    for item in loader:
        train_step(copy, optimizer, item.to(device), 4)
        times.append(time.monotonic())
    half = len(times) // 2
    return (times[-1] - times[half]) / (len(times) - 1 - half)


def save(path: Path, state: dict) -> None:
    part = path.with_suffix(".part")
    torch.save(state, part)
    os.replace(part, path)


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev train", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("build-model"), help="directory of frames and checkpoint")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--steps", type=int, default=20000, help="total steps; can be changed until images have full size"
    )
    parser.add_argument("--from-model", type=Path, help="a .tflite file whose weights to begin with, such as figure.tflite")
    parser.add_argument(
        "--large-from",
        type=float,
        default=0.6,
        help="fraction of the steps from which images have full size, masks count more, and the learning rate falls to 0; "
        "images of half the size cost a quarter",
    )
    parser.add_argument("--hours", type=float, default=0, help="pause after this time; 0: continue to the last step")
    parser.add_argument(
        "--seconds",
        type=float,
        default=0,
        help="train for this time: the first steps are measured, and the number of steps follows; 0: --steps",
    )
    parser.add_argument("--device", choices=["cpu", "cuda", "auto"], default="cpu", help="auto: CUDA, if there is a GPU")
    parser.add_argument("--workers", type=int, default=1, help="processes that prepare batches")
    parser.add_argument("--batch", type=int, default=32, help="images per step, half as many at full size")
    parser.add_argument("--rate", type=float, default=3e-3, help="learning rate")
    parser.add_argument(
        "--plain", type=float, default=0, help="share of the batches whose figures stay in the rooms they were rendered in"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_num_threads(options.threads)
    data = options.folder / "data"
    records, rooms = (Records(sorted(data.glob(f"{kind}-*.figures"))) for kind in ("train", "room"))
    sources = Sources(records, rooms, Objects(data / "objects.npz"))
    automatic = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(automatic if options.device == "auto" else options.device)
    network = FigureNetwork().to(memory_format=torch.channels_last)
    checkpoint = options.folder / "checkpoint.pt"
    if options.from_model and not checkpoint.exists():
        lacking = start_from(network, options.from_model, records)
        print(f"from {options.from_model}, which lacks: {', '.join(lacking) or 'nothing'}")
    network.to(device)
    decayed = [p for p in network.parameters() if p.dim() > 1]
    others = [p for p in network.parameters() if p.dim() <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.02}, {"params": others, "weight_decay": 0}], lr=options.rate
    )
    step = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, map_location=device)
        if state["seed"] != options.seed:
            raise SystemExit(f"{checkpoint} was trained with --seed {state['seed']}; use it, or another --folder")
        network.load_state_dict(state["network"])
        optimizer.load_state_dict(state["optimizer"])
        step = state["step"]
    weights, multiply_adds = cost(network.layers)
    print(f"{weights} weights, {multiply_adds / 1e6:.0f} M multiply-adds; {len(records)} frames; from step {step}")

    begin = saved = shown = time.monotonic()
    if options.seconds > 0:
        trial = TrainingBatches(sources, options.seed, options.batch, 2**62, options.plain)
        steps = range(4 * options.workers + 8)
        one = seconds_of_step(network, DataLoader(trial, None, sampler=steps, num_workers=options.workers), device)
        # Half as many images of four times the size.
        mean = one * (options.large_from + 2 * (1 - options.large_from))
        options.steps = max(2, int((options.seconds - (time.monotonic() - begin)) / mean))
        options.hours = options.seconds / 3600
        print(f"{1000 * one:.0f} ms per step on {device}: {options.steps} steps", flush=True)
    sums = [0.0, 0.0, 0]
    large_from = int(options.large_from * options.steps)
    batches = TrainingBatches(sources, options.seed, options.batch, large_from, options.plain)
    # Separate processes prepare them in advance.
    for item in DataLoader(batches, None, sampler=range(step, options.steps), num_workers=options.workers):
        for group in optimizer.param_groups:
            group["lr"] = rate(step, options.steps, options.rate, large_from)
        losses = train_step(network, optimizer, item.to(device), 8 if step >= large_from else 4)
        step += 1
        sums = [sums[0] + losses[0], sums[1] + losses[1], sums[2] + 1]

        now = time.monotonic()
        over = options.hours > 0 and now - begin > 3600 * options.hours
        last = over or step == options.steps
        if last or now - shown > 20:
            pace = (now - begin) / 60
            print(
                f"step {step} of {options.steps}, {pace:.1f} min: mask {sums[0] / sums[2]:.4f}, "
                f"keypoints {sums[1] / sums[2]:.4f}",
                flush=True,
            )
            shown, sums = now, [0.0, 0.0, 0]
        if last or now - saved > 120:
            state = {"network": network.state_dict(), "optimizer": optimizer.state_dict()}
            save(checkpoint, state | {"step": step, "seed": options.seed, "steps": options.steps})
            saved = now
        if over:
            print(f"paused; the same command resumes from {checkpoint}")
            return


if __name__ == "__main__":
    main()
