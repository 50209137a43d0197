"""Writes a trained network in the form of the TensorFlow Lite converter for 16-bit weights: batch normalizations folded
into the convolutions, their weights and biases as float16 with DEQUANTIZE, channels last, each operator in the lowest
sufficient version. Needs the modules that flatc generates from the schemas of gpu_engine/tflite: ./dev export-model.
"""
from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import flatbuffers
import metadata_generated as described
import numpy
import schema_generated as tflite
import torch

from layers import COLORS, HEAT_MAPS, INPUT_CHANNELS, KEY_POINTS, MASK, SIZE, Layer, channels, sizes
from network import FigureNetwork
from records import Records
from warm_start import mix

_Op, _Options, _Type = tflite.BuiltinOperator, tflite.BuiltinOptions, tflite.TensorType

VERSIONS = {
    _Op.DEQUANTIZE: 3,  # first version with float16
    _Op.CONV_2D: 1,
    _Op.DEPTHWISE_CONV_2D: 1,
    _Op.ADD: 1,
    _Op.RESIZE_BILINEAR: 3,  # first version with half-pixel centers
    _Op.LOGISTIC: 1,
}
FILES = {"figure.tflite": False, "figure_recurrent.tflite": True}
"""Whether the file takes the mask of the frame before."""
MIN_RUNTIME = b"2.2.0"
"""The first TensorFlow Lite version with all of these."""


class _Bytes(tflite.BufferT):
    """A buffer with data aligned to 16 bytes, which the format requires and generated code does not provide."""

    def Pack(self, builder: flatbuffers.Builder) -> int:  # noqa: N802, the generated code's name
        if self.data is None:
            return super().Pack(builder)
        builder.StartVector(1, len(self.data), 16)
        builder.head -= len(self.data)
        builder.Bytes[builder.head : builder.head + len(self.data)] = self.data
        data = builder.EndVector()
        tflite.BufferStart(builder)
        tflite.BufferAddData(builder, data)
        return tflite.BufferEnd(builder)


class _Writer:
    """Collects tensors and operators, keyed by the names of their results."""

    def __init__(self) -> None:
        self.buffers: list[tflite.BufferT] = [_Bytes()]
        self.tensors: list[tflite.TensorT] = []
        self.index: dict[str, int] = {}
        self.dequantized: list[tflite.OperatorT] = []
        self.operators: list[tflite.OperatorT] = []
        self.codes: list[int] = []

    def buffer(self, data: bytes) -> int:
        buffer = _Bytes()
        buffer.data = data
        self.buffers.append(buffer)
        return len(self.buffers) - 1

    def tensor(self, name: str, shape: list[int], kind: int = _Type.FLOAT32, data: bytes | None = None) -> int:
        tensor = tflite.TensorT()
        tensor.name, tensor.shape, tensor.type = name, shape, kind
        tensor.buffer = 0 if data is None else self.buffer(data)
        tensor.quantization = tflite.QuantizationParametersT()
        self.tensors.append(tensor)
        self.index[name] = len(self.tensors) - 1
        return self.index[name]

    def operator(self, code: int, inputs: list[int], output: int, options: tuple[int, Any] = (0, None)) -> None:
        if code not in self.codes:
            self.codes.append(code)
        operator = tflite.OperatorT()
        operator.opcodeIndex = self.codes.index(code)
        operator.inputs, operator.outputs = inputs, [output]
        operator.builtinOptionsType, operator.builtinOptions = options
        # The converter puts constants and their DEQUANTIZE operators first.
        (self.dequantized if code == _Op.DEQUANTIZE else self.operators).append(operator)

    def half(self, name: str, values: numpy.ndarray) -> int:
        """A constant of 16-bit floats, dequantized to 32 bits."""
        stored = values.astype("<f2")
        if not numpy.isfinite(stored).all():
            raise SystemExit(f"{name} does not fit into 16-bit floats; train with a lower learning rate")
        source = self.tensor(f"{name}_half", list(values.shape), _Type.FLOAT16, stored.tobytes())
        result = self.tensor(name, list(values.shape))
        self.operator(_Op.DEQUANTIZE, [source], result)
        return result

    def model(self, inputs: list[str], outputs: list[str], recurrent: bool) -> tflite.ModelT:
        graph = tflite.SubGraphT()
        graph.name, graph.tensors = "main", self.tensors
        graph.inputs = [self.index[name] for name in inputs]
        graph.outputs = [self.index[name] for name in outputs]
        graph.operators = self.dequantized + self.operators
        model = tflite.ModelT()
        model.version, model.description, model.subgraphs, model.buffers = 3, "Sightglass", [graph], self.buffers
        model.operatorCodes = []
        for code in self.codes:
            entry = tflite.OperatorCodeT()
            entry.builtinCode, entry.deprecatedBuiltinCode, entry.version = code, min(code, 127), VERSIONS[code]
            model.operatorCodes.append(entry)
        model.metadata = []
        for name, data in (("min_runtime_version", MIN_RUNTIME.ljust(16, b"\0")), ("TFLITE_METADATA", _metadata(recurrent))):
            metadata = tflite.MetadataT()
            metadata.name, metadata.buffer = name, self.buffer(data)
            model.metadata.append(metadata)
        return model


def _metadata(recurrent: bool) -> bytes:
    """Names of inputs and outputs, and the input normalization: samples of 0 to 255 divided by 255."""
    options = described.NormalizationOptionsT()
    options.mean, options.std = [0.0], [255.0]
    unit = described.ProcessUnitT()
    unit.optionsType, unit.options = described.ProcessUnitOptions.NormalizationOptions, options
    picture, mask, heat = (described.TensorDescriptionT() for _ in range(3))
    picture.name, picture.processUnits = "picture", [unit]
    picture.description = "RGB, 0 to 1" + (", and the mask of the frame before" if recurrent else "")
    mask.name, mask.description = MASK, "probability that a pixel shows a person"
    heat.name, heat.description = HEAT_MAPS, f"confidence by place for each of COCO's {KEY_POINTS} key points"
    graph = described.SubGraphDescriptionT()
    graph.inputTensorMetadata, graph.outputTensorMetadata = [picture], [mask, heat]
    model = described.ModelDescriptionT()
    model.name = "Sightglass figure, recurrent" if recurrent else "Sightglass figure"
    model.version, model.author = "2", "Sightglass"
    model.description, model.license = "Person mask and key points; see its MODEL_CARD.md", "MIT"
    model.subgraphMetadata = [graph]
    return _bytes_of(model, b"M001")


def _bytes_of(root: Any, identifier: bytes) -> bytes:
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(root.Pack(builder), identifier)
    return bytes(builder.Output())


def _convolve(writer: _Writer, layer: Layer, weight: numpy.ndarray, bias: numpy.ndarray, output: int) -> None:
    deep = layer.kind == "depthwise"
    options = tflite.DepthwiseConv2DOptionsT() if deep else tflite.Conv2DOptionsT()
    options.padding, options.strideW, options.strideH = tflite.Padding.SAME, layer.stride, layer.stride
    options.fusedActivationFunction = tflite.ActivationFunctionType.RELU if layer.relu else 0
    if deep:
        options.depthMultiplier = 1
    # From out, in, height, width to out, height, width, in; for depthwise to 1, height, width, channels.
    filters = weight.transpose(1, 2, 3, 0) if deep else weight.transpose(0, 2, 3, 1)
    constants = [writer.half(f"{layer.name}/filter", filters), writer.half(f"{layer.name}/bias", bias)]
    code = _Op.DEPTHWISE_CONV_2D if deep else _Op.CONV_2D
    tag = _Options.DepthwiseConv2DOptions if deep else _Options.Conv2DOptions
    writer.operator(code, [writer.index[layer.inputs[0]], *constants], output, (tag, options))


def export(network: FigureNetwork, recurrent: bool) -> bytes:
    """The .tflite file. With `recurrent`, its fourth input channel is the mask of the frame before; without, the file
    computes what that one does for a first frame.
    """
    size, depth = sizes(network.layers), channels(network.layers)
    inputs = INPUT_CHANNELS if recurrent else COLORS
    writer = _Writer()
    writer.tensor("input", [1, SIZE, SIZE, inputs])
    for layer in network.layers:
        side = size[layer.name]
        sources = [writer.index[name] for name in layer.inputs]
        output = writer.tensor(layer.name, [1, side, side, depth[layer.name]])
        if layer.kind in ("conv", "depthwise"):
            weight, bias = network.convolutions[layer.name].folded()
            if layer.inputs == ("input",):
                weight = weight[:, :inputs]
            _convolve(writer, layer, weight.contiguous().numpy(), bias.numpy(), output)
        elif layer.kind == "add":
            writer.operator(_Op.ADD, sources, output, (_Options.AddOptions, tflite.AddOptionsT()))
        elif layer.kind == "resize":
            options = tflite.ResizeBilinearOptionsT()
            options.halfPixelCenters = True
            wanted = numpy.array([side, side], "<i4")
            constant = writer.tensor(f"{layer.name}/size", [2], _Type.INT32, wanted.tobytes())
            sources.append(constant)
            writer.operator(_Op.RESIZE_BILINEAR, sources, output, (_Options.ResizeBilinearOptions, options))
        else:
            writer.operator(_Op.LOGISTIC, sources, output)
    return _bytes_of(writer.model(["input"], [MASK, HEAT_MAPS], recurrent), b"TFL3")


def load_network(checkpoint: Path | None) -> FigureNetwork:
    """A trained network, or an untrained one for None; for inference, not for training."""
    torch.manual_seed(0)
    network = FigureNetwork()
    if checkpoint is not None:
        if not checkpoint.exists():
            raise SystemExit(f"{checkpoint} does not exist; ./dev train creates it")
        network.load_state_dict(torch.load(checkpoint)["network"])
    return network.eval()


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev export-model", description=__doc__)
    parser.add_argument("--folder", type=Path, default=Path("build-model"), help="directory of the checkpoint")
    parser.add_argument("--untrained", action="store_true", help="export a random network, to test the exporter")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, help="directory of the files")
    parser.add_argument("--only", choices=FILES, help="write only this file")
    parser.add_argument("--mix-with", type=Path, help="a .tflite file that the training began with, to mix the weights")
    parser.add_argument("--share", type=float, default=0.5, help="share of the checkpoint in mixed weights")
    options = parser.parse_args()
    network = load_network(None if options.untrained else options.folder / "checkpoint.pt")
    if options.mix_with:
        frames = Records(sorted((options.folder / "data").glob("train-*.figures")))
        mix(network, options.mix_with, options.share, frames)
        network.eval()
    for name, recurrent in FILES.items():
        if options.only not in (None, name):
            continue
        data = export(network, recurrent)
        (options.output / name).write_bytes(data)
        print(f"{options.output / name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
