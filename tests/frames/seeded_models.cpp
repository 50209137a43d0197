#include "seeded_models.h"

#include <cmath>
#include <filesystem>
#include <utility>
#include <vector>

#include "gst/tiny_model.h"
#include "model_builder.h"

namespace sightglass::test {

namespace {

using Op = schema::BuiltinOperator;
using Padding = schema::Padding;

// Numbers in [-scale, scale] that are exact in 16 bits, so that no library of numbers matters.
std::vector<float> numbers(size_t count, uint32_t seed, float scale) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525U + 1013904223U;
    value = scale * (static_cast<float>(seed >> 24) / 128 - 1);
  }
  return values;
}

// A convolution of `size` x `size` pixels at distances of `size`.
int patches(ModelBuilder& builder, int input, const Dims& shape, int32_t size, int32_t channels, uint32_t seed,
            float scale) {
  const auto count = static_cast<size_t>(channels * size * size * shape[3]);
  const int weights = builder.add_floats({channels, size, size, shape[3]}, numbers(count, seed, scale));
  const int bias = builder.add_floats({channels}, numbers(static_cast<size_t>(channels), seed + 1, 1));
  return builder.add_op(Op::CONV_2D, {input, weights, bias}, {1, shape[1] / size, shape[2] / size, channels},
                        conv_options(Padding::VALID, size));
}

int reshaped(ModelBuilder& builder, int input, const Dims& shape) {
  const int wanted = builder.add_ints({static_cast<int32_t>(shape.size())}, shape);
  return builder.add_op(Op::RESHAPE, {input, wanted}, shape, schema::ReshapeOptionsT());
}

// The shapes of BlazeFace: 512 boxes on a grid of 16 x 16, 384 on one of 8 x 8.
ModelBuilder detector() {
  ModelBuilder builder;
  const Dims shape = {1, 128, 128, 3};
  const int input = builder.add_input(shape);
  const auto both = [&](int32_t values, uint32_t seed, float scale) {
    const int near = reshaped(builder, patches(builder, input, shape, 8, 2 * values, seed, scale), {1, 512, values});
    const int far =
        reshaped(builder, patches(builder, input, shape, 16, 6 * values, seed + 7, scale), {1, 384, values});
    schema::ConcatenationOptionsT options;
    options.axis = 1;
    return builder.add_op(Op::CONCATENATION, {near, far}, {1, 896, values}, options);
  };
  builder.add_output(both(16, 1, 0.5F));
  builder.add_output(both(1, 2, 0.25F));
  return builder;
}

ModelBuilder classifier() {
  ModelBuilder builder;
  const Dims shape = {1, 32, 32, 3};
  const int logits = reshaped(builder, patches(builder, builder.add_input(shape), shape, 32, 8, 3, 0.0625F), {1, 8});
  builder.add_output(builder.add_op(Op::SOFTMAX, {logits}, {1, 8}, softmax_options()));
  return builder;
}

// The shapes of a face mesh: 468 points in pixels of the input, and whether there is a face.
ModelBuilder landmarks() {
  ModelBuilder builder;
  const Dims shape = {1, 64, 64, 3};
  const int input = builder.add_input(shape);
  const int points = patches(builder, input, shape, 64, 3 * 468, 4, 0.03125F);
  builder.add_output(reshaped(builder, points, {1, 3 * 468}));
  builder.add_output(reshaped(builder, patches(builder, input, shape, 64, 1, 5, 0.0F), {1, 1}));
  return builder;
}

}  // namespace

void write_seeded_models(const std::string& folder) {
  const auto path = [&](const char* name) { return folder + "/" + name + ".tflite"; };
  const std::pair<const char*, Head> heads[] = {
      {"red", Head::kSigmoid},         {"logit", Head::kLogit},          {"softmax", Head::kTwoSoftmax},
      {"classes", Head::kFourClasses}, {"numbers", Head::kClassNumbers}, {"remembers", Head::kRemembers},
      {"first", Head::kChannelsFirst}, {"cpu", Head::kCpuOnly},          {"list", Head::kList},
  };
  const auto copy = [&](const char* name, const std::string& source) {
    std::filesystem::copy_file(source, path(name), std::filesystem::copy_options::overwrite_existing);
  };
  for (const auto& [name, head] : heads) copy(name, red_model(head));
  copy("heatmap", shaped_model({32, 32, 3, 17}));
  copy("enlarging", enlarging_model(24, 32));
  write_file(path("detector"), detector().build());
  write_file(path("classifier"), classifier().build());
  write_file(path("landmarks"), landmarks().build());
}

}  // namespace sightglass::test
