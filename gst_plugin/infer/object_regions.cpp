#include "infer/object_regions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "infer/shaders.h"
#include "results/readback.h"

namespace sightglass {

namespace {

static_assert(kMaxObjectRuns == kMostFrameParts);

// OBJECTS of shaders/infer/objects.glsl in std430 layout.
struct State {
  std::array<int32_t, 4> job{};
  std::array<std::array<float, 4>, kMaxObjectRuns> crops{};
  std::array<int32_t, kMaxObjectRuns> job_objects{};
  std::array<int32_t, kMaxDetections> slot_of_object{};
  std::array<std::array<int32_t, 4>, kObjectSlots> slots{};
};

}  // namespace

Result<ObjectRegions> ObjectRegions::create(const std::shared_ptr<ShareGroup>& group, const Layout& layout) {
  if (layout.count < 1 || layout.count > kMaxObjectValues) {
    return unsupported("regions=upstream: " + std::to_string(layout.count) + " values of each object, at most " +
                       std::to_string(kMaxObjectValues) + " are supported");
  }
  const std::vector<ProgramKey> keys{
      {kSelectObjectsShader}, {kNextObjectShader}, {store_object_shader(layout.kind)}, {kPublishObjectsShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  ObjectRegions objects(group, std::move(programs), layout);
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating the buffers of objects"));
  return objects;
}

ObjectRegions::ObjectRegions(const std::shared_ptr<ShareGroup>& group, std::vector<SharedProgram> programs,
                             const Layout& layout)
    : group_(group),
      gl_(&group->gl()),
      programs_(std::move(programs)),
      layout_(layout),
      block_(*gl_),
      store_blocks_(make_blocks<std::array<float, 4>>(*gl_, layout.images)),
      frame_block_(*gl_) {
  const State state;
  const Detections none;
  const std::vector<std::byte> nothing(static_cast<size_t>(results_bytes()));
  state_ = make_storage(*gl_, sizeof(state), &state);
  values_ = make_storage(*gl_, values_bytes(kObjectSlots));
  results_ = make_storage(*gl_, results_bytes(), nothing.data());
  place_ = make_storage(*gl_, sizeof(FramePartsBlock));
  flag_ = make_storage(*gl_, kFlagBytes);
  nothing_ = make_storage(*gl_, sizeof(none), &none);
  found_ = {nothing_.id(), 0, sizeof(Detections)};
}

BufferRange ObjectRegions::state() const { return {state_.id(), 0, sizeof(State)}; }

void ObjectRegions::begin(const BufferRange& found, const UprightFrame& frame, const ObjectChoice& choice,
                          bool is_new) {
  found_ = found.buffer != 0 ? found : BufferRange{nothing_.id(), 0, sizeof(Detections)};
  const auto of_fit = [&] {
    if (choice.fit == Fit::kLetterbox) return kSampleExtends;
    return choice.fit == Fit::kCover ? kSampleCrops : 0;
  };
  content_.frame = {static_cast<float>(frame.shown_width()), static_cast<float>(frame.height),
                    static_cast<float>(choice.min_size), 0};
  content_.sample = {choice.scale, static_cast<float>(layout_.width) / static_cast<float>(layout_.height), 0, 0};
  content_.choice = {choice.most, choice.interval, layout_.images, of_fit()};
  content_.counts = {layout_.count, is_new ? 1 : 0, choice.all_classes ? 1 : 0, 0};
  content_.classes = choice.classes;
  gl_->MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);  // upstream has written the objects
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, block_, content_);
  pass.storage({found_, state()});
  pass.dispatch(programs_[kSelect]->id());
}

Status ObjectRegions::next(const UprightFrame& frame, Session& session) {
  {
    Pass pass(*gl_);
    pass.uniforms(kParamsBinding, block_, content_);
    pass.uniforms(kFrameBinding, frame_block_, frame_block(frame.stored, frame.upright_to_stored));
    pass.storage({state(), is_somebody(), {place_.id(), 0, sizeof(FramePartsBlock)}, found_});
    pass.dispatch(programs_[kNext]->id());
  }
  return session.set_input_frame(0, frame.stored, place_.id());
}

void ObjectRegions::store(const BufferRange& decoded, int32_t image, float threshold, int32_t most) {
  gl_->MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, block_, content_);
  pass.uniforms(kStoreBinding, store_blocks_[static_cast<size_t>(image)],
                {threshold, static_cast<float>(most), static_cast<float>(image), 0});
  pass.storage({state(), decoded, {values_.id(), 0, values_bytes(kObjectSlots)}});
  pass.dispatch(programs_[kStore]->id());
}

void ObjectRegions::finish() {
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, block_, content_);
  pass.storage({found_, state(), {values_.id(), 0, values_bytes(kObjectSlots)}, results()});
  pass.dispatch(programs_[kPublish]->id(), kMaxDetections);
}

GLsizei ObjectPainter::primitives_of_values(const ObjectRegions::Layout& layout) {
  if (layout.kind == ObjectValues::kPoints) return layout.count / 4;
  return layout.kind == ObjectValues::kClasses ? kLabelledScore * kMaxObjectClasses : 0;
}

Result<ObjectPainter> ObjectPainter::create(const std::shared_ptr<ShareGroup>& group,
                                            const ObjectRegions::Layout& layout,
                                            const std::vector<std::string>& object_labels,
                                            const std::vector<std::string>& labels) {
  const std::vector<ProgramKey> keys{{kDrawObjectsShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  std::vector<std::string> all = object_labels;
  all.insert(all.end(), labels.begin(), labels.end());
  return ObjectPainter(group, std::move(programs[0]), layout, static_cast<int32_t>(object_labels.size()), all);
}

ObjectPainter::ObjectPainter(const std::shared_ptr<ShareGroup>& group, SharedProgram program,
                             const ObjectRegions::Layout& layout, int32_t object_labels,
                             const std::vector<std::string>& labels)
    : group_(group),
      program_(std::move(program)),
      layout_(layout),
      object_labels_(object_labels),
      of_each_(kLabelledBox + kRotatedSides + kNumberTexts + primitives_of_values(layout)),
      // Every primitive of the buffer is drawn: objects with hundreds of points are few.
      objects_(std::clamp(8192 / of_each_, 8, kMaxDetections)),
      labels_(group->gl(), labels),
      primitives_(group->gl(), of_each_ * objects_),
      places_(group->gl()),
      block_(group->gl()) {}

PrimitiveRange ObjectPainter::primitives(const BufferRange& results, int32_t width, int32_t height,
                                         const Style& style) {
  labels_.set_height(std::max(1, static_cast<int32_t>(std::lround(style.text_height))));
  const int32_t lines = std::clamp(style.lines, 1, kMaxObjectClasses);
  const GLsizei of_values =
      layout_.kind == ObjectValues::kClasses ? kLabelledScore * lines : primitives_of_values(layout_);
  PrimitiveRange range = primitives_.range();
  range.count = objects_ * (kLabelledBox + kRotatedSides + kNumberTexts + of_values);
  range.text = labels_.texture();
  Block block;
  block.picture = {static_cast<float>(width), static_cast<float>(height), style.point_radius, 0};
  block.counts = {objects_, of_values, layout_.count, static_cast<int32_t>(layout_.kind)};
  block.labels = {object_labels_, lines, 0, 0};
  Pass pass(group_->gl());
  pass.uniforms(kParamsBinding, block_, block);
  pass.storage({results, primitives_.storage(range.count), labels_.block(), places_.block()});
  pass.dispatch(program_->id());
  return range;
}

namespace {

// Points are in fractions of the box, along its sides.
void add_values(ResultObject& object, const Detection& detection, std::span<const float> values, ObjectValues kind,
                std::span<const std::string> labels) {
  using Place = std::array<float, 2>;
  const auto& box = object.box;
  const float width = box[2] - box[0];
  const bool is_rotated = detection.corners_count > 0;
  const Place corner = is_rotated ? detection.points[0] : Place{box[0], box[1]};
  const Place right = is_rotated ? detection.points[1] : Place{box[2], box[1]};
  const Place below = is_rotated ? detection.points[3] : Place{box[0], box[3]};
  const auto place = [&](float across, float down, size_t axis) {
    return corner[axis] + across * (right[axis] - corner[axis]) + down * (below[axis] - corner[axis]);
  };
  for (size_t i = 0; kind == ObjectValues::kClasses && i + 1 < values.size(); i += 2) {
    const auto number = static_cast<size_t>(std::clamp(values[i], 0.0F, 1e6F));
    object.classifications.push_back(
        {number < labels.size() ? labels[number] : std::string(), static_cast<int32_t>(number), values[i + 1]});
  }
  if (kind == ObjectValues::kVector) object.vector.assign(values.begin(), values.end());
  for (size_t i = 0; kind == ObjectValues::kPoints && i + 3 < values.size(); i += 4) {
    const float score = values[i + 3];
    object.points.push_back({place(values[i], values[i + 1], 0), place(values[i], values[i + 1], 1),
                             values[i + 2] * width, score, score, 0, 0, 0});
  }
}

}  // namespace

std::vector<ResultObject> objects_of(std::span<const std::byte> bytes, const ObjectRegions::Layout& layout,
                                     std::span<const std::string> object_labels, std::span<const std::string> labels,
                                     const FrameStamp& frame) {
  std::vector<ResultObject> objects = detections_of(bytes, object_labels, frame);
  const auto count = static_cast<size_t>(layout.count);
  const size_t of_value = layout.kind == ObjectValues::kClasses ? 2 : layout.kind == ObjectValues::kPoints ? 4 : 1;
  for (size_t i = 0; i < objects.size(); ++i) {
    Detection detection;
    const size_t at = offsetof(Detections, detections) + i * sizeof(detection);
    if (at + sizeof(detection) > bytes.size()) break;
    std::memcpy(&detection, bytes.data() + at, sizeof(detection));
    const size_t known = std::min(static_cast<size_t>(std::max(detection.values_count, 0)) * of_value, count);
    const size_t first = sizeof(Detections) + 4 * count * i;
    if (known == 0 || first + 4 * known > bytes.size()) continue;
    std::vector<float> values(known);
    std::memcpy(values.data(), bytes.data() + first, 4 * known);
    add_values(objects[i], detection, values, layout.kind, labels);
  }
  return objects;
}

}  // namespace sightglass
