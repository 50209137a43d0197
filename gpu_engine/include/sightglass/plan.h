// A model prepared for one kind of device: graph rewritten, kernels chosen, memory planned. Immutable and shareable
// between threads. Owns no GL objects, so plans can be built and tested without a GPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/device_limits.h"
#include "sightglass/frame_kind.h"
#include "sightglass/log.h"
#include "sightglass/model.h"
#include "sightglass/resource_limits.h"
#include "sightglass/status.h"
#include "sightglass/tuning.h"

namespace sightglass {

struct PlanData;

// Source of an input.
struct InputSpec {
  enum class Source : uint8_t {
    kHost,     // Session::write_input(): an explicit upload
    kTexture,  // Session::set_input_frame(): sampled by the first operator, or by one load pass
    // Session::input_buffer(): tightly packed, row-major 32-bit floats in GL memory, which shaders write. Only for
    // float inputs. Costs one pass.
    kBuffer,
    // The output `previous` of the previous run, as state of the session: zeros in the first run, and after
    // Session::reset_state(). Both have the same type, shape, and quantization. Nothing writes it.
    kPrevious,
  };
  Source source = Source::kHost;
  size_t previous = 0;                 // for kPrevious: the index of the output, which may also be unused (kNone)
  FrameKind frame = FrameKind::kRgba;  // for textures: their layout
  // For textures: tensor value = scale * sample + offset, per channel, with samples in [0,1]. Channels are R G B A.
  std::array<float, 4> scale{1, 1, 1, 1};
  std::array<float, 4> offset{0, 0, 0, 0};
  std::array<float, 4> padding{0, 0, 0, 1};  // the sample outside the texture
  // For textures: whether the input may hold several images, up to kMostFrameParts. Each of them is a part of the
  // frame, and their positions are in a buffer (Session::set_input_frame()).
  bool parts = false;
  bool operator==(const InputSpec&) const = default;
};

enum class TextureFormat : uint8_t { kRgba8, kRgba16f, kRgba32f };

// Target of an output.
struct OutputSpec {
  enum class Target : uint8_t {
    kHost,     // Session::read_output(): an explicit readback
    kTexture,  // Session::output_texture(): an immutable 2D texture of the tensor's width and height
    // Session::output_buffer(): tightly packed, row-major 32-bit floats in GL memory, for shaders. Quantized values are
    // dequantized, integers and booleans converted to floats. `conversion` and the fields after it are ignored.
    kBuffer,
    kNone,  // unused: operators that only this output needs are skipped; at least one output must be used
  };
  enum class Conversion : uint8_t {
    kCopy,  // the first four channels into R G B A
    // One value in [0,1] into R, G and B; A is 1: scale * value + offset per channel, then `activation`, then the sum
    // over `classes`.
    kProbability,
  };
  Target target = Target::kHost;
  Conversion conversion = Conversion::kCopy;
  float scale = 1, offset = 0;
  OutputActivation activation = OutputActivation::kNone;  // still to be applied
  std::vector<int32_t> classes;  // channels that count as foreground; empty: all but channel 0, or the only one
  TextureFormat format = TextureFormat::kRgba16f;
  bool operator==(const OutputSpec&) const = default;
};

// Storage format of activations and weights on the GPU. Sums are 32-bit floats in both cases. Models with 8-bit weights
// and float data (dynamic-range quantized) always use 32 bits.
enum class Precision : uint8_t {
  kFp32,
  kFp16,  // half the memory and bandwidth; values beyond ±65504 are clamped
};

// How to handle operators that the GPU cannot run.
enum class Fallback : uint8_t {
  kError,  // Plan::build() fails and names them all
  kCpu,    // they run on the CPU: slowly, with transfers of their inputs and outputs between GPU and CPU in every run
};

struct PlanOptions {
  Precision precision = Precision::kFp32;
  std::vector<InputSpec> inputs;    // by model input; missing ones are kHost
  std::vector<OutputSpec> outputs;  // by model output; missing ones are kHost
  bool keep_state = true;           // off: every run starts from the initial state of the model, as the first one does
  Fallback fallback = Fallback::kError;
  // Off: 3x3 convolutions of many channels use Winograd's algorithm if it is faster on this family of devices. It
  // multiplies less than half as often, and rounds differently: NMSE at most 1e-9 for float32. Either way, all variants
  // of a step give the same bits.
  bool exact = true;
  bool rewrites = true;                  // off: run the graph as in the file (for debugging)
  std::shared_ptr<const Tuning> tuning;  // null: steps use the default variants of the device family
  ResourceLimits resources = {};
  Log log = {};  // reports rewrites, kernels, variants, steps, memory and tuning measurements
  bool operator==(const PlanOptions&) const = default;
};

struct MemoryReport {
  int64_t arena_bytes = 0;        // activations
  int64_t lower_bound_bytes = 0;  // peak of live bytes: the minimum of any layout
  int64_t tensor_bytes = 0;       // the sum over all activations, without sharing memory
  int64_t constant_bytes = 0;     // constant operands, stored beside the activations in the arena
  int64_t output_bytes = 0;       // outputs and inputs as buffers (kBuffer), also in the arena
  int64_t weight_bytes = 0;       // weights, biases and slopes in their GPU layout
};

// Operators that run on the CPU (Fallback::kCpu).
struct FallbackReport {
  std::vector<std::string> operators;         // each with the reason; empty: everything runs on the GPU
  int64_t bytes_read = 0, bytes_written = 0;  // from and to GPU memory, per run
  std::string warning() const;                // for people, a single line
};

// One dispatch of a plan, or one CPU segment. Bytes count whole tensors, as stored; textures are not counted.
struct StepInfo {
  std::string node;                           // "CONV_2D #12 (output 'x')": the operator it belongs to
  std::string kernel;                         // shader and variant: "conv2d.comp PIXELS=4 SLICES=4"; "CPU"
  int64_t multiply_adds = 0;                  // if several dispatches share an operator, each has its part
  int64_t weight_bytes = 0;                   // weights, biases and slopes
  int64_t read_bytes = 0, written_bytes = 0;  // activations
  std::array<uint32_t, 3> groups{1, 1, 1};
  int level = 0;       // steps of one level can run in parallel
  double seconds = 0;  // rough estimate for a slow device of the family
};

class Plan {
 public:
  // Fails with a list of all unsupported operators, each with the reason and a fix; `obstacles`, if given, receives
  // them one by one.
  static Result<std::shared_ptr<const Plan>> build(std::shared_ptr<const Model> model, const DeviceLimits& limits,
                                                   const PlanOptions& options = {},
                                                   std::vector<Obstacle>* obstacles = nullptr);
  ~Plan();

  const Model& model() const { return *model_; }
  const MemoryReport& memory() const;
  const FallbackReport& fallback() const;
  const ResourceLimits& resources() const;  // as given in the options
  int dispatches() const;                   // of one run
  int barriers() const;                     // of one run
  int programs() const;                     // distinct
  std::vector<StepInfo> steps() const;      // of one run, in order
  std::string dump() const;  // one line per step: kernel, node, shapes, work groups, level, arena offsets

 private:
  friend struct PlanInternals;
  Plan() = default;
  std::shared_ptr<const Model> model_;
  std::unique_ptr<const PlanData> data_;
};

}  // namespace sightglass
