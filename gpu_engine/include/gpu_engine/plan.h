// A model made ready for one kind of device: graph rewritten, kernels chosen, memory laid out. Immutable and shareable
// between threads; holds no GL object, so it can be made (and tested) without a GPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu_engine/device_limits.h"
#include "gpu_engine/frame_kind.h"
#include "gpu_engine/log.h"
#include "gpu_engine/model.h"
#include "gpu_engine/status.h"
#include "gpu_engine/tuning.h"

namespace sightglass {

struct PlanData;  // plan/plan_data.h

// Where an input comes from.
struct InputSpec {
  enum class Source : uint8_t {
    kHost,     // Session::write_input(): an explicit upload
    kTexture,  // Session::set_input_frame(): sampled by the first operator, or by one load pass
  };
  Source source = Source::kHost;
  FrameKind frame = FrameKind::kRgba;  // for textures: what the frames consist of
  // For textures: tensor value = scale * sample + offset, by channel, where a sample is in [0,1]. Channels are R G B A.
  std::array<float, 4> scale{1, 1, 1, 1};
  std::array<float, 4> offset{0, 0, 0, 0};
  std::array<float, 4> padding{0, 0, 0, 1};  // the sample that stands for what lies outside the texture
  bool operator==(const InputSpec&) const = default;
};

enum class TextureFormat : uint8_t { kRgba8, kRgba16f, kRgba32f };

// Where an output goes to.
struct OutputSpec {
  enum class Target : uint8_t {
    kHost,     // Session::read_output(): an explicit readback
    kTexture,  // Session::output_texture(): an immutable 2D texture of the tensor's width and height
    // Session::output_buffer(): dense, row-major 32-bit floats in GL memory, for shaders; quantised numbers become real
    // ones, integers and booleans floats. `conversion` and the fields after it do not matter.
    kBuffer,
    kNone,  // nobody wants it: what it alone needs is not computed; not for all outputs
  };
  enum class Conversion : uint8_t {
    kCopy,         // the first four channels into R G B A
    kProbability,  // one number in [0,1] into R, G and B; A is 1: `activation`, then the sum over `classes`
  };
  Target target = Target::kHost;
  Conversion conversion = Conversion::kCopy;
  OutputActivation activation = OutputActivation::kNone;  // still to be applied
  std::vector<int32_t> classes;  // channels that count as foreground; empty: all but channel 0, or the only one
  TextureFormat format = TextureFormat::kRgba16f;
  bool operator==(const OutputSpec&) const = default;
};

// How activations and weights are stored on the GPU. Sums are in 32-bit floats either way. Models with 8-bit weights
// and real data (dynamic range) are stored in 32 bits whatever is asked for.
enum class Precision : uint8_t {
  kFp32,
  kFp16,  // half the memory and its traffic; numbers beyond ±65504 are clamped
};

// What becomes of operators that cannot run on the GPU.
enum class Fallback : uint8_t {
  kError,  // Plan::build() fails and names them all
  kCpu,    // they run on the CPU: slowly, and what they read and make crosses between GPU and CPU in every run
};

struct PlanOptions {
  Precision precision = Precision::kFp32;
  std::vector<InputSpec> inputs;    // by model input; missing ones are kHost
  std::vector<OutputSpec> outputs;  // by model output; missing ones are kHost
  bool keep_state = true;           // off: every run begins with the model's initial state, as a first one does
  Fallback fallback = Fallback::kError;
  bool rewrites = true;                  // off: the graph runs as it stands in the file (for finding faults)
  int32_t sentinel_bytes = 0;            // guard bands around every tensor of the arena (for tests); a multiple of 16
  std::shared_ptr<const Tuning> tuning;  // null: steps run the variants that suit a device of this kind
  int variant = 0;  // for the tuner: each step without a choice takes its variant of this number, or its last one
  std::vector<std::string> hidden_operators;  // "CONV_2D": as if there were no kernel for them (for tests)
  Log log = {};  // reports rewrites, kernels, variants, steps and memory, and what tuning measures
  bool operator==(const PlanOptions&) const = default;
};

struct MemoryReport {
  int64_t arena_bytes = 0;        // activations
  int64_t lower_bound_bytes = 0;  // the most that is alive at once: no layout can do with less
  int64_t tensor_bytes = 0;       // the sum over all activations, were none to share memory
  int64_t constant_bytes = 0;     // constant operands that live beside the arena's activations
  int64_t output_bytes = 0;       // outputs as buffers (OutputSpec::Target::kBuffer), which live there as well
  int64_t weight_bytes = 0;       // weights, biases and slopes in their GPU layout
};

// What runs on the CPU (Fallback::kCpu).
struct FallbackReport {
  std::vector<std::string> operators;         // each with the reason; empty: all runs on the GPU
  int64_t bytes_read = 0, bytes_written = 0;  // from and to the GPU's memory, in one run
  std::string warning() const;                // for people, in one line
};

// One dispatch of a plan, or one stretch of operators on the CPU. Bytes are those of whole tensors, as they are stored;
// textures are not counted.
struct StepInfo {
  std::string node;                           // "CONV_2D #12 (output 'x')": the operator that it belongs to
  std::string kernel;                         // shader and variant: "conv2d.comp PIXELS=4 SLICES=4"; "CPU"
  int64_t multiply_adds = 0;                  // where several dispatches share an operator's, each has its part
  int64_t weight_bytes = 0;                   // weights, biases and slopes
  int64_t read_bytes = 0, written_bytes = 0;  // activations
  std::array<uint32_t, 3> groups{1, 1, 1};
  int level = 0;  // steps of one level may run at the same time
};

class Plan {
 public:
  // Fails with a list of every operator that stands in the way, why, and what would help; `obstacles`, when given, gets
  // them one by one.
  static Result<std::shared_ptr<const Plan>> build(std::shared_ptr<const Model> model, const DeviceLimits& limits,
                                                   const PlanOptions& options = {},
                                                   std::vector<Obstacle>* obstacles = nullptr);
  ~Plan();

  const Model& model() const { return *model_; }
  const MemoryReport& memory() const;
  const FallbackReport& fallback() const;
  int dispatches() const;               // of one run
  int barriers() const;                 // of one run
  int programs() const;                 // distinct ones
  std::vector<StepInfo> steps() const;  // of one run, in their order
  std::string dump() const;             // one line a step: kernel, node, shapes, work groups, level, arena offsets
  const PlanData& data() const { return *data_; }

 private:
  Plan() = default;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<const PlanData> data_;
};

}  // namespace sightglass
