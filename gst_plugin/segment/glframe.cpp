#include <gst/gl/gl.h>
#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "element/model_filter.h"
#include "element/model_pace.h"
#include "gl/gl_state_guard.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "gpu_engine/allocation_scope.h"
#include "meta/mask_attachment.h"
#include "meta/meta_types.h"
#include "segment/camera.h"
#include "segment/mask_filters.h"
#include "segment/mask_pad.h"
#include "segment/people.h"
#include "segment/settings.h"

#define GST_CAT_DEFAULT sightglass::frame_log()

namespace sightglass {

GstDebugCategory* frame_log() {
  static GstDebugCategory* const category = make_log_category("glframe", "a virtual camera that follows people");
  return category;
}

namespace {

using Box = std::array<float, 4>;  // minimum x and y, maximum x and y

struct FramingSettings : ElementSettings {
  FramingSettings() { camera.follow = Follow::kPerson; }

  CameraStyle camera;
  std::optional<std::string> label;
};

const PropertyTable<FramingSettings>& framing_properties() {
  using S = FramingSettings;
  static const auto* const table = new PropertyTable<S>(
      kFirstOwnProperty,
      {row::text("label", "Label", &S::label, kLive,
                 "Label of the objects to follow, instead of masks (NULL or empty = masks, otherwise people and "
                 "faces)")},
      camera_properties(
          &S::camera, {{"follow", "Follow"}, {"max-zoom", "Maximum zoom"}, {"margin", "Margin"}, {"speed", "Speed"}}));
  return *table;
}

bool is_person(std::string_view label) { return label.empty() || label == "person" || label == "face"; }

// Head and shoulders of a face.
Box around_face(const Box& face) {
  const float width = face[2] - face[0], height = face[3] - face[1];
  return {face[0] - width, face[1] - 0.6F * height, face[2] + width, face[3] + 2.2F * height};
}

// The boxes of the objects that upstream elements attached to a frame, in fractions of it; nothing if they attached no
// results, not even of nobody. `label`: of the objects that count; empty: people and faces.
std::optional<std::vector<Box>> boxes_in(GstBuffer* frame, const std::string& label) {
  std::vector<Box> boxes;
  const auto add = [&](const char* name, const Box& box) {
    const std::string_view own = name != nullptr ? name : "";
    if (label.empty() ? is_person(own) : own == label) boxes.push_back(own == "face" ? around_face(box) : box);
  };
  // Several mean several elements, or frames on which the GPU was behind: the last one is the newest.
  gpointer state = nullptr;
  const SightglassResults* results = nullptr;
  while (const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(frame, &state)) {
    results = meta->results;
  }
  for (guint i = 0; results != nullptr && i < results->objects_count; ++i) {
    const SightglassResultObject& object = results->objects[i];
    add(object.label, {object.x, object.y, object.x + object.width, object.y + object.height});
  }
  if (results != nullptr) return boxes;
  // Of other elements.
  const GstVideoMeta* video = gst_buffer_get_video_meta(frame);
  state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<const GstVideoRegionOfInterestMeta*>(meta);
    if (video == nullptr) break;
    const auto width = static_cast<float>(video->width), height = static_cast<float>(video->height);
    add(g_quark_to_string(region->roi_type),
        {static_cast<float>(region->x) / width, static_cast<float>(region->y) / height,
         static_cast<float>(region->x + region->w) / width, static_cast<float>(region->y + region->h) / height});
  }
  return boxes.empty() ? std::nullopt : std::optional(boxes);
}

Box mapped(const Box& box, const InputTransform& map) {
  const auto& m = map.m;
  const auto at = [&](float x, float y) { return std::array{m[0] * x + m[1] * y + m[2], m[3] * x + m[4] * y + m[5]}; };
  const auto a = at(box[0], box[1]), b = at(box[2], box[3]);
  return {std::min(a[0], b[0]), std::min(a[1], b[1]), std::max(a[0], b[0]), std::max(a[1], b[1])};
}

// Draws frames through the camera. There is no model.
class FramingEffect final : public Effect {
 public:
  static Result<std::unique_ptr<Effect>> create(const GlTarget& target, GstElement* element) {
    const GlStateGuard guard(target.group->gl(), target.frame);
    const FrameKind read = FrameReader::planned_kind(target.device, target.frame);
    SIGHTGLASS_ASSIGN_OR_RETURN(Camera camera, Camera::create(target.group, read));
    // Frames are compared at the size of a small mask.
    constexpr int32_t kWidth = 128, kHeight = 72;
    SIGHTGLASS_ASSIGN_OR_RETURN(FramePair frames, FramePair::create(target.group, read, kWidth, kHeight));
    return std::unique_ptr<Effect>(new FramingEffect(target, element, std::move(camera), std::move(frames)));
  }

  Status resize(const FrameSize& size, const ElementSettings& /*settings*/) override {
    size_ = size;
    return {};
  }
  void forget() override {
    camera_.reset();
    frames_.reset();
    if (people_) people_->reset();
  }
  Status prepare(FrameJob& job) override;
  size_t stages() const override { return 0; }
  Result<ModelStage> begin_stage(size_t /*stage*/, const UprightFrame& /*frame*/) override { return no_model(); }
  Status end_stage(size_t /*stage*/) override { return no_model(); }
  Status draw(const UprightFrame& frame, GLuint output, Shown shown) override;
  Result<std::optional<ShownMask>> attach(const FrameJob& job) override;

 private:
  FramingEffect(const GlTarget& target, GstElement* element, Camera camera, FramePair frames)
      : Effect(target.group),
        context_(target.context),
        element_(element),
        camera_(std::move(camera)),
        frames_(std::move(frames)) {}
  static Status no_model() { return internal_error("this effect has no model"); }
  // Allocates for masks of this size.
  Status prepare_for(const TextureRef& mask);
  void warn_of_unknown();

  GstGLContext* const context_;  // its thread runs all calls
  GstElement* const element_;    // outlives this
  Camera camera_;
  FramePair frames_;
  std::optional<PeopleFinder> people_;  // for masks of mask_size_
  MaskSize mask_size_;
  FrameSize size_;
  FrameClock clock_;
  float unknown_ = 0;  // seconds without news of anyone
  bool warned_ = false;

  // Of the current frame.
  CameraStyle style_;
  SeenPeople seen_;
  FrameSize output_size_;
  std::optional<AttachedMask> mask_;  // in the upright frame
  float seconds_ = 0;
};

Status FramingEffect::prepare(FrameJob& job) {
  const auto& settings = static_cast<const FramingSettings&>(*job.settings);
  const float seconds = clock_.seconds_to(job.time);
  if (seconds < 0) forget();
  seconds_ = std::max(seconds, 0.0F);
  style_ = settings.camera;
  output_size_ = job.output_size;
  const InputTransform to_upright = job.frame.upright_to_stored.inverse();
  SIGHTGLASS_ASSIGN_OR_RETURN(mask_, attached_mask(job.input, context_));
  if (mask_) {
    mask_->to_frame = mask_->to_frame.then(to_upright);
    SIGHTGLASS_RETURN_IF_ERROR(prepare_for(mask_->texture));
  }
  seen_ = {};
  const std::string label = settings.label.value_or("");
  if (mask_ && label.empty()) {
    seen_ = {Sight::kMask, people_->people(), mask_->to_frame, {}};
  } else if (std::optional<std::vector<Box>> boxes = boxes_in(job.input, label)) {
    for (Box& box : *boxes) box = mapped(box, to_upright);
    seen_ = {Sight::kObjects, {}, {}, std::move(*boxes)};
  }
  GST_LOG_OBJECT(log_object(), "frame %" G_GUINT64_FORMAT ": %s, %" G_GSIZE_FORMAT " objects", job.number,
                 seen_.sight == Sight::kMask      ? "a mask"
                 : seen_.sight == Sight::kObjects ? "results"
                                                  : "no news of people",
                 seen_.boxes.size());
  warn_of_unknown();
  return {};
}

Status FramingEffect::prepare_for(const TextureRef& mask) {
  if (people_ && mask.width == mask_size_.width && mask.height == mask_size_.height) return {};
  const AllocationScope allocations(gl_);
  SIGHTGLASS_ASSIGN_OR_RETURN(PeopleFinder people, PeopleFinder::create(group_, mask.width, mask.height));
  SIGHTGLASS_RETURN_IF_ERROR(allocations.check("allocating what finds people in masks"));
  people_.emplace(std::move(people));
  mask_size_ = {mask.width, mask.height};
  return {};
}

void FramingEffect::warn_of_unknown() {
  constexpr float kMost = 3;  // seconds
  unknown_ = seen_.sight == Sight::kUnknown ? unknown_ + seconds_ : 0;
  if (unknown_ < kMost || style_.follow == Follow::kNone || std::exchange(warned_, true)) return;
  post_warning(element_,
               invalid_argument("frames have neither masks nor objects to follow, and are shown as a whole; put "
                                "an element upstream that attaches them, with attach-mask=true or results=meta"));
}

Status FramingEffect::draw(const UprightFrame& frame, GLuint output, Shown /*shown*/) {
  frames_.see(frame.stored, frame.upright_to_stored);
  const std::optional<SeenFrame> compared = frames_.follow();
  const BufferRange noise = compared && compared->has_previous ? compared->noise : BufferRange{};
  if (seen_.sight == Sight::kMask) {
    people_->find(mask_->texture, shown_part(mask_->to_frame), seconds_, noise);
  }
  const auto aspect_of = [](const FrameSize& size) {
    return size.pixel_aspect * static_cast<float>(size.width) / static_cast<float>(size.height);
  };
  camera_.move(style_, seen_, aspect_of(size_), aspect_of(output_size_), seconds_, frame.stored,
               frame.upright_to_stored, noise);
  return camera_.draw(frame.stored, {output, GL_TEXTURE_2D, output_size_.width, output_size_.height});
}

// Elements downstream get the mask of what they see.
Result<std::optional<ShownMask>> FramingEffect::attach(const FrameJob& /*job*/) {
  if (!mask_) return std::optional<ShownMask>();
  const GlStateGuard guard(gl_);
  SIGHTGLASS_ASSIGN_OR_RETURN(const TextureRef mask, camera_.view_of(mask_->texture, mask_->to_frame));
  return std::optional(ShownMask{mask, {}});
}

class Framing final : public LoadedModel {
 public:
  explicit Framing(GstElement* element) : element_(element) {}
  Result<std::unique_ptr<Effect>> create(const GlTarget& target) const override {
    return FramingEffect::create(target, element_);
  }
  std::vector<std::string> warnings() const override { return {}; }

 private:
  GstElement* const element_;
};

class FramingElement final : public ModelElement {
 public:
  explicit FramingElement(GstElement* element)
      : ModelElement(element, std::make_unique<PropertiesOf<FramingSettings>>(framing_properties())) {}

  // Any, as downstream wants it.
  std::optional<OwnSize> own_size() const override { return OwnSize(); }
  bool crops() const override { return true; }
  Result<std::shared_ptr<const LoadedModel>> load(
      const std::shared_ptr<const ElementSettings>& /*settings*/) const override {
    return std::shared_ptr<const LoadedModel>(std::make_shared<Framing>(element()));
  }
};

}  // namespace
}  // namespace sightglass

namespace {

using sightglass::FramingElement;

struct GstGLFrame {
  GstGLModelFilter parent;
};
struct GstGLFrameClass {
  GstGLModelFilterClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLFrame, gst_gl_frame, gst_gl_model_filter_get_type())
GST_ELEMENT_REGISTER_DEFINE(glframe, "glframe", GST_RANK_NONE, gst_gl_frame_get_type())

namespace {

// The size of the upright frame with square pixels, unless downstream has another one. If it has only a width or only a
// height, the other one keeps the shape of the frame.
GstCaps* fixate_caps(GstBaseTransform* transform, GstPadDirection direction, GstCaps* caps, GstCaps* others) {
  GstVideoInfo info;
  if (direction == GST_PAD_SINK && gst_video_info_from_caps(&info, caps) != FALSE) {
    others = gst_caps_make_writable(gst_caps_truncate(others));
    GstStructure* structure = gst_caps_get_structure(others, 0);
    double width =
        static_cast<double>(GST_VIDEO_INFO_WIDTH(&info)) * GST_VIDEO_INFO_PAR_N(&info) / GST_VIDEO_INFO_PAR_D(&info);
    double height = GST_VIDEO_INFO_HEIGHT(&info);
    if (swaps_axes(sightglass::element_of(transform).settings.orientation())) std::swap(width, height);
    const double aspect = width / height;
    gint fixed_width = 0, fixed_height = 0;
    const bool has_width = gst_structure_get_int(structure, "width", &fixed_width) != FALSE;
    const bool has_height = gst_structure_get_int(structure, "height", &fixed_height) != FALSE;
    if (has_width && !has_height) height = fixed_width / aspect;
    if (has_height && !has_width) width = fixed_height * aspect;
    const auto whole = [](double pixels) { return std::max(1, static_cast<gint>(std::lround(pixels))); };
    gst_structure_fixate_field_nearest_int(structure, "width", whole(width));
    gst_structure_fixate_field_nearest_int(structure, "height", whole(height));
    if (gst_structure_has_field(structure, "pixel-aspect-ratio")) {
      gst_structure_fixate_field_nearest_fraction(structure, "pixel-aspect-ratio", 1, 1);
    }
  }
  return GST_BASE_TRANSFORM_CLASS(gst_gl_frame_parent_class)->fixate_caps(transform, direction, caps, others);
}

}  // namespace

static void gst_gl_frame_init(GstGLFrame* self) {
  sightglass::model_filter_set_element(self, std::make_unique<FramingElement>(GST_ELEMENT(self)));
}

static void gst_gl_frame_class_init(GstGLFrameClass* klass) {
  klass->parent_class.log = sightglass::frame_log();
  sightglass::mask_meta_info();
  sightglass::results_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::model_filter_pass_properties(object_class);
  sightglass::framing_properties().install(object_class);
  GST_BASE_TRANSFORM_CLASS(klass)->fixate_caps = sightglass::guarded<fixate_caps>;
  gst_element_class_set_static_metadata(GST_ELEMENT_CLASS(klass), "OpenGL automatic framing", "Filter/Effect/Video",
                                        "Follows a person or a group with a virtual camera that pans and zooms within "
                                        "the frame, by masks or objects from "
                                        "upstream",
                                        SIGHTGLASS_AUTHOR);
}
