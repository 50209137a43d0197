"""Measures a float model with the engines that Python has on this machine: PyTorch and ONNX Runtime.

    compare.py inputs MODEL FOLDER            writes random inputs, FOLDER/in0.raw and on
    compare.py run MODEL FOLDER OURS SECONDS  prints a line of JSON for each engine

FOLDER has the outputs of Sightglass for these inputs, ours.out0.raw and on. OURS is its time in milliseconds.
"""
from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import Callable

NAMES = {"PyTorch": "torch", "ONNX Runtime": "onnxruntime"}
WARM_UP = 5
MOST_DIFFERENT = 1e-3
"""Relative L2 distance of outputs up to which they agree: engines sum in other orders."""


def report(model: Path, engine: str, **fields: object) -> None:
    print(json.dumps({"model": model.stem, "engine": engine, **fields}), flush=True)


def reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]


def median_ms(run: Callable[[], object], seconds: float) -> float:
    for _ in range(WARM_UP):
        run()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times)


def distance(outputs: list, folder: Path) -> float:
    """The largest relative L2 distance from our outputs."""
    import numpy

    largest = 0.0
    for i, theirs in enumerate(outputs):
        ours = numpy.fromfile(folder / f"ours.out{i}.raw", "<f4")
        theirs = numpy.asarray(theirs, "f4").reshape(-1)
        if ours.size != theirs.size:
            return float("inf")
        largest = max(largest, float(numpy.linalg.norm(ours - theirs) / max(numpy.linalg.norm(theirs), 1e-12)))
    return largest


def facts(outputs: list, folder: Path) -> dict:
    far = distance(outputs, folder)
    return {"agrees": far <= MOST_DIFFERENT, "note": f"outputs {far:.1e} apart"}


def run_torch(model: Path, folder: Path, ours: float, seconds: float, network, inputs: list) -> None:
    import torch

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    for device in ["cuda", "cpu"]:
        if device == "cuda" and not torch.cuda.is_available():
            report(model, "PyTorch on CUDA", missing="PyTorch sees no GPU")
            continue
        name = torch.cuda.get_device_name() if device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
        try:
            there = network.to(device)

            def run(there=there, device=device) -> list:
                with torch.no_grad():
                    return [value.cpu() for value in there(*[value.to(device) for value in inputs])]

            outputs = [value.numpy() for value in run()]
            ms = median_ms(run, seconds)
            report(model, "PyTorch", device=name, ms=ms, ours_ms=ours, **facts(outputs, folder))
        except Exception as error:  # noqa: BLE001  # the other engines go on
            report(model, "PyTorch", missing=f"{model.stem} on {device}: {reason(error)}")


def run_onnx(model: Path, folder: Path, ours: float, seconds: float, network, inputs: list) -> None:
    import onnxruntime
    import torch

    file = folder / "model.onnx"
    names = [f"in{i}" for i in range(len(inputs))]
    options = {"input_names": names, "opset_version": 17}
    try:
        torch.onnx.export(network.cpu(), tuple(inputs), str(file), dynamo=False, **options)
    except TypeError:  # before PyTorch 2.5
        torch.onnx.export(network.cpu(), tuple(inputs), str(file), **options)
    feed = {name: value.numpy() for name, value in zip(names, inputs)}
    for provider in onnxruntime.get_available_providers():
        if provider not in ("CPUExecutionProvider", "CUDAExecutionProvider"):
            continue
        try:
            session = onnxruntime.InferenceSession(str(file), providers=[provider])
            outputs = session.run(None, feed)
            ms = median_ms(lambda session=session: session.run(None, feed), seconds)
            device = provider.removesuffix("ExecutionProvider")
            report(model, "ONNX Runtime", device=device, ms=ms, ours_ms=ours, **facts(outputs, folder))
        except Exception as error:  # noqa: BLE001
            report(model, "ONNX Runtime", missing=f"{model.stem} with {provider}: {reason(error)}")


def main() -> None:
    task, model, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    sys.path.insert(0, str(Path(__file__).parent / "schema"))
    try:
        import numpy
        import torch

        from torch_model import TorchModel, Unsupported
    except ImportError as error:
        if task == "run":
            for engine in NAMES:
                report(model, engine, missing=reason(error))
        raise SystemExit(0 if task == "run" else 1) from None
    try:
        network = TorchModel(model).eval()
    except Unsupported as error:
        if task == "run":
            report(model, "PyTorch and ONNX Runtime", missing=f"{model.stem}: the translation to PyTorch lacks {error}")
        raise SystemExit(0 if task == "run" else 1) from None
    shapes = [network.shape(index) for index in network.inputs]
    if task == "inputs":
        random = numpy.random.default_rng(1)
        for i, shape in enumerate(shapes):
            random.random(shape, numpy.float32).tofile(folder / f"in{i}.raw")
        return
    ours, seconds = float(sys.argv[4]), float(sys.argv[5])
    inputs = [
        torch.from_numpy(numpy.fromfile(folder / f"in{i}.raw", "<f4").reshape(shape)) for i, shape in enumerate(shapes)
    ]
    for engine, measure in {"PyTorch": run_torch, "ONNX Runtime": run_onnx}.items():
        try:
            measure(model, folder, ours, seconds, network, inputs)
        except Exception as error:  # noqa: BLE001
            report(model, engine, missing=f"{model.stem}: {reason(error)}")


if __name__ == "__main__":
    main()
