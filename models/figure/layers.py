"""The network as a list of layers, shared by network.py, which computes it, and export_tflite.py, which writes it."""
from __future__ import annotations

from dataclasses import dataclass

SIZE = 256
"""Width and height of the input."""
HEAT_SIZE = 64
"""Width and height of a heatmap."""
KEY_POINTS = 17
COLORS = 3
INPUT_CHANNELS = COLORS + 1
"""RGB, and the mask of the frame before, which is 0 without one. A file without this mask has three channels."""
EDGE_CHANNELS = 8
"""Channels at full size, where each costs the most."""
MASK, HEAT_MAPS = "person_mask", "key_point_heat_maps"
"""The outputs: SIZE x SIZE x 1 and HEAT_SIZE x HEAT_SIZE x KEY_POINTS, both in [0,1]."""


@dataclass(frozen=True)
class Layer:
    """One operator with one result, named after the layer."""

    name: str
    kind: str
    """conv, depthwise, add, resize or logistic"""
    inputs: tuple[str, ...]
    channels: int
    """Channels of the result."""
    kernel: int = 1
    stride: int = 1
    relu: bool = False
    """Whether a ReLU follows."""
    norm: bool = False
    """Whether a batch normalization follows in training; the export folds it into the weights."""
    scale: int = 1
    """Scale factor of resize."""


class _Layers:
    """Adds layers to a list; each function returns the name of its result."""

    def __init__(self) -> None:
        self.list: list[Layer] = []
        self.channels: dict[str, int] = {"input": INPUT_CHANNELS}

    def _add(self, layer: Layer) -> str:
        self.list.append(layer)
        self.channels[layer.name] = layer.channels
        return layer.name

    def conv(self, name: str, source: str, channels: int, kernel: int = 1, stride: int = 1, relu: bool = True) -> str:
        return self._add(Layer(name, "conv", (source,), channels, kernel, stride, relu, norm=True))

    def depthwise(self, name: str, source: str, kernel: int, stride: int = 1) -> str:
        channels = self.channels[source]
        return self._add(Layer(name, "depthwise", (source,), channels, kernel, stride, relu=True, norm=True))

    def add(self, name: str, a: str, b: str) -> str:
        return self._add(Layer(name, "add", (a, b), self.channels[a]))

    def resize(self, name: str, source: str, scale: int = 2) -> str:
        return self._add(Layer(name, "resize", (source,), self.channels[source], scale=scale))

    def logits(self, name: str, source: str, channels: int) -> str:
        return self._add(Layer(name, "conv", (source,), channels))

    def logistic(self, name: str, source: str) -> str:
        return self._add(Layer(name, "logistic", (source,), self.channels[source]))

    def bottleneck(self, name: str, source: str, channels: int, wide: int, kernel: int, stride: int = 1) -> str:
        """An inverted residual block, with an addition if input and result have the same shape."""
        x = self.conv(f"{name}_wide", source, wide)
        x = self.depthwise(f"{name}_depthwise", x, kernel, stride)
        x = self.conv(f"{name}_narrow", x, channels, relu=False)
        if stride == 1 and channels == self.channels[source]:
            x = self.add(f"{name}_add", x, source)
        return x

    def separable(self, name: str, source: str, channels: int, kernel: int = 3) -> str:
        return self.conv(f"{name}_conv", self.depthwise(f"{name}_depthwise", source, kernel), channels)

    def merge(self, name: str, coarse: str, fine: str) -> str:
        """The coarse result at twice its size, with detail from the encoder."""
        channels = self.channels[fine]
        up = self.resize(f"{name}_up", self.conv(f"{name}_coarse", coarse, channels, relu=False))
        return self.add(f"{name}_add", up, fine)


def network_layers() -> list[Layer]:
    """An encoder down to 1/32 of the size, and a decoder that adds the encoder results back, finest last. At half the
    size the mask is known but for its edges, which the input decides.
    """
    net = _Layers()
    half = net.conv("stem", "input", 16, kernel=3, stride=2)
    quarter = net.conv("quarter", half, 24, kernel=3, stride=2)
    quarter = net.add("quarter_add", net.separable("quarter_again", quarter, 24), quarter)
    eighth = net.conv("eighth", quarter, 40, kernel=3, stride=2)
    for i in range(2):
        eighth = net.bottleneck(f"eighth_{i}", eighth, 40, 80, kernel=3)
    sixteenth = net.bottleneck("sixteenth", eighth, 80, 120, kernel=5, stride=2)
    for i in range(3):
        sixteenth = net.bottleneck(f"sixteenth_{i}", sixteenth, 80, 160, kernel=5)
    deepest = net.bottleneck("deepest", sixteenth, 112, 160, kernel=5, stride=2)
    for i in range(4):
        deepest = net.bottleneck(f"deepest_{i}", deepest, 112, 224, kernel=5)

    x = net.separable("decode_16", net.merge("merge_16", deepest, sixteenth), 80)
    x = net.separable("decode_8", net.merge("merge_8", x, eighth), 40)
    x = net.separable("decode_4", net.merge("merge_4", x, quarter), 32)

    heat = net.logits("heat_logits", net.separable("heat", x, 32), KEY_POINTS)
    net.logistic(HEAT_MAPS, heat)
    fine = net.separable("decode_2", net.merge("merge_2", x, half), 16)
    small = net.resize("mask_up", net.logits("mask_small", fine, 1))
    net.logistic(MASK, net.add("mask_logits", _edges(net, fine), small))
    return net.list


def _edges(net: _Layers, fine: str) -> str:
    """What to add to the mask's logits at full size: few channels of the input, and what the decoder says of them."""
    known = net.resize("edges_up", net.conv("edges_known", fine, EDGE_CHANNELS, relu=False))
    x = net.add("edges_add", net.conv("edges_seen", "input", EDGE_CHANNELS, kernel=3), known)
    return net.logits("edges_logits", net.separable("edges", x, EDGE_CHANNELS), 1)


def sizes(layers: list[Layer], size: int = SIZE) -> dict[str, int]:
    """Width and height of every result."""
    result = {"input": size}
    for layer in layers:
        result[layer.name] = result[layer.inputs[0]] * layer.scale // layer.stride
    return result


def channels(layers: list[Layer]) -> dict[str, int]:
    """Channels of every result."""
    return {"input": INPUT_CHANNELS} | {layer.name: layer.channels for layer in layers}


def cost(layers: list[Layer]) -> tuple[int, int]:
    """Number of weights and biases, and multiply-adds per image."""
    size, depth = sizes(layers), channels(layers)
    weights = multiply_adds = 0
    for layer in layers:
        if layer.kind not in ("conv", "depthwise"):
            continue
        per_pixel = layer.kernel**2 * layer.channels * (depth[layer.inputs[0]] if layer.kind == "conv" else 1)
        weights += per_pixel + layer.channels
        multiply_adds += per_pixel * size[layer.name] ** 2
    return weights, multiply_adds
