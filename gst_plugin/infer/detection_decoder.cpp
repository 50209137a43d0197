// Detectors: BlazeFace and similar models, SSD models with and without TFLite_Detection_PostProcess.
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

// Raw outputs; suppression happens here.
class RawDetections final : public Decoder {
 public:
  RawDetections(std::unique_ptr<SsdDecoder> decoder, const InferModel::RawDetector& detector, LabelledResults drawing)
      : decoder_(std::move(decoder)),
        boxes_(detector.boxes),
        scores_(detector.scores),
        weighted_(detector.weighted),
        drawing_(std::move(drawing)) {}

  Status decode(const Session& session, const InputTransform& to_upright, const InferLook& look) override {
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange boxes, session.output_buffer(boxes_));
    SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange scores, session.output_buffer(scores_));
    return decoder_->decode(boxes, scores, to_upright,
                            {look.threshold, look.iou_threshold, weighted_, look.max_results});
  }
  BufferRange results() const override { return {decoder_->detections(), 0, sizeof(Detections)}; }
  PrimitiveRange primitives(int32_t width, int32_t height, const InferLook& look) override {
    return drawing_.primitives(results(), width, height, look);
  }

 private:
  std::unique_ptr<SsdDecoder> decoder_;
  size_t boxes_, scores_;
  bool weighted_;
  LabelledResults drawing_;
};

// Outputs of TFLite_Detection_PostProcess, which has done the suppression.
class ProcessedDetections final : public Decoder {
 public:
  ProcessedDetections(std::shared_ptr<ShareGroup> group, const InferModel& model, SharedProgram program,
                      LabelledResults drawing)
      : group_(std::move(group)),
        outputs_(model.processed),
        count_(model.model->outputs()[outputs_[0]].shape.elements() / 4),
        program_(std::move(program)),
        block_(group_->gl()),
        drawing_(std::move(drawing)) {
    const Detections none;
    detections_ = make_storage(group_->gl(), sizeof(none), &none);
  }

  Status decode(const Session& session, const InputTransform& to_upright, const InferLook& look) override {
    Block block;
    BufferRange all;  // covers all outputs, which share one buffer
    for (size_t i = 0; i < outputs_.size(); ++i) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange range, session.output_buffer(outputs_[i]));
      all.buffer = range.buffer;
      all.size = std::max<GLsizeiptr>(all.size, range.offset + range.size);
      block.at[i] = static_cast<int32_t>(range.offset / GLintptr{sizeof(float)});
    }
    block.counts = {static_cast<int32_t>(count_), std::clamp(look.max_results, 1, kMaxDetections), 0, 0};
    block.limits = {look.threshold, 0, 0, 0};
    block.place = place_rows(to_upright);
    Pass pass(group_->gl());
    pass.uniforms(kParamsBinding, block_, block);
    pass.storage({all, results()});
    pass.dispatch(program_->id());
    return {};
  }
  BufferRange results() const override { return {detections_.id(), 0, sizeof(Detections)}; }
  PrimitiveRange primitives(int32_t width, int32_t height, const InferLook& look) override {
    return drawing_.primitives(results(), width, height, look);
  }

 private:
  struct Block {  // Params of postprocess.comp
    std::array<int32_t, 4> at{}, counts{};
    std::array<float, 4> limits{};
    std::array<float, 8> place{};
    bool operator==(const Block&) const = default;
  };
  std::shared_ptr<ShareGroup> group_;  // first: everything below refers to its function table
  std::array<size_t, 4> outputs_;
  int64_t count_;
  SharedProgram program_;
  UniformBlock<Block> block_;
  GlBuffer detections_;
  LabelledResults drawing_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> make_detection_decoder(const std::shared_ptr<ShareGroup>& group,
                                                        const InferModel& model) {
  SIGHTGLASS_ASSIGN_OR_RETURN(LabelledResults drawing,
                              LabelledResults::create(group, kDrawDetectionsShader, model.labels));
  if (model.raw_detector) {
    GST_DEBUG_OBJECT(log_object(), "decoder: boxes of %" G_GSIZE_FORMAT " anchors, suppressed by the decoder",
                     model.raw_detector->layout.anchors.size());
    SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<SsdDecoder> decoder,
                                SsdDecoder::create(group, model.raw_detector->layout));
    return std::make_unique<RawDetections>(std::move(decoder), *model.raw_detector, std::move(drawing));
  }
  GST_DEBUG_OBJECT(log_object(), "decoder: boxes, suppressed by TFLite_Detection_PostProcess");
  const std::array<ProgramKey, 1> keys{ProgramKey{kPostprocessShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::make_unique<ProcessedDetections>(group, model, std::move(programs[0]), std::move(drawing));
}

}  // namespace sightglass
