// Shows a buffer of Detections with class labels.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "gl/uniform_block.h"
#include "infer/decoder.h"

namespace sightglass {

// All calls, including the destructor, need the context current.
class LabelledResults {
 public:
  // `shader` is draw_detections.comp or draw_classes.comp.
  static Result<LabelledResults> create(const std::shared_ptr<ShareGroup>& group, const ShaderKey& shader,
                                        std::span<const std::string> labels);

  // The primitives that show them over a frame of that size in pixels. Rasterizes the labels if the text height has
  // changed.
  PrimitiveRange primitives(const BufferRange& detections, int32_t width, int32_t height, const InferLook& look);

 private:
  struct Block {  // Params of the shaders
    std::array<float, 4> picture{};
    std::array<int32_t, 4> counts{};
    bool operator==(const Block&) const = default;
  };
  LabelledResults(std::shared_ptr<ShareGroup> group, SharedProgram program, LabelTable labels, bool are_classes);

  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  SharedProgram program_;
  LabelTable labels_;
  bool are_classes_;  // of the whole image
  GLsizei of_each_;   // primitives per detection
  PrimitiveBuffer primitives_;
  UniformBlock<Block> block_;
};

}  // namespace sightglass
