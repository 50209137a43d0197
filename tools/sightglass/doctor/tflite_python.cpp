// TensorFlow Lite through the Python modules that contain it.
#include <nlohmann/json.hpp>

#include "common/child_process.h"
#include "doctor/tflite_cpu.h"

namespace sightglass::doctor {

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

}  // namespace sightglass::doctor
