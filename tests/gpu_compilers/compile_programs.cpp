// Compiles every program that models and elements use by default with the GL driver of this machine, and prints what
// its compiler reports: one JSON object per line. Nothing needs to be executed, so the device may be a stub.
//   compile_programs MODEL...
#include <GLES3/gl32.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/headless_gl.h"
#include "every_variant.h"
#include "gpu_engine/build_programs.h"
#include "gpu_engine/device_family.h"
#include "plan/plan_data.h"
#include "sightglass/model.h"
#include "statistics.h"

namespace sightglass::test {
namespace {

using Json = nlohmann::json;

// A program, and why it is compiled.
struct Use {
  ProgramKey key;
  std::set<std::string> models;
  int64_t multiply_adds = 0;
  // A plan that contains the program in a step with variants. Empty: no step has any.
  std::string model, step;
  Precision precision = Precision::kFp32;
};
using Uses = std::map<std::string, Use>;  // by name

std::string name_of(const ProgramKey& key) {
  std::string name;
  for (const ShaderKey& stage : key) name += (name.empty() ? "" : " + ") + stage.name();
  return name;
}

// As an element would plan the model, if the first input is an image.
Result<std::shared_ptr<const Plan>> plan_of(const std::shared_ptr<const Model>& model, const DeviceLimits& limits,
                                            Precision precision, int variant) {
  ForcedPlanOptions options;
  options.precision = precision;
  options.fallback = Fallback::kCpu;
  options.variant = variant;
  options.inputs.resize(1);
  options.inputs[0].source = InputSpec::Source::kTexture;
  options.outputs.resize(1);
  options.outputs[0].target = OutputSpec::Target::kBuffer;
  auto plan = build_plan(model, limits, options);
  if (plan.ok()) return plan;
  options.inputs.clear();
  options.outputs.clear();
  return build_plan(model, limits, options);
}

void collect(const std::string& file, const DeviceLimits& limits, Uses& uses) {
  const auto model = Model::load(file);
  for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
    const auto plan = model.ok() ? plan_of(*model, limits, precision, 0) : model.status();
    if (!plan.ok()) {
      std::printf("%s\n", Json{{"model", file}, {"error", plan.status().message()}}.dump().c_str());
      return;
    }
    const PlanData& data = data_of(**plan);
    for (const Step& step : data.steps) {
      if (step.program < 0) continue;
      const ProgramKey key{data.programs[static_cast<size_t>(step.program)]};
      Use& use = uses[name_of(key)];
      use.key = key;
      use.models.insert(file);
      use.multiply_adds += step.multiply_adds;
      if (step.variant.count > 1) {
        use.model = file;
        use.step = step.variant.step;
        use.precision = precision;
      }
    }
  }
}

// The programs of the other variants of the step.
std::map<std::string, ProgramKey> alternatives(const Use& use, const DeviceLimits& limits) {
  std::map<std::string, ProgramKey> found;
  const auto model = Model::load(use.model);
  int count = 2;
  for (int variant = 1; variant < count && model.ok(); ++variant) {
    const auto plan = plan_of(*model, limits, use.precision, variant);
    if (!plan.ok()) break;
    for (const Step& step : data_of(**plan).steps) {
      if (step.variant.step != use.step || step.program < 0) continue;
      count = step.variant.count;
      const ProgramKey key{data_of(**plan).programs[static_cast<size_t>(step.program)]};
      if (key != use.key) found[name_of(key)] = key;
    }
  }
  return found;
}

Json to_json(const Statistics& s) {
  Json row{{"instructions", s.instructions},
           {"spills", s.spills},
           {"fills", s.fills},
           {"scratch", s.scratch},
           {"parallel", s.parallel}};
  if (s.registers) row["registers"] = *s.registers;
  if (s.cycles) row["cycles"] = *s.cycles;
  return row;
}

struct Compiled {
  Json row;
  std::vector<Statistics> shaders;
};

class Compiler {
 public:
  explicit Compiler(const HeadlessGl& gl) : gl_(gl) {
    const auto function = [](const char* name) { return interop::Context::get_proc_address(name); };
    const auto callback = reinterpret_cast<PFNGLDEBUGMESSAGECALLBACKKHRPROC>(function("glDebugMessageCallbackKHR"));
    const auto control = reinterpret_cast<PFNGLDEBUGMESSAGECONTROLKHRPROC>(function("glDebugMessageControlKHR"));
    if (callback == nullptr || control == nullptr) return;
    gl.gl().Enable(GL_DEBUG_OUTPUT);
    gl.gl().Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    control(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, nullptr, GL_TRUE);
    callback(
        [](GLenum, GLenum, GLuint, GLenum, GLsizei size, const GLchar* text, const void* self) {
          static_cast<std::vector<std::string>*>(const_cast<void*>(self))
              ->emplace_back(text, static_cast<size_t>(size));
        },
        &messages_);
  }

  Compiled compile(const ProgramKey& key) {
    messages_.clear();
    // For the case that the compiler ends this process.
    std::fprintf(stderr, "%s\n", name_of(key).c_str());
    const auto start = std::chrono::steady_clock::now();
    const Result<GlProgram> program = build_program(gl_.gl(), key, every_source());
    Compiled compiled{{{"program", name_of(key)}}, {}};
    if (!program.ok()) compiled.row["error"] = program.status().message();
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
    compiled.row["milliseconds"] = spent.count();
    for (const std::string& message : messages_) {
      if (const auto statistics = parse_statistics(message)) {
        compiled.row["shaders"].push_back(to_json(*statistics));
        compiled.shaders.push_back(*statistics);
      }
    }
    return compiled;
  }

 private:
  const HeadlessGl& gl_;
  std::vector<std::string> messages_;
};

// Whether another variant of the step may be better.
bool is_poor(const Compiled& compiled, int64_t lowest) {
  return compiled.row.contains("error") || std::ranges::any_of(compiled.shaders, [lowest](const Statistics& s) {
           return s.in_memory() || s.parallel <= lowest;
         });
}

void print(const Json& row) {
  std::printf("%s\n", row.dump().c_str());
  std::fflush(stdout);
}

int run(const std::vector<std::string>& models) {
  const auto gl = HeadlessGl::create();
  if (!gl.ok()) {
    std::fprintf(stderr, "compile_programs: %s\n", gl.status().message().c_str());
    return 1;
  }
  const DeviceInfo& device = (*gl)->device();
  const std::string family = device_family(device.vendor, device.renderer).name;
  print({{"device", device_name(device)}, {"family", family}, {"lowest", lowest_parallel(family)}});

  Uses uses;
  for (const std::string& model : models) collect(model, device.limits, uses);
  Compiler compiler(**gl);
  for (const ProgramKey& key : element_programs()) {
    Json row = compiler.compile(key).row;
    row["role"] = "element";
    print(row);
  }
  std::map<std::string, Compiled> compiled;
  for (const auto& [name, use] : uses) {
    Json row = (compiled[name] = compiler.compile(use.key)).row;
    row["role"] = "default";
    row["models"] = use.models.size();
    row["multiply_adds"] = use.multiply_adds;
    print(row);
  }
  for (const auto& [name, use] : uses) {
    if (use.step.empty() || !is_poor(compiled[name], lowest_parallel(family))) continue;
    for (const auto& [other, key] : alternatives(use, device.limits)) {
      if (!compiled.contains(other)) compiled[other] = compiler.compile(key);
      Json row = compiled[other].row;
      row["role"] = "alternative";
      row["instead_of"] = name;
      print(row);
    }
  }
  return 0;
}

}  // namespace
}  // namespace sightglass::test

int main(int argc, char** argv) { return sightglass::test::run({argv + 1, argv + argc}); }
