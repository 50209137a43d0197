"""A float .tflite model as a PyTorch module, for comparing engines. Tensors keep the order of the file, N x H x W x C, which
PyTorch's convolutions take as channels_last without a copy. Needs the modules that flatc generates.
"""
from __future__ import annotations

from pathlib import Path

import numpy
import schema_generated as tflite
import torch
import torch.nn.functional as functional
from torch import Tensor, nn

_TYPES = {
    tflite.TensorType.FLOAT32: "<f4",
    tflite.TensorType.FLOAT16: "<f2",
    tflite.TensorType.INT32: "<i4",
    tflite.TensorType.INT64: "<i8",
}
_OPERATORS = {value: name for name, value in vars(tflite.BuiltinOperator).items() if not name.startswith("_")}


class Unsupported(Exception):
    """Names what this translation lacks."""


def _activate(x: Tensor, activation: int) -> Tensor:
    kinds = tflite.ActivationFunctionType
    if activation == kinds.NONE:
        return x
    if activation == kinds.RELU:
        return functional.relu(x)
    if activation == kinds.RELU6:
        return functional.relu6(x)
    raise Unsupported(f"activation {activation}")


def _same_padding(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def _padded(x: Tensor, options: object, kernel: tuple[int, int], dilation: tuple[int, int], value: float = 0) -> Tensor:
    """N x C x H x W with the padding of TensorFlow."""
    if options.padding == tflite.Padding.VALID:
        return x
    top, bottom = _same_padding(x.shape[2], kernel[0], options.strideH, dilation[0])
    left, right = _same_padding(x.shape[3], kernel[1], options.strideW, dilation[1])
    return functional.pad(x, (left, right, top, bottom), value=value) if top + bottom + left + right else x


def _channels_first(x: Tensor) -> Tensor:
    return x.permute(0, 3, 1, 2)


def _channels_last(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1)


class TorchModel(nn.Module):
    def __init__(self, path: Path) -> None:
        super().__init__()
        model = tflite.ModelT.InitFromObj(tflite.Model.GetRootAs(path.read_bytes(), 0))
        graph = model.subgraphs[0]
        self._graph = graph
        self._codes = [max(code.builtinCode, code.deprecatedBuiltinCode) for code in model.operatorCodes]
        self.inputs, self.outputs = list(graph.inputs), list(graph.outputs)
        self._names: dict[int, str] = {}
        self._numbers: dict[int, list[int]] = {}
        for index, tensor in enumerate(graph.tensors):
            data = model.buffers[tensor.buffer].data
            if data is None or len(data) == 0:
                if index in self.inputs and tensor.type != tflite.TensorType.FLOAT32:
                    raise Unsupported("inputs that are not float32")
                continue
            if tensor.type not in _TYPES:
                raise Unsupported("8-bit tensors")
            values = numpy.frombuffer(bytes(bytearray(data)), _TYPES[tensor.type])
            if tensor.type in (tflite.TensorType.INT32, tflite.TensorType.INT64):
                self._numbers[index] = [int(v) for v in values]
            shape = [] if tensor.shape is None else [int(n) for n in tensor.shape]
            self._names[index] = f"constant{index}"
            self.register_buffer(f"constant{index}", torch.from_numpy(values.reshape(shape).copy()))
        for op in graph.operators:  # before anything runs
            name = _OPERATORS[self._codes[op.opcodeIndex]]
            if not hasattr(self, f"_op_{name.lower()}"):
                raise Unsupported(f"operator {name}")
        self._fold_constants()
        self._prepare_filters()

    def shape(self, tensor: int) -> list[int]:
        return [int(n) for n in self._graph.tensors[tensor].shape]

    def _fold_constants(self) -> None:
        """Filters that the file stores as float16."""
        rest = []
        for op in self._graph.operators:
            name = _OPERATORS[self._codes[op.opcodeIndex]]
            source = op.inputs[0]
            if name == "DEQUANTIZE" and source in self._names:
                self._names[op.outputs[0]] = f"constant{op.outputs[0]}"
                self.register_buffer(f"constant{op.outputs[0]}", getattr(self, self._names[source]).float())
            else:
                rest.append(op)
        self._operators = rest

    def _prepare_filters(self) -> None:
        for op in self._operators:
            name = _OPERATORS[self._codes[op.opcodeIndex]]
            if name not in ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"):
                continue
            index = op.inputs[1]
            if index not in self._names or hasattr(self, f"filter{index}"):
                continue
            filters = getattr(self, self._names[index]).float()
            order = {"CONV_2D": (0, 3, 1, 2), "DEPTHWISE_CONV_2D": (3, 0, 1, 2), "TRANSPOSE_CONV": (3, 0, 1, 2)}[name]
            filters = filters.permute(order).contiguous(memory_format=torch.channels_last)
            self.register_buffer(f"filter{index}", filters)

    def forward(self, *inputs: Tensor) -> list[Tensor]:
        values = dict(zip(self.inputs, inputs))
        for index, name in self._names.items():
            values[index] = getattr(self, name)
        for op in self._operators:
            name = _OPERATORS[self._codes[op.opcodeIndex]].lower()
            values[op.outputs[0]] = getattr(self, f"_op_{name}")(op, values)
        return [values[index] for index in self.outputs]

    # Each returns the first output of an operator.

    def _convolve(self, op, values, groups: int) -> Tensor:
        options = op.builtinOptions
        x = _channels_first(values[op.inputs[0]])
        filters = getattr(self, f"filter{op.inputs[1]}")
        bias = values[op.inputs[2]].float() if len(op.inputs) > 2 and op.inputs[2] >= 0 else None
        dilation = (options.dilationHFactor, options.dilationWFactor)
        x = _padded(x, options, filters.shape[2:], dilation)
        x = functional.conv2d(x, filters, bias, (options.strideH, options.strideW), 0, dilation, groups)
        return _activate(_channels_last(x), options.fusedActivationFunction)

    def _op_conv_2d(self, op, values) -> Tensor:
        return self._convolve(op, values, 1)

    def _op_depthwise_conv_2d(self, op, values) -> Tensor:
        return self._convolve(op, values, values[op.inputs[0]].shape[3])

    def _op_transpose_conv(self, op, values) -> Tensor:
        options = op.builtinOptions
        height, width = self._numbers[op.inputs[0]][1:3]
        filters = getattr(self, f"filter{op.inputs[1]}")
        bias = values[op.inputs[3]] if len(op.inputs) > 3 and op.inputs[3] >= 0 else None
        x = _channels_first(values[op.inputs[2]])
        x = functional.conv_transpose2d(x, filters, bias, (options.strideH, options.strideW))
        top = left = 0
        if options.padding == tflite.Padding.SAME:
            top = _same_padding(height, filters.shape[2], options.strideH, 1)[0]
            left = _same_padding(width, filters.shape[3], options.strideW, 1)[0]
        return _channels_last(x[:, :, top : top + height, left : left + width])

    def _pool(self, op, values, pool) -> Tensor:
        options = op.builtinOptions
        x = _channels_first(values[op.inputs[0]])
        kernel = (options.filterHeight, options.filterWidth)
        if pool is functional.avg_pool2d:
            padded = _padded(x, options, kernel, (1, 1))
            if padded.shape != x.shape:
                raise Unsupported("average pooling with padding")
        else:
            padded = _padded(x, options, kernel, (1, 1), float("-inf"))
        x = pool(padded, kernel, (options.strideH, options.strideW))
        return _activate(_channels_last(x), options.fusedActivationFunction)

    def _op_max_pool_2d(self, op, values) -> Tensor:
        return self._pool(op, values, functional.max_pool2d)

    def _op_average_pool_2d(self, op, values) -> Tensor:
        return self._pool(op, values, functional.avg_pool2d)

    def _op_fully_connected(self, op, values) -> Tensor:
        filters = values[op.inputs[1]].float()
        bias = values[op.inputs[2]] if len(op.inputs) > 2 and op.inputs[2] >= 0 else None
        x = functional.linear(values[op.inputs[0]].reshape(-1, filters.shape[1]), filters, bias)
        return _activate(x, op.builtinOptions.fusedActivationFunction)

    def _op_add(self, op, values) -> Tensor:
        return _activate(values[op.inputs[0]] + values[op.inputs[1]], op.builtinOptions.fusedActivationFunction)

    def _op_sub(self, op, values) -> Tensor:
        return _activate(values[op.inputs[0]] - values[op.inputs[1]], op.builtinOptions.fusedActivationFunction)

    def _op_mul(self, op, values) -> Tensor:
        return _activate(values[op.inputs[0]] * values[op.inputs[1]], op.builtinOptions.fusedActivationFunction)

    def _op_div(self, op, values) -> Tensor:
        return _activate(values[op.inputs[0]] / values[op.inputs[1]], op.builtinOptions.fusedActivationFunction)

    def _op_concatenation(self, op, values) -> Tensor:
        options = op.builtinOptions
        return _activate(torch.cat([values[i] for i in op.inputs], options.axis), options.fusedActivationFunction)

    def _op_resize_bilinear(self, op, values) -> Tensor:
        options = op.builtinOptions
        if not (options.alignCorners or options.halfPixelCenters):
            raise Unsupported("bilinear resizing of corners")
        x = functional.interpolate(
            _channels_first(values[op.inputs[0]]),
            size=self._numbers[op.inputs[1]],
            mode="bilinear",
            align_corners=options.alignCorners,
        )
        return _channels_last(x)

    def _op_pad(self, op, values) -> Tensor:
        numbers = self._numbers[op.inputs[1]]
        pairs = [numbers[i : i + 2] for i in range(0, len(numbers), 2)]
        # From the last dimension to the first.
        return functional.pad(values[op.inputs[0]], [n for pair in reversed(pairs) for n in pair])

    def _op_mean(self, op, values) -> Tensor:
        return values[op.inputs[0]].mean(self._numbers[op.inputs[1]], op.builtinOptions.keepDims)

    def _op_reshape(self, op, values) -> Tensor:
        return values[op.inputs[0]].reshape(self.shape(op.outputs[0]))

    def _op_softmax(self, op, values) -> Tensor:
        return torch.softmax(values[op.inputs[0]] * op.builtinOptions.beta, -1)

    def _op_logistic(self, op, values) -> Tensor:
        return torch.sigmoid(values[op.inputs[0]])

    def _op_tanh(self, op, values) -> Tensor:
        return torch.tanh(values[op.inputs[0]])

    def _op_relu(self, op, values) -> Tensor:
        return functional.relu(values[op.inputs[0]])

    def _op_relu6(self, op, values) -> Tensor:
        return functional.relu6(values[op.inputs[0]])

    def _op_hard_swish(self, op, values) -> Tensor:
        return functional.hardswish(values[op.inputs[0]])

    def _op_prelu(self, op, values) -> Tensor:
        x = values[op.inputs[0]]
        return torch.where(x >= 0, x, x * values[op.inputs[1]].float())

    def _op_dequantize(self, op, values) -> Tensor:
        return values[op.inputs[0]].float()
