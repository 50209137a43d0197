"""The network in PyTorch, for training and evaluation."""
from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

from layers import COLORS, HEAT_MAPS, MASK, Layer, channels, network_layers


class _Convolution(nn.Module):
    """A convolution with the SAME padding of TensorFlow, a batch normalization, a ReLU."""

    def __init__(self, layer: Layer, inputs: int) -> None:
        super().__init__()
        groups = inputs if layer.kind == "depthwise" else 1
        self.conv = nn.Conv2d(inputs, layer.channels, layer.kernel, layer.stride, groups=groups, bias=not layer.norm)
        self.norm = nn.BatchNorm2d(layer.channels, momentum=0.03) if layer.norm else None
        # For sizes that the stride divides. Odd padding has one more after than before.
        total = layer.kernel - layer.stride
        self.padding = (total // 2, total - total // 2) * 2
        self.relu = layer.relu

    def forward(self, x: Tensor) -> Tensor:
        left, right = self.padding[:2]
        if left == right:  # without a copy
            conv = self.conv
            x = functional.conv2d(x, conv.weight, conv.bias, conv.stride, left, 1, conv.groups)
        else:
            x = self.conv(functional.pad(x, self.padding))
        if self.norm is not None:
            x = self.norm(x)
        return functional.relu(x) if self.relu else x

    def folded(self) -> tuple[Tensor, Tensor]:
        """Weights and biases with the normalization folded in."""
        weight, bias = self.conv.weight.detach(), self.conv.bias
        if self.norm is None:
            assert bias is not None
            return weight, bias.detach()
        norm = self.norm
        scale = (norm.weight / torch.sqrt(norm.running_var + norm.eps)).detach()
        return weight * scale.view(-1, 1, 1, 1), (norm.bias - norm.running_mean * scale).detach()


class FigureNetwork(nn.Module):
    """Maps B x 3 x S x S images, RGB in [0,1], and the masks of the frames before, B x 1 x S x S, to masks B x 1 x S x S
    and heatmaps B x 17 x S/4 x S/4, both as logits. S is a multiple of 32.
    """

    def __init__(self) -> None:
        super().__init__()
        self.layers = network_layers()
        depth = channels(self.layers)
        self.convolutions = nn.ModuleDict(
            {
                layer.name: _Convolution(layer, depth[layer.inputs[0]])
                for layer in self.layers
                if layer.kind in ("conv", "depthwise")
            }
        )
        # Most pixels are no keypoint, whatever the image shows.
        nn.init.constant_(self.convolutions["heat_logits"].conv.bias, -4.0)
        # At first the mask is that of half the size.
        for values in self.convolutions["edges_logits"].conv.parameters():
            nn.init.zeros_(values)
        # Nor does the frame before have an effect.
        for layer in self.layers:
            if "input" in layer.inputs:
                nn.init.zeros_(self.convolutions[layer.name].conv.weight[:, COLORS:])

    def forward(self, picture: Tensor, previous: Tensor | None = None) -> tuple[Tensor, Tensor]:
        if previous is None:
            previous = torch.zeros_like(picture[:, :1])
        results = {"input": torch.cat([picture, previous], 1)}
        for layer in self.layers:
            sources = [results[name] for name in layer.inputs]
            if layer.kind in ("conv", "depthwise"):
                result = self.convolutions[layer.name](sources[0])
            elif layer.kind == "add":
                result = sources[0] + sources[1]
            elif layer.kind == "resize":
                result = functional.interpolate(
                    sources[0], scale_factor=layer.scale, mode="bilinear", align_corners=False
                )
            else:
                result = sources[0]  # logistic: training and evaluation need the logits
            results[layer.name] = result
        return results[MASK], results[HEAT_MAPS]
