// A stand-in for libtensorflowlite_c.so with the functions that `sightglass doctor` calls. Its only model doubles four
// floats, slowly. It rejects every file except "good.tflite", "unready.tflite", and "failing.tflite".
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace {

struct Model {
  std::string name;
};
struct Options {
  int32_t threads = 0;
};
struct Tensor {
  float values[4] = {-1, -1, -1, -1};
};
struct Interpreter {
  std::string name;
  int32_t threads = 0;
  Tensor input;
};

constexpr int kOk = 0, kError = 1, kFloat32 = 1;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const char* TfLiteVersion() { return "2.99"; }

Model* TfLiteModelCreateFromFile(const char* path) {
  const std::string file = path, name = file.substr(file.rfind('/') + 1);
  if (name != "good.tflite" && name != "unready.tflite" && name != "failing.tflite") return nullptr;
  return new Model{name};
}
void TfLiteModelDelete(Model* model) { delete model; }

Options* TfLiteInterpreterOptionsCreate() { return new Options; }
void TfLiteInterpreterOptionsSetNumThreads(Options* options, int32_t threads) { options->threads = threads; }
void TfLiteInterpreterOptionsDelete(Options* options) { delete options; }

Interpreter* TfLiteInterpreterCreate(const Model* model, const Options* options) {
  return new Interpreter{model->name, options->threads, {}};
}
void TfLiteInterpreterDelete(Interpreter* interpreter) { delete interpreter; }
int TfLiteInterpreterAllocateTensors(Interpreter* interpreter) {
  return interpreter->name == "unready.tflite" ? kError : kOk;
}
int32_t TfLiteInterpreterGetInputTensorCount(const Interpreter*) { return 1; }
Tensor* TfLiteInterpreterGetInputTensor(Interpreter* interpreter, int32_t) { return &interpreter->input; }
int TfLiteInterpreterInvoke(Interpreter* interpreter) {
  // With the wrong number of threads or unset inputs, the measurement fails.
  for (const float value : interpreter->input.values) {
    if (value < 0 || value >= 1) return kError;
  }
  if (interpreter->name == "failing.tflite" || interpreter->threads != 3) return kError;
  std::this_thread::sleep_for(std::chrono::milliseconds(4));
  return kOk;
}

int TfLiteTensorType(const Tensor*) { return kFloat32; }
size_t TfLiteTensorByteSize(const Tensor*) { return sizeof(Tensor); }
void* TfLiteTensorData(Tensor* tensor) { return tensor->values; }
}
#pragma GCC visibility pop
