// Classifiers: finds the best classes of an image.
#include <algorithm>
#include <utility>

#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "infer/decoder.h"
#include "infer/labelled_results.h"
#include "infer/log.h"
#include "infer/shaders.h"

#define GST_CAT_DEFAULT sightglass::infer_log()

namespace sightglass {

namespace {

class TopClasses final : public Decoder {
 public:
  TopClasses(std::shared_ptr<ShareGroup> group, const InferModel& model, SharedProgram program, LabelledResults drawing)
      : group_(std::move(group)),
        output_(model.output),
        classes_(static_cast<int32_t>(model.model->outputs()[output_].shape.elements())),
        program_(std::move(program)),
        block_(group_->gl()),
        drawing_(std::move(drawing)) {
    const Detections none;
    detections_ = make_storage(group_->gl(), sizeof(none), &none);
  }

  Status decode(const Session& session, const InputTransform& /*to_upright*/, const InferLook& look) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange scores, session.output_buffer(output_));
    Block block;
    block.counts = {classes_, std::clamp(look.max_results, 1, kMaxDetections), 0, 0};
    block.limits = {look.threshold, 0, 0, 0};
    Pass pass(group_->gl());
    pass.uniforms(kParamsBinding, block_, block);
    pass.storage({scores, results()});
    pass.dispatch(program_->id());
    return {};
  }
  BufferRange results() const override { return {detections_.id(), 0, sizeof(Detections)}; }
  PrimitiveRange primitives(int32_t width, int32_t height, const InferLook& look) override {
    return drawing_.primitives(results(), width, height, look);
  }

 private:
  struct Block {  // Params of top_classes.comp
    std::array<int32_t, 4> counts{};
    std::array<float, 4> limits{};
    bool operator==(const Block&) const = default;
  };
  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  size_t output_;
  int32_t classes_;
  SharedProgram program_;
  UniformBlock<Block> block_;
  GlBuffer detections_;
  LabelledResults drawing_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_class_decoder(const std::shared_ptr<ShareGroup>& group, const InferModel& model) {
  GST_DEBUG_OBJECT(log_object(), "decoder: classes of output %" G_GSIZE_FORMAT ", %s", model.output,
                   model.activation == OutputActivation::kNone ? "as is" : "after a softmax");
  SIGHTGLASS_ASSIGN_OR_RETURN(LabelledResults drawing,
                              LabelledResults::create(group, kDrawClassesShader, model.labels));
  const std::array<ProgramKey, 1> keys{ProgramKey{top_classes_shader(model.activation)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::make_unique<TopClasses>(group, model, std::move(programs[0]), std::move(drawing));
}

}  // namespace sightglass
