// Runs the effect of glinfer on images, without a pipeline.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "element/effect_runner.h"
#include "gl_pictures.h"
#include "harness/gl_state.h"
#include "harness/value_of.h"
#include "infer/inferencer.h"
#include "ops/op_case.h"

namespace sightglass::test {

struct RunningInferencer {
  RunningInferencer() = default;
  RunningInferencer(const GlTarget& target, std::unique_ptr<Inferencer> effect) : inferencer(effect.get()) {
    runner = value_of(EffectRunner::create(target, std::move(effect), nullptr, MaskSync::kExact));
  }

  // Processes one frame, and returns the output image. Expects that GL state stays as it is.
  Rgba process(const GlApi& gl, const Rgba& picture, const InferLook& look, Fit fit) {
    const GlTexture in = upload(gl, picture), out = make_texture(gl, GL_RGBA8, picture.width, picture.height);
    const auto settings = std::make_shared<InferSettings>();
    settings->look = look;
    settings->max_results = look.max_results;
    settings->fit = fit;
    if (look.blendshapes) settings->results.mode = ResultsMode::kMeta;
    const GlState before = snapshot_gl_state(gl);
    Status status = runner->resize({picture.width, picture.height}, *settings);
    EXPECT_TRUE(status.ok()) << status.message();
    FrameJob job;
    job.settings = settings;
    job.frame = {TextureRef{in.id(), GL_TEXTURE_2D, picture.width, picture.height}, {}, picture.width, picture.height};
    job.output = out.id();
    status = runner->process(job);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(difference(before, snapshot_gl_state(gl)), "");
    return download(gl, out.id(), picture.width, picture.height);
  }

  std::unique_ptr<EffectRunner> runner;
  Inferencer* inferencer = nullptr;  // of the runner
};

// A model whose outputs are parts of its input image of 64 x 64 pixels, or of each of so many.
inline std::shared_ptr<const Model> pixels_as(const std::vector<Shape>& outputs, int32_t images = 1) {
  CaseBuilder builder(1);
  const ValueId row =
      builder.node(OpType::kReshape, ReshapeAttr{{images, 12288}}, {builder.input({images, 64, 64, 3})});
  int32_t begin = 0;
  std::vector<ValueId> ids;
  for (const Shape& shape : outputs) {
    const auto count = static_cast<int32_t>(shape.elements() / images);
    StridedSliceAttr part;
    part.begin = {0, begin};
    part.stride = {1, 1};
    part.size = {images, count};
    part.shape = {images, count};
    ids.push_back(
        builder.node(OpType::kReshape, ReshapeAttr{shape}, {builder.node(OpType::kStridedSlice, part, {row})}));
    begin += count;
  }
  Graph graph = builder.build("numbers").graph;
  graph.outputs = ids;
  return value_of(model_from_graph(std::move(graph)));
}

}  // namespace sightglass::test
