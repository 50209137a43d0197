#include <gst/gl/gl.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "element/model_filter.h"
#include "gobject/guarded.h"
#include "gobject/log.h"
#include "meta/meta_types.h"
#include "segment/background.h"
#include "segment/mask_pad.h"
#include "segment/segmenter.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

GstDebugCategory* segment_log() {
  static GstDebugCategory* const category = make_log_category("glsegment", "people before another background");
  return category;
}

namespace {

class SegmentElement : public ModelElement {
 public:
  explicit SegmentElement(GstElement* element)
      : ModelElement(element, std::make_unique<PropertiesOf<SegmentSettings>>(segment_properties())) {}

  // Call it before start() or between frames: from now on frames carry masks even without attach-mask.
  void need_masks(bool needed) {
    if (current()->needs_masks == needed) return;
    settings.change<SegmentSettings>([needed](SegmentSettings& changed) { changed.needs_masks = needed; });
  }
  // Any thread. The size of the next masks, if the element makes any; unknown while stopped.
  bool makes_masks() const { return current()->mask_source == MaskSource::kModel; }
  std::optional<MaskSize> mask_size() const {
    const std::lock_guard lock(mutex_);
    return mask_size_;
  }

  bool get_property(guint id, GValue* value) const override;
  // From the first framing on, as the camera eases back to the whole frame.
  bool crops() const override {
    if (current()->framing.follow != Follow::kNone) has_framed_ = true;
    return has_framed_;
  }
  Result<std::shared_ptr<const LoadedModel>> load(const std::shared_ptr<const ElementSettings>& wanted) const override;
  void adopt(const std::shared_ptr<const LoadedModel>& model) override;

 private:
  std::shared_ptr<const SegmentSettings> current() const {
    return std::static_pointer_cast<const SegmentSettings>(settings.snapshot());
  }
  Status check(const ElementSettings& at_start) override;
  void end() override { picture_.stop(); }
  Status complete(std::shared_ptr<const ElementSettings>& wanted, const DeviceInfo* device) override;

  mutable std::mutex mutex_;
  std::optional<MaskSize> mask_size_;  // guarded
  BackgroundPicture picture_;
  mutable std::atomic<bool> has_framed_ = false;
};

bool SegmentElement::get_property(guint id, GValue* value) const {
  const std::shared_ptr<const SegmentSettings> wanted = current();
  const std::optional<Background> instead = settings.is_started() ? picture_.shown_instead(*wanted) : std::nullopt;
  if (!instead) return settings.get(id, value);
  SegmentSettings shown = *wanted;
  shown.look.background = *instead;
  return settings.get_from(shown, id, value);
}

Status SegmentElement::check(const ElementSettings& at_start) {
  const auto& own = static_cast<const SegmentSettings&>(at_start);
  if (own.mask_source == MaskSource::kMeta && (own.attach_mask || own.needs_masks)) {
    return invalid_argument(
        "attach-mask=true and the pad \"mask\" are for mask-source=model: the frames carry masks already");
  }
  if (own.mask_source == MaskSource::kMeta && (own.framing.follow != Follow::kNone || own.look.main_person)) {
    return invalid_argument(
        "framing and people=main are for mask-source=model; with masks from upstream, put glframe downstream");
  }
  has_framed_ = false;
  return picture_.start(own);
}

Result<std::shared_ptr<const LoadedModel>> SegmentElement::load(
    const std::shared_ptr<const ElementSettings>& wanted) const {
  auto own = std::static_pointer_cast<const SegmentSettings>(wanted);
  if (own->mask_source == MaskSource::kMeta) return use_attached_masks(*own);
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::string file, model_file(own->model, "segmentation"));
  return load_mask_model(file, std::move(own));
}

void SegmentElement::adopt(const std::shared_ptr<const LoadedModel>& model) {
  const auto* masks = static_cast<const LoadedMasks*>(model.get());
  const std::lock_guard lock(mutex_);
  mask_size_ = masks != nullptr ? masks->mask_size() : std::nullopt;
}

Status SegmentElement::complete(std::shared_ptr<const ElementSettings>& wanted, const DeviceInfo* device) {
  if (device != nullptr) picture_.set_largest(device->limits.max_texture_size);
  const Status status = picture_.complete(wanted);
  if (!status.ok() && device != nullptr) picture_.forget_failure();  // for the next start
  return status;
}

}  // namespace
}  // namespace sightglass

namespace {

using sightglass::SegmentElement;

struct GstGLSegment {
  GstGLModelFilter parent;
  sightglass::MaskPad* masks;  // owned
  GstPadChainFunction chain;   // of the base class
};
struct GstGLSegmentClass {
  GstGLModelFilterClass parent_class;
};

}  // namespace

G_DEFINE_TYPE(GstGLSegment, gst_gl_segment, gst_gl_model_filter_get_type())
GST_ELEMENT_REGISTER_DEFINE(glsegment, "glsegment", GST_RANK_NONE, gst_gl_segment_get_type())

namespace {

sightglass::MaskPad& masks_of(gpointer element) { return *static_cast<GstGLSegment*>(element)->masks; }
SegmentElement& segment_of(gpointer element) { return sightglass::element_of<SegmentElement>(element); }

GstPad* request_new_pad(GstElement* element, GstPadTemplate* pad_template, const gchar* /*name*/,
                        const GstCaps* /*caps*/) {
  if (!segment_of(element).makes_masks()) {
    GST_WARNING_OBJECT(element, "cannot create pad \"mask\": mask-source=meta makes no masks; use mask-source=model");
    return nullptr;
  }
  GstPad* pad = masks_of(element).request(GST_BASE_TRANSFORM(element), pad_template);
  if (pad == nullptr) GST_WARNING_OBJECT(element, "cannot create pad \"mask\": it exists already; release it first");
  GST_DEBUG_OBJECT(element, "requested pad: %" GST_PTR_FORMAT, pad);
  return pad;
}

void release_pad(GstElement* element, GstPad* pad) {
  GST_DEBUG_OBJECT(element, "released pad: %" GST_PTR_FORMAT, pad);
  masks_of(element).release(element, pad);
}

gboolean start(GstBaseTransform* transform) {
  segment_of(transform).need_masks(masks_of(transform).is_linked());
  return GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->start(transform);
}

gboolean sink_event(GstBaseTransform* transform, GstEvent* event) {
  masks_of(transform).note_event(transform, event, segment_of(transform).mask_size());
  return GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->sink_event(transform, event);
}

GstFlowReturn submit_input_buffer(GstBaseTransform* transform, gboolean is_discont, GstBuffer* input) {
  const GstClockTime time = GST_BUFFER_PTS(input), duration = GST_BUFFER_DURATION(input);
  const GstFlowReturn flow =
      GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->submit_input_buffer(transform, is_discont, input);
  if (sightglass::model_filter_has_dropped(transform, flow)) {
    masks_of(transform).push_gap(transform, time, duration, segment_of(transform).mask_size());
  }
  return flow;
}

GstFlowReturn transform(GstBaseTransform* transform, GstBuffer* input, GstBuffer* output) {
  sightglass::MaskPad& masks = masks_of(transform);
  SegmentElement& element = segment_of(transform);
  element.need_masks(masks.is_linked());
  const GstFlowReturn flow = GST_BASE_TRANSFORM_CLASS(gst_gl_segment_parent_class)->transform(transform, input, output);
  if (flow == GST_FLOW_OK) {
    masks.push(transform, output, element.mask_size());
  } else if (flow == GST_BASE_TRANSFORM_FLOW_DROPPED) {
    masks.push_gap(transform, GST_BUFFER_PTS(input), GST_BUFFER_DURATION(input), element.mask_size());
  }
  return flow;
}

// The base class handles only one source pad.
GstFlowReturn chain(GstPad* pad, GstObject* parent, GstBuffer* input) {
  const GstFlowReturn flow = reinterpret_cast<GstGLSegment*>(parent)->chain(pad, parent, input);
  return masks_of(parent).combine(GST_BASE_TRANSFORM(parent), flow);
}

}  // namespace

static void gst_gl_segment_init(GstGLSegment* self) {
  self->masks = new sightglass::MaskPad;
  GstPad* sink = GST_BASE_TRANSFORM_SINK_PAD(self);
  self->chain = GST_PAD_CHAINFUNC(sink);
  gst_pad_set_chain_function(sink, sightglass::guarded<chain>);
  sightglass::model_filter_set_element(self, std::make_unique<SegmentElement>(GST_ELEMENT(self)));
}

static void gst_gl_segment_class_init(GstGLSegmentClass* klass) {
  klass->parent_class.log = sightglass::segment_log();
  sightglass::mask_meta_info();
  GObjectClass* object_class = G_OBJECT_CLASS(klass);
  sightglass::own<&GstGLSegment::masks>(object_class);
  sightglass::model_filter_pass_properties(object_class);
  sightglass::install_model_properties(object_class);
  sightglass::segment_properties().install(object_class);
  GstElementClass* element_class = GST_ELEMENT_CLASS(klass);
  element_class->request_new_pad = sightglass::guarded<request_new_pad>;
  element_class->release_pad = sightglass::guarded<release_pad>;
  gst_element_class_add_pad_template(element_class, sightglass::MaskPad::make_template());
  GstBaseTransformClass* transform_class = GST_BASE_TRANSFORM_CLASS(klass);
  transform_class->start = sightglass::guarded<start>;
  transform_class->sink_event = sightglass::guarded<sink_event>;
  transform_class->submit_input_buffer = sightglass::guarded<submit_input_buffer>;
  transform_class->transform = sightglass::guarded<::transform>;
  gst_element_class_set_static_metadata(element_class, "OpenGL person segmentation", "Filter/Effect/Video",
                                        "Blurs, replaces or removes the background by a TFLite model that runs in "
                                        "the pipeline's own GL context",
                                        SIGHTGLASS_AUTHOR);
}
