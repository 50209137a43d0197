"""Exports a network of random weights, with and without the mask of the frame before, and compares the results in PyTorch
and in the engine on a random image.
"""
from __future__ import annotations

import argparse
import copy
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy
import torch
from torch import nn

from export_tflite import export, load_network
from layers import COLORS, SIZE
from network import FigureNetwork
from runs import run_engine, run_torch

LIMIT = 0.001
"""Maximum difference between probabilities."""


def random_network() -> FigureNetwork:
    """A network whose normalizations all have an effect, and whose results depend on the image."""
    network = load_network(None)
    norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = 1.0
        nn.init.uniform_(norm.weight, 0.7, 1.3)
        nn.init.normal_(norm.bias, 0, 0.3)
    with torch.no_grad():
        network.train()(torch.rand(2, COLORS, SIZE, SIZE))
        for name in ("heat_logits", "mask_small"):
            network.convolutions[name].conv.weight *= 3
        # Created with zeros, the edges and the mask of the frame before would have no effect.
        nn.init.normal_(network.convolutions["edges_logits"].conv.weight, 0, 0.5)
        for name in ("stem", "edges_seen"):
            nn.init.normal_(network.convolutions[name].conv.weight[:, COLORS:], 0, 0.2)
    return network.eval()


def rounded(network: FigureNetwork) -> FigureNetwork:
    """The network with its normalizations folded into 16-bit weights, as the file must contain them."""
    result = copy.deepcopy(network)
    for part in result.convolutions.values():
        weight, bias = part.folded()
        part.norm = None
        part.conv.weight, part.conv.bias = (nn.Parameter(values.half().float()) for values in (weight, bias))
    return result


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev export-model --check", description=__doc__)
    parser.add_argument("--command", type=Path, required=True, help="path of sightglass")
    options = parser.parse_args()
    network = random_network()
    exact = rounded(network)
    random = numpy.random.default_rng(1)
    picture = random.integers(0, 256, (SIZE, SIZE, COLORS), "u1")
    first = None
    for title, previous in (("without", None), ("with", random.random((SIZE, SIZE), "f4"))):
        with TemporaryDirectory() as name:
            model = Path(name) / "random.tflite"
            model.write_bytes(export(network, recurrent=previous is not None))
            results = run_engine(options.command, model, picture, previous)
        expected = run_torch(exact, picture, previous)
        for part, found, wanted in zip(("mask", "heatmaps"), results, expected):
            difference, spread = float(abs(found - wanted).max()), float(numpy.ptp(wanted))
            print(f"{part} {title} the mask before: maximum difference {difference:.5f}, allowed {LIMIT}; values span "
                  f"{spread:.2f}")
            if spread < 0.2:
                raise SystemExit("the outputs of the random network hardly vary: they test nothing")
            if difference > LIMIT:
                raise SystemExit("the exported model does not match the network")
        if first is not None and abs(first - results[0]).max() < 0.05:
            raise SystemExit("the mask before has no effect on the random network: it tests nothing")
        first = results[0]


if __name__ == "__main__":
    main()
