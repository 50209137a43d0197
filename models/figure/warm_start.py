"""Reads the weights of a .tflite file that export_tflite.py wrote, to go on training from it. Needs the modules that
flatc generates, as export_tflite.py does.
"""
from __future__ import annotations

from pathlib import Path

import numpy
import schema_generated as tflite
import torch
from numpy import ndarray
from torch import Tensor, nn

from dataset import load_batch
from network import FigureNetwork
from records import Records

FILTER_SIZE = 0.1
"""Root of the mean square of a filter's weights."""


def read_constants(path: Path) -> dict[str, ndarray]:
    """The filters and biases by their names."""
    model = tflite.ModelT.InitFromObj(tflite.Model.GetRootAs(path.read_bytes(), 0))
    result = {}
    for tensor in model.subgraphs[0].tensors:
        name = tensor.name.decode()
        data = model.buffers[tensor.buffer].data
        if tensor.type == tflite.TensorType.FLOAT16 and data is not None:
            values = numpy.frombuffer(bytes(data), "<f2").astype("f4")
            result[name.removesuffix("_half")] = values.reshape(list(tensor.shape))
    return result


def take_weights(network: FigureNetwork, constants: dict[str, ndarray]) -> list[str]:
    """Copies the weights of layers that the file has, and returns the names of those that it lacks."""
    lacking = []
    for layer in network.layers:
        if layer.kind not in ("conv", "depthwise"):
            continue
        filters = constants.get(f"{layer.name}/filter")
        if filters is None:
            lacking.append(layer.name)
            continue
        part = network.convolutions[layer.name]
        order = (3, 0, 1, 2) if layer.kind == "depthwise" else (0, 3, 1, 2)
        bias = torch.from_numpy(constants[f"{layer.name}/bias"])
        values = torch.from_numpy(filters.transpose(order).copy())
        with torch.no_grad():
            part.conv.weight.zero_()  # a file without the mask of the frame before has fewer channels
            part.conv.weight[:, : values.shape[1]].copy_(values)
            if part.norm is None:
                part.conv.bias.copy_(bias)
            else:
                part.norm.bias.copy_(bias)
    return lacking


def start_from(network: FigureNetwork, path: Path, frames: Records) -> list[str]:
    """Makes the network compute what the file does, as far as the file has its layers; returns the names of the others."""
    lacking = take_weights(network, read_constants(path))
    some = load_batch(frames, list(range(0, len(frames), max(1, len(frames) // 48))))
    calibrate(network, lacking, some.picture)
    return lacking


@torch.no_grad()
def mix(network: FigureNetwork, path: Path, share: float, frames: Records) -> None:
    """Leaves the network `share` of its weights; the rest is from a file that its training began with. Layers that the
    file lacks stay.
    """
    first = FigureNetwork()
    lacking = start_from(first, path, frames)
    others = first.state_dict()
    for name, values in network.state_dict().items():
        if values.is_floating_point() and not any(f".{layer}." in name for layer in lacking):
            values.lerp_(others[name], 1 - share)


@torch.no_grad()
def calibrate(network: FigureNetwork, lacking: list[str], pictures: Tensor) -> None:
    """Gives the normalizations, which the export had folded into the weights, the statistics of these pictures, and the
    scale and shift that undo them: the network computes what the file does. All filters get the same size, so that one
    learning rate suits all.
    """
    network.eval()
    parts = [network.convolutions[name] for name in network.convolutions if name not in lacking]
    parts = [part for part in parts if part.norm is not None]
    seen: dict[nn.Module, Tensor] = {}
    hooks = [part.norm.register_forward_hook(lambda norm, inputs, _: seen.update({norm: inputs[0]})) for part in parts]
    # As they are created, normalizations do nothing but add the bias.
    network(pictures)
    for hook in hooks:
        hook.remove()
    for part in parts:
        weight, norm = part.conv.weight, part.norm
        size = weight.square().mean((1, 2, 3)).sqrt().clamp(min=1e-4)
        gain = FILTER_SIZE / size
        weight.mul_(gain.view(-1, 1, 1, 1))
        norm.running_mean.copy_(seen[norm].mean((0, 2, 3)) * gain)
        norm.running_var.copy_(seen[norm].var((0, 2, 3)) * gain.square())
        norm.weight.copy_(torch.sqrt(norm.running_var + norm.eps) / gain)
        norm.bias.add_(norm.running_mean / gain)
    network.train()
