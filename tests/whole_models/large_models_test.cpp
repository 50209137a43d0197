// Models whose activations exceed the storage block that many devices have: steps bind parts of the arena.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "gpu_engine/internals.h"
#include "harness/compare.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/value_of.h"
#include "model/picture_input.h"
#include "plan/plan_data.h"
#include "ref/ref_ops.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"

namespace sightglass::test {
namespace {

// The reference kernels would take minutes for a whole image, so they compute its lower right corner. These models are
// convolutions of stride 1: a result depends on the pixels around it only, and those near the cut edges are left out.
constexpr int kCorner = 64, kMargin = 20;  // input pixels

struct LargeModel {
  const char* name;
  double relative_max;
};
std::ostream& operator<<(std::ostream& out, const LargeModel& model) { return out << model.name; }

HostTensor lower_right(const HostTensor& image, int height, int width) {
  const Shape& shape = image.shape;
  HostTensor part(image.type, Shape{1, height, width, shape.dim(3)});
  const size_t pixel = image.data.size() / static_cast<size_t>(shape.dim(1) * shape.dim(2));
  const size_t row = static_cast<size_t>(width) * pixel;
  for (int y = 0; y < height; ++y) {
    const int64_t from = (shape.dim(1) - height + y) * shape.dim(2) + shape.dim(2) - width;
    std::memcpy(part.data.data() + static_cast<size_t>(y) * row, image.data.data() + static_cast<size_t>(from) * pixel,
                row);
  }
  return part;
}

class LargeModelTest : public GlTest, public ::testing::WithParamInterface<LargeModel> {};

TEST_P(LargeModelTest, CornerIsThatOfTheReference) {
  const auto shared = shared_dir();
  const auto file = shared.value_or("../shared") / "second" / "models" / (std::string(GetParam().name) + ".tflite");
  if (!shared || !std::filesystem::exists(file)) GTEST_SKIP() << "no " << file << ": no model to run";
  const auto model = value_of(Model::load(file.string(), {QuantizedModels::kAllowed}));
  DeviceLimits limits = device().limits;
  limits.max_storage_block_bytes = DeviceLimits().max_storage_block_bytes;  // what every device has
  PlanOptions options;
  options.resources.run_time = std::chrono::hours(1);  // a busy machine is slow
  const auto plan = value_of(Plan::build(model, limits, options));
  EXPECT_TRUE(data_of(*plan).has_windows);

  HostTensor input(model->inputs()[0].type, model->inputs()[0].shape);
  RandomStream(1).fill(input.type, input.data);
  const auto session = value_of(Session::create(gl(), plan));
  ASSERT_TRUE(session->write_input(0, input.data).ok());
  ASSERT_TRUE(session->run().ok());
  HostTensor output(model->outputs()[0].type, model->outputs()[0].shape);
  ASSERT_TRUE(session->read_output(0, output.data).ok());

  const HostTensor corner = lower_right(input, kCorner, kCorner);
  const auto small = value_of(Model::load(file.string(), {QuantizedModels::kAllowed, {{"0", corner.shape}}}));
  const auto expected = value_of(ref::run(graph_of(*small), {corner}));
  const int scale = output.shape.dim(1) / input.shape.dim(1);
  const int size = (kCorner - kMargin) * scale;
  const Comparison figures = compare(lower_right(expected.front(), size, size), lower_right(output, size, size));
  std::printf("MODEL %s: arena of %.1f MB: %s\n", GetParam().name,
              static_cast<double>(plan->memory().arena_bytes) / 1e6, to_string(figures).c_str());
  EXPECT_LE(figures.relative_max, GetParam().relative_max);
}

// One quantization step of 8-bit outputs is 1/255 of their range.
INSTANTIATE_TEST_SUITE_P(Models, LargeModelTest,
                         ::testing::Values(LargeModel{"zero_dce_lowlight", 1e-5}, LargeModel{"edsr_f32b5_fp32", 1e-5},
                                           LargeModel{"edsr_f32b5_full_int8", 1.01 / 255}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace sightglass::test
