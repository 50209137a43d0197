// Models that convert the frame to another image: colors, or one value per pixel shown with a color map.
#include <algorithm>
#include <utility>
#include <vector>

#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "infer/decoder.h"
#include "infer/log.h"
#include "infer/shaders.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

namespace {

// The dimension of a single channel may be missing.
int32_t channels_of(const Shape& shape) { return shape.rank() == 4 ? shape.dim(3) : 1; }

class NewPicture final : public Decoder {
 public:
  NewPicture(std::shared_ptr<ShareGroup> group, const InferModel& model, std::vector<SharedProgram> programs)
      : group_(std::move(group)),
        output_(model.output),
        scale_(model.output_scale),
        offset_(model.output_offset),
        programs_(std::move(programs)),
        block_(group_->gl()),
        range_block_(group_->gl()) {
    const Shape& shape = model.model->outputs()[output_].shape;
    height_ = shape.dim(1);
    width_ = shape.dim(2);
    channels_ = channels_of(shape);
    texture_ = make_texture(group_->gl(), GL_RGBA8, width_, height_);
    range_ = make_storage(group_->gl(), kRangeBytes, kNoRange.data());
  }

  Status decode(const Session& session, const InputTransform& /*to_upright*/, const InferLook& look) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange numbers, session.output_buffer(output_));
    Pass pass(group_->gl());
    pass.storage(0, numbers);
    if (is_map()) {
      if (std::exchange(forgotten_, false)) range_ = make_storage(group_->gl(), kRangeBytes, kNoRange.data());
      const float share = 1.0f - std::clamp(look.range_smoothing, 0.0f, 0.999f);
      pass.uniforms(kParamsBinding, range_block_, {{width_ * height_, 0, 0, 0}, {share, 0, 0, 0}});
      pass.storage(1, {range_.id(), 0, kRangeBytes});
      pass.dispatch(programs_[1]->id());
    }
    Block block;
    block.size = {width_, height_, channels_, static_cast<int32_t>(look.color_map)};
    block.scale = {scale_, offset_, look.invert ? 1.0f : 0.0f, 0};
    pass.uniforms(kParamsBinding, block_, block);
    pass.write(0, texture_.id(), GL_RGBA8);
    pass.dispatch(programs_[0]->id(), groups_of(width_), static_cast<GLuint>(height_));
    return {};
  }
  TextureRef picture() const override { return {texture_.id(), GL_TEXTURE_2D, width_, height_}; }
  void forget() override { forgotten_ = is_map(); }

 private:
  static constexpr GLsizeiptr kRangeBytes = 16;
  static constexpr std::array<float, 4> kNoRange{};
  bool is_map() const { return channels_ == 1; }

  struct Block {  // Params of to_picture.comp
    std::array<int32_t, 4> size{};
    std::array<float, 4> scale{};
    bool operator==(const Block&) const = default;
  };
  struct RangeBlock {  // Params of range.comp
    std::array<int32_t, 4> counts{};
    std::array<float, 4> share{};
    bool operator==(const RangeBlock&) const = default;
  };
  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  size_t output_;
  float scale_, offset_;
  std::vector<SharedProgram> programs_;  // picture, range
  UniformBlock<Block> block_;
  UniformBlock<RangeBlock> range_block_;
  GlTexture texture_;
  GlBuffer range_;
  int32_t width_ = 0, height_ = 0, channels_ = 0;
  bool forgotten_ = false;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_picture_decoder(const std::shared_ptr<ShareGroup>& group,
                                                      const InferModel& model) {
  const bool map = channels_of(model.model->outputs()[model.output].shape) == 1;
  GST_DEBUG_OBJECT(log_object(), "decoder: output %" G_GSIZE_FORMAT " as an image of %dx%d, %s", model.output,
                   model.picture_width, model.picture_height, map ? "with a color map" : "with its own colors");
  const std::array<ProgramKey, 2> keys{ProgramKey{to_picture_shader(map)}, ProgramKey{kRangeShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::make_unique<NewPicture>(group, model, std::move(programs));
}

Result<std::unique_ptr<Decoder>> make_decoder(const std::shared_ptr<ShareGroup>& group, const InferModel& model) {
  switch (model.task) {
    case InferTask::kDetection:
      return make_detection_decoder(group, model);
    case InferTask::kClassification:
      return make_class_decoder(group, model);
    case InferTask::kLandmarks:
      return make_landmark_decoder(group, model);
    case InferTask::kPicture:
      return make_picture_decoder(group, model);
    default:
      GST_DEBUG_OBJECT(log_object(), "decoder: none, outputs stay tensors");
      return std::unique_ptr<Decoder>();
  }
}

}  // namespace sightglass
