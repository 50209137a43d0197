// Every allocation of an import, a plan, and a session fails, once by itself and once with all later ones. Each time
// the result is an out-of-memory error, nothing leaks, and the next attempt succeeds.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>

#include "allocations.h"
#include "gpu_engine/internals.h"
#include "metadata_builder.h"
#include "null_gl.h"
#include "sample_models.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;
using Type = schema::TensorType;

void set_scale(ModelBuilder& m, int tensor, std::vector<float> scale) {
  m.tensor(tensor).quantization = std::make_unique<schema::QuantizationParametersT>();
  m.tensor(tensor).quantization->zero_point.assign(scale.size(), 0);
  m.tensor(tensor).quantization->scale = std::move(scale);
}

// A bit of everything: 8-bit weights with a scale per channel, a bias, folded constants, rewrites that apply, a state,
// several outputs, metadata with labels.
std::vector<std::byte> small_model() {
  ModelBuilder m;
  const int in = m.add_input({1, 6, 6, 3}, Type::FLOAT32, "picture of a name that fits no short string");
  const int weights = m.add_bytes({4, 3, 3, 3}, Type::INT8, std::vector<uint8_t>(108, 5), "weights");
  set_scale(m, weights, {0.5f, 0.25f, 0.125f, 1});
  const int conv =
      m.add_op(Op::CONV_2D, {in, weights, m.add_filled({4}, 1)}, {1, 6, 6, 4}, conv_options(schema::Padding::SAME));
  const int factor = m.add_op(Op::DEQUANTIZE, {m.add_halves({4}, {1, 2, 3, 4})}, {4});
  schema::MulOptionsT multiplied;
  const int scaled = m.add_op(Op::MUL, {conv, factor}, {1, 6, 6, 4}, multiplied);
  const int active = m.add_op(Op::RELU, {scaled}, {1, 6, 6, 4});
  const int depthwise = m.add_op(Op::DEPTHWISE_CONV_2D, {active, m.add_filled({1, 3, 3, 4}, 0.5f), -1}, {1, 6, 6, 4},
                                 depthwise_options(schema::Padding::SAME));
  const int pointwise = m.add_op(Op::CONV_2D, {depthwise, m.add_filled({4, 1, 1, 4}, 0.5f), m.add_filled({4}, 1)},
                                 {1, 6, 6, 4}, conv_options(schema::Padding::SAME));
  schema::AddOptionsT added;
  const int sum = m.add_op(Op::ADD, {pointwise, active}, {1, 6, 6, 4}, added, "sum");
  m.add_output(sum);
  m.add_output(m.add_op(Op::SOFTMAX, {sum}, {1, 6, 6, 4}, softmax_options(), "classes"));
  schema::ModelDescriptionT description;
  description.name = "A model that is described at some length";
  auto& subgraph = *description.subgraph_metadata.emplace_back(std::make_unique<schema::SubGraphDescriptionT>());
  auto& tensor = *subgraph.output_tensor_metadata.emplace_back(std::make_unique<schema::TensorDescriptionT>());
  auto& file = *tensor.associated_files.emplace_back(std::make_unique<schema::AssociatedFileT>());
  file.name = "labels.txt";
  file.type = schema::AssociatedFileType::TENSOR_AXIS_LABELS;
  add_metadata(m, packed(description));
  std::vector<std::byte> bytes = m.build();
  attach(bytes, {{"labels.txt", "background\nperson\na label that fits no short string\n"}});
  return bytes;
}

// Import, plan, session, a run of each kind, and destruction.
Status whole_life(const std::vector<std::byte>& bytes, const GlApi& gl) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto model, Model::load(bytes, "m.tflite"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto plan, build_plan(model, DeviceLimits(), {}));
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto session, Session::create(gl, plan));
  for (size_t i = 0; i < model->inputs().size(); ++i) {
    const TensorInfo& input = model->inputs()[i];
    // Not allocated on the failing heap.
    static std::array<std::byte, 4096> zeros;
    const size_t size = static_cast<size_t>(input.shape.elements()) * size_of(input.type);
    SIGHTGLASS_RETURN_IF_ERROR(session->write_input(i, std::span(zeros).first(size)));
  }
  SIGHTGLASS_RETURN_IF_ERROR(session->run());
  SIGHTGLASS_RETURN_IF_ERROR(session->run_part(0.5).status());
  SIGHTGLASS_RETURN_IF_ERROR(session->reset_state());
  for (size_t i = 0; i < model->outputs().size(); ++i) {
    const TensorInfo& output = model->outputs()[i];
    static std::array<std::byte, 4096> place;
    const size_t size = static_cast<size_t>(output.shape.elements()) * size_of(output.type);
    SIGHTGLASS_RETURN_IF_ERROR(session->read_output(i, std::span(place).first(size)));
  }
  return {};
}

// With a frame as input, a texture and a buffer as outputs, and a CPU segment.
ForcedPlanOptions other_options() {
  ForcedPlanOptions options;
  options.inputs.resize(1);
  options.inputs[0].source = InputSpec::Source::kTexture;
  options.outputs.resize(2);
  options.outputs[0].target = OutputSpec::Target::kTexture;
  options.outputs[1].target = OutputSpec::Target::kBuffer;
  options.fallback = Fallback::kCpu;
  options.hidden_operators = {"SOFTMAX"};
  return options;
}

Status other_life(const std::vector<std::byte>& bytes, const ForcedPlanOptions& options, const GlApi& gl) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto model, Model::load(bytes, "m.tflite"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto plan, build_plan(model, DeviceLimits::typical(), options));
  const auto group = ShareGroup::create(gl);
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto session, Session::create(group, plan));
  SIGHTGLASS_RETURN_IF_ERROR(session->set_input_texture(0, TextureRef{1, GL_TEXTURE_2D, 6, 6}));
  SIGHTGLASS_RETURN_IF_ERROR(session->run());
  SIGHTGLASS_RETURN_IF_ERROR(session->output_texture(0).status());
  SIGHTGLASS_RETURN_IF_ERROR(session->output_buffer(1).status());
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto timer, StepTimer::create(group, StepTimer::Method::kFences));
  return session->profile(*timer).status();
}

Status support(const std::string& path) { return check_support(path, {}, DeviceLimits()).status(); }

// Runs `life` with each of its allocations failing in turn. It may succeed if the memory is optional.
void expect_errors(const char* what, const std::function<Status()>& life) {
  ASSERT_TRUE(life().ok()) << life().message();  // objects that are created once and kept now exist
  const int64_t held = bytes_held();
  for (const Failing failing : {Failing::kOnce, Failing::kFromThen}) {
    int64_t nth = 1, absorbed = 0;
    for (;; ++nth) {
      watch_allocations(nth, failing);
      Status status = life();
      const Allocations allocations = watched_allocations();
      if (!allocations.failed) {
        EXPECT_TRUE(status.ok()) << status.message();
        break;
      }
      absorbed += status.ok() ? 1 : 0;
      const std::string message = status.message();
      ASSERT_TRUE(status.ok() || status.code() == ErrorCode::kOutOfMemory)
          << "allocation " << nth << " failed: " << message;
      status = {};
      ASSERT_TRUE(message.empty() || message.find("out of memory") != std::string::npos)
          << "allocation " << nth << " failed: " << message;
      ASSERT_EQ(null_gl_objects(), 0) << "GL objects leaked after failing allocation " << nth;
      // The message itself holds memory.
      ASSERT_LE(bytes_held() - held, static_cast<int64_t>(2 * message.size() + 64))
          << "memory leaked after failing allocation " << nth << ": " << message;
    }
    std::printf("%s: each of %lld allocations failed%s; %lld were not needed\n", what, static_cast<long long>(nth - 1),
                failing == Failing::kOnce ? "" : " with all that came after", static_cast<long long>(absorbed));
    // Only sorting and hints work without memory.
    EXPECT_LT(absorbed, nth / 20 + 5);
    EXPECT_GT(nth, 20);
  }
}

TEST(OutOfMemory, ImportPlanAndSession) {
  const std::vector<std::byte> bytes = small_model();
  const GlApi gl = null_gl();
  expect_errors("a whole life", [&] { return whole_life(bytes, gl); });
}

TEST(OutOfMemory, TexturesBuffersAndTheCpu) {
  const std::vector<std::byte> bytes = small_model();
  const GlApi gl = null_gl();
  const ForcedPlanOptions options = other_options();
  expect_errors("another life", [&] { return other_life(bytes, options, gl); });
}

TEST(OutOfMemory, CheckingAFile) {
  const std::string path = testing::TempDir() + "out_of_memory_test.tflite";
  write_file(path, small_model());
  expect_errors("checking a file", [&] { return support(path); });
  std::remove(path.c_str());
}

// The importer and kernel of every operator.
TEST(OutOfMemory, EverySampleModel) {
  for (const SampleModel& sample : sample_models()) {
    SCOPED_TRACE(sample.name);
    const auto life = [&]() -> Status {
      SIGHTGLASS_ASSIGN_OR_RETURN(const auto model, Model::load(sample.bytes, "m.tflite"));
      return build_plan(model, DeviceLimits(), {}).status();
    };
    if (!life().ok()) continue;  // no kernel supports it at the minimum limits
    expect_errors(sample.name.c_str(), life);
  }
}

}  // namespace
}  // namespace sightglass::test
