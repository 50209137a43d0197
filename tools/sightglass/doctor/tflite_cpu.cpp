#include "doctor/tflite_cpu.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "common/child_process.h"

namespace sightglass::doctor {

// TensorFlow Lite through its C API, which is stable: tensorflow/lite/c/c_api.h.

namespace {

constexpr const char* kLibrary = "libtensorflowlite_c.so";
constexpr int kFloat32 = 1;  // TfLiteType

struct Model;
struct Options;
struct Interpreter;
struct Tensor;

// The functions of the C API that a measurement needs.
struct Api {
  const char* (*Version)();
  Model* (*ModelCreateFromFile)(const char* path);
  void (*ModelDelete)(Model*);
  Options* (*InterpreterOptionsCreate)();
  void (*InterpreterOptionsSetNumThreads)(Options*, int32_t);
  void (*InterpreterOptionsDelete)(Options*);
  Interpreter* (*InterpreterCreate)(const Model*, const Options*);
  void (*InterpreterDelete)(Interpreter*);
  int (*InterpreterAllocateTensors)(Interpreter*);  // 0: success, like all functions that return int
  int32_t (*InterpreterGetInputTensorCount)(const Interpreter*);
  Tensor* (*InterpreterGetInputTensor)(const Interpreter*, int32_t);
  int (*InterpreterInvoke)(Interpreter*);
  int (*TensorType)(const Tensor*);
  size_t (*TensorByteSize)(const Tensor*);
  void* (*TensorData)(const Tensor*);
};

class Library {
 public:
  Library() : handle_(::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL)) {}
  // Never unloaded: its threads may still run.
  bool found() const { return handle_ != nullptr; }

  Result<Api> api() const {
    Api api{};
    std::string missing;
    const auto load = [&](const char* name, auto& function) {
      const std::string symbol = std::string("TfLite") + name;
      void* const address = ::dlsym(handle_, symbol.c_str());
      if (address == nullptr) missing += " " + symbol;
      std::memcpy(&function, &address, sizeof(address));
    };
    load("Version", api.Version);
    load("ModelCreateFromFile", api.ModelCreateFromFile);
    load("ModelDelete", api.ModelDelete);
    load("InterpreterOptionsCreate", api.InterpreterOptionsCreate);
    load("InterpreterOptionsSetNumThreads", api.InterpreterOptionsSetNumThreads);
    load("InterpreterOptionsDelete", api.InterpreterOptionsDelete);
    load("InterpreterCreate", api.InterpreterCreate);
    load("InterpreterDelete", api.InterpreterDelete);
    load("InterpreterAllocateTensors", api.InterpreterAllocateTensors);
    load("InterpreterGetInputTensorCount", api.InterpreterGetInputTensorCount);
    load("InterpreterGetInputTensor", api.InterpreterGetInputTensor);
    load("InterpreterInvoke", api.InterpreterInvoke);
    load("TensorType", api.TensorType);
    load("TensorByteSize", api.TensorByteSize);
    load("TensorData", api.TensorData);
    if (!missing.empty()) return unsupported(std::string(kLibrary) + " lacks" + missing);
    return api;
  }

 private:
  void* handle_;
};

// Deletes on every return.
struct Objects {
  explicit Objects(const Api& functions) : api(functions) {}
  ~Objects() {
    if (interpreter != nullptr) api.InterpreterDelete(interpreter);
    if (options != nullptr) api.InterpreterOptionsDelete(options);
    if (model != nullptr) api.ModelDelete(model);
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  const Api& api;
  Model* model = nullptr;
  Options* options = nullptr;
  Interpreter* interpreter = nullptr;
};

void fill_inputs(const Api& api, Interpreter* interpreter) {
  for (int32_t i = 0; i < api.InterpreterGetInputTensorCount(interpreter); ++i) {
    const Tensor* tensor = api.InterpreterGetInputTensor(interpreter, i);
    auto* const data = static_cast<char*>(api.TensorData(tensor));
    const size_t bytes = api.TensorByteSize(tensor);
    if (data == nullptr) continue;
    if (api.TensorType(tensor) != kFloat32) {
      std::memset(data, 0, bytes);
      continue;
    }
    for (size_t k = 0; k + sizeof(float) <= bytes; k += sizeof(float)) {
      const float value = static_cast<float>(k % 1021) / 1021;  // in [0, 1)
      std::memcpy(data + k, &value, sizeof(value));
    }
  }
}

}  // namespace

Result<CpuTime> measure_with_library(const std::string& model_file, int threads) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRuns = 20;
  constexpr std::chrono::seconds kEnough{3};
  const Library library;
  if (!library.found()) return not_found(kNotInstalled);
  SIGHTGLASS_ASSIGN_OR_RETURN(const Api api, library.api());
  Objects objects(api);
  objects.model = api.ModelCreateFromFile(model_file.c_str());
  if (objects.model == nullptr) return invalid_model("TensorFlow Lite cannot read the model");
  objects.options = api.InterpreterOptionsCreate();
  api.InterpreterOptionsSetNumThreads(objects.options, threads);
  objects.interpreter = api.InterpreterCreate(objects.model, objects.options);
  if (objects.interpreter == nullptr || api.InterpreterAllocateTensors(objects.interpreter) != 0) {
    return unsupported("TensorFlow Lite cannot run the model");
  }
  fill_inputs(api, objects.interpreter);
  std::vector<double> times;
  // The first run is longer and does not count.
  const Clock::time_point start = Clock::now();
  for (int run = 0; run <= kRuns && (times.empty() || Clock::now() - start < kEnough); ++run) {
    const Clock::time_point before = Clock::now();
    if (api.InterpreterInvoke(objects.interpreter) != 0) return unsupported("TensorFlow Lite cannot run the model");
    const std::chrono::duration<double, std::milli> time = Clock::now() - before;
    if (run > 0) times.push_back(time.count());
  }
  std::ranges::sort(times);
  return CpuTime{std::string(kLibrary) + " " + api.Version(), threads, times[times.size() / 2]};
}

// TensorFlow Lite through the Python modules that contain it.

namespace {

// Prints JSON: the module, its version, and the median in milliseconds; or {} without a module. Modules of the working
// directory are not imported.
constexpr const char* kScript = R"(
import sys
sys.path[:] = [folder for folder in sys.path if folder]
import importlib, json, time
interpreter_class = None
for module in ("ai_edge_litert", "tflite_runtime", "tensorflow"):
    try:
        if module == "tensorflow":
            interpreter_class = importlib.import_module(module).lite.Interpreter
        else:
            interpreter_class = importlib.import_module(module + ".interpreter").Interpreter
        break
    except ImportError:
        pass
if interpreter_class is None:
    print("{}")
    sys.exit()
interpreter = interpreter_class(model_path=sys.argv[1], num_threads=int(sys.argv[2]))
interpreter.allocate_tensors()
try:
    import numpy
    for tensor in interpreter.get_input_details():
        values = numpy.random.default_rng(1).random(tensor["shape"]).astype(tensor["dtype"])
        interpreter.set_tensor(tensor["index"], values)
except ImportError:
    pass
times = []
start = time.perf_counter()
for run in range(21):
    if len(times) > 0 and time.perf_counter() - start > 3:
        break
    before = time.perf_counter()
    interpreter.invoke()
    if run > 0:
        times.append(1000 * (time.perf_counter() - before))
times.sort()
version = str(getattr(sys.modules[module], "__version__", ""))
print(json.dumps({"runtime": (module + " " + version).strip(), "median": times[len(times) // 2]}))
)";

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);  // npos + 1 is 0
}

}  // namespace

Result<CpuTime> measure_with_python(const std::string& model_file, int threads) {
  // A damaged installation must not block the report.
  const auto output =
      run_process({"/usr/bin/env", "timeout", "120", "python3", "-c", kScript, model_file, std::to_string(threads)},
                  {{"TF_CPP_MIN_LOG_LEVEL", "3"}});
  if (output.status().code() == ErrorCode::kNotFound) return not_found(kNotInstalled);  // no Python
  if (!output.ok()) return device_error("TensorFlow Lite in Python: " + last_line(output.status().message()));
  // Modules may print as well.
  const auto result = nlohmann::json::parse(last_line(*output), nullptr, false);
  if (!result.is_object()) return device_error("TensorFlow Lite in Python: no result");
  if (!result.contains("median")) return not_found(kNotInstalled);
  return CpuTime{result.at("runtime"), threads, result.at("median")};
}

Result<CpuTime> measure_on_cpu(const std::string& model_file) {
  // TensorFlow Lite rarely gains from more threads.
  const int threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
  Result<CpuTime> time = measure_with_library(model_file, threads);
  if (time.ok() || time.status().code() != ErrorCode::kNotFound) return time;
  return measure_with_python(model_file, threads);
}

}  // namespace sightglass::doctor
