#include "segment/class_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "gl/compute.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "segment/shaders.h"

namespace sightglass {

namespace {

constexpr GLsizeiptr kSeenBytes = kMaxMaskClasses * GLsizeiptr{sizeof(uint32_t)};

ClassBits bits_of(const std::vector<int32_t>& classes) {
  ClassBits bits{};
  for (const int32_t c : classes) bits[static_cast<size_t>(c / 32)] |= 1U << (c % 32);
  return bits;
}

// A class without a name is called by its index.
std::vector<std::string> names_of(const ClassLayout& layout) {
  std::vector<std::string> names = layout.names;
  names.resize(static_cast<size_t>(layout.channels > 0 ? layout.channels : kMaxMaskClasses));
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = "class " + std::to_string(i);
  }
  return names;
}

}  // namespace

Result<ClassReader> ClassReader::create(const std::shared_ptr<ShareGroup>& group, const ClassLayout& layout,
                                        const BufferRange& output) {
  const ProgramKey keys[] = {{classes_shader(layout.channels == 0)}, {kLegendShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  ClassReader reader(group->gl(), layout, output, std::move(programs));
  // Some drivers finish compiling only when a program runs.
  reader.run();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating what reads the model's classes"));
  return reader;
}

ClassReader::ClassReader(const GlApi& gl, const ClassLayout& layout, const BufferRange& output,
                         std::vector<SharedProgram> programs)
    : gl_(&gl),
      layout_(layout),
      output_(output),
      labels_(gl, names_of(layout)),
      programs_(std::move(programs)),
      legend_(gl, kLegendPrimitives),
      class_block_(gl),
      legend_block_(gl) {
  texture_ = make_texture(gl, GL_RGBA8, layout.width, layout.height);
  const std::vector<uint32_t> zeros(kMaxMaskClasses);
  seen_ = make_storage(gl, kSeenBytes, zeros.data());
  class_content_.size = {layout.width, layout.height, layout.channels, static_cast<int32_t>(layout.activation)};
  class_content_.map = {layout.scale, layout.offset, 0, 0};
  class_content_.foreground = bits_of(layout.foreground);
  class_content_.shown = bits_of(layout.shown);
}

BufferRange ClassReader::seen() const { return {seen_.id(), 0, kSeenBytes}; }

PrimitiveRange ClassReader::legend() const {
  PrimitiveRange range = legend_.range();
  range.text = labels_.texture();
  return range;
}

void ClassReader::run() {
  {
    Pass pass(*gl_);
    pass.uniforms(kParamsBinding, class_block_, class_content_);
    pass.storage(kScoresBinding, output_);
    pass.storage(kSeenBinding, seen());
    pass.write(0, texture_.id(), GL_RGBA8);
    pass.dispatch(programs_[0]->id(), groups_across(layout_.width), groups_across(layout_.height));
  }
  lay_out_legend();  // also while it is not shown: it counts anew then
}

void ClassReader::resize(int32_t frame_height) {
  frame_height_ = frame_height;
  labels_.set_height(std::max(16, frame_height / 24));
}

void ClassReader::lay_out_legend() {
  // A class is listed if it covers at least 1/500 of the frame.
  const int32_t counted = (layout_.width / kCountedPixels + 1) * (layout_.height / kCountedPixels + 1);
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, legend_block_,
                {{static_cast<float>(frame_height_), 0, 0, 0}, {std::max(1, counted / 500), 0, 0, 0}});
  pass.storage(kLegendSeenBinding, seen());
  pass.storage(kPrimitivesBinding, legend_.storage());
  pass.storage(kLabelsBinding, labels_.block());
  pass.dispatch(programs_[1]->id());
}

Result<ObjectReader> ObjectReader::create(const std::shared_ptr<ShareGroup>& group, const MaskModel& mask,
                                          const Session& session) {
  const YoloModel& yolo = mask.objects->yolo;
  const Shape& shape = session.plan().model().outputs()[mask.output].shape;
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<YoloDecoder> decoder, YoloDecoder::create(group, yolo.layout));
  SIGHTGLASS_ASSIGN_OR_RETURN(YoloMasks masks, YoloMasks::create(group, yolo.layout, shape,
                                                                 YoloMasks::Shows::kForeground, mask.objects->classes));
  SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange boxes, session.output_buffer(yolo.output));
  SIGHTGLASS_ASSIGN_OR_RETURN(const BufferRange prototypes, session.output_buffer(mask.output));
  return ObjectReader(std::move(decoder), std::move(masks), boxes, prototypes);
}

// In fractions of the model input, like the mask.
Status ObjectReader::run() {
  constexpr float kLeastScore = 0.25F;  // the default of Ultralytics
  SIGHTGLASS_RETURN_IF_ERROR(decoder_->decode(boxes_, {}, {kLeastScore, kYoloOverlap, false, kMaxDetections}));
  masks_.run(boxes_, prototypes_, decoder_->detections(), {});
  return {};
}

}  // namespace sightglass
