#include "dmabuf_export/exporter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dmabuf_export/shaders.h"
#include "gl/frame_format.h"
#include "gl/gl_bridge.h"
#include "gl/gl_state_guard.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gobject/log.h"
#include "sightglass/color_matrix.h"
#include "sightglass/frame_ref.h"
#include "sightglass/interop/gbm_device.h"

#define GST_CAT_DEFAULT gst_gl_dmabuf_export_debug

namespace sightglass {

namespace {

// Weights of the pixel before a pair and of the two pixels of the pair in their shared chroma sample: the mean of the
// pair if the sample is between them, a tent filter around the first one if it is cosited with that.
constexpr std::array<float, 4> kBetween{0, 0.5F, 0.5F, 0}, kOnFirst{0.25F, 0.5F, 0.25F, 0};

}  // namespace

Result<std::unique_ptr<PlanePainter>> PlanePainter::create(const std::shared_ptr<ShareGroup>& group,
                                                           const GstVideoInfo& info) {
  std::vector<ProgramKey> keys;
  if (GST_VIDEO_INFO_N_PLANES(&info) == 1) {
    keys.push_back({kFullscreenShader, store_plane_shader(kColorPlane)});
  } else {
    keys.push_back({kFullscreenShader, store_plane_shader(kLumaPlane)});
    keys.push_back({kFullscreenShader, store_plane_shader(kChromaPlane)});
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  return std::unique_ptr<PlanePainter>(new PlanePainter(group->gl(), info, std::move(programs)));
}

PlanePainter::PlanePainter(const GlApi& gl, const GstVideoInfo& info, std::vector<SharedProgram> programs)
    : gl_(&gl), programs_(std::move(programs)), block_(gl), target_(gl) {
  const bool full = GST_VIDEO_INFO_COLORIMETRY(&info).range == GST_VIDEO_COLOR_RANGE_0_255;
  coding_.rows = rgb_to_ycbcr(luma_weights(info), full ? SampleRange::kFull : SampleRange::kLimited).m;
  const auto site = static_cast<unsigned>(GST_VIDEO_INFO_CHROMA_SITE(&info));
  coding_.across = (site & GST_VIDEO_CHROMA_SITE_H_COSITED) != 0 ? kOnFirst : kBetween;
  coding_.down = (site & GST_VIDEO_CHROMA_SITE_V_COSITED) != 0 ? kOnFirst : kBetween;
  vertex_array_ = make_vertex_array(gl);
  nearest_ = make_sampler(gl, GL_NEAREST);
}

Status PlanePainter::draw(const TextureRef& frame, std::span<const TextureRef> planes, int32_t x, int32_t y) {
  const GlApi& gl = *gl_;
  coding_.part = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(planes[0].width),
                  static_cast<float>(planes[0].height)};
  const GlStateGuard guard(gl);
  Pass pass(gl, nearest_.id());
  pass.read(0, frame.id);
  pass.uniforms(kCodingBinding, block_, coding_);
  Status drawn;
  for (size_t i = 0; i < programs_.size() && i < planes.size() && drawn.ok(); ++i) {
    drawn = target_.draw(pass, planes.subspan(i, 1), "a DMABUF",
                         [&] { pass.draw(programs_[i]->id(), vertex_array_.id()); });
  }
  return drawn;
}

}  // namespace sightglass

// The debug category of the element.
GST_DEBUG_CATEGORY_EXTERN(gst_gl_dmabuf_export_debug);
namespace sightglass {

namespace {

// The GBM device of GStreamer, if its display uses one: opening a second one might select another device.
Result<std::shared_ptr<const interop::GbmDevice>> device_of(GstGLContext* context, const interop::Display& display) {
  GstGLDisplay* owner = gst_gl_context_get_display(context);
  const bool on_gbm = gst_gl_display_get_handle_type(owner) == GST_GL_DISPLAY_TYPE_GBM;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): GStreamer returns the pointer as an integer
  auto* const handle = on_gbm ? reinterpret_cast<gbm_device*>(gst_gl_display_get_handle(owner)) : nullptr;
  gst_object_unref(owner);
  // The context keeps its display alive, and holders of device memory keep the context alive.
  if (handle != nullptr) return interop::GbmDevice::borrow(handle, "the GL display's GBM device");
  return display.device();
}

GstCaps* texture_caps(const ExportFormat& format) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, drawn_format(format.planes()), static_cast<guint>(format.request.width),
                            static_cast<guint>(format.request.height));
  GstCaps* caps = gst_video_info_to_caps(&info);
  gst_caps_set_features_simple(caps, gst_caps_features_new(GST_CAPS_FEATURE_MEMORY_GL_MEMORY, nullptr));
  gst_caps_set_simple(caps, "texture-target", G_TYPE_STRING, "2D", nullptr);
  return caps;
}

// Buffers that downstream holds stay alive.
void drop(GstBufferPool* pool) {
  if (pool == nullptr) return;
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}

// Position of the texture region that GstVideoCropMeta selects.
std::pair<int32_t, int32_t> first_pixel(GstBuffer* buffer) {
  const CropRect seen = visible_part(buffer);
  GstGLMemory* texture = GST_GL_MEMORY_CAST(gst_buffer_peek_memory(buffer, 0));
  return {static_cast<int32_t>(std::lround(seen.x * static_cast<float>(gst_gl_memory_get_texture_width(texture)))),
          static_cast<int32_t>(std::lround(seen.y * static_cast<float>(gst_gl_memory_get_texture_height(texture))))};
}

TextureRef texture_ref(const interop::DmabufTexture& texture) {
  return {texture.name, texture.target, texture.width, texture.height};
}

}  // namespace

Status DmabufExporter::attach(GstGLContext* context) {
  detach();
  auto display = interop::Display::current();
  if (!display.ok()) return unsupported(display.status().message() + "; set GST_GL_PLATFORM=egl");
  auto targets = interop::DrawTargets::create(*display, device_of(context, **display));
  if (!targets.ok()) return unsupported(targets.status().message());
  const std::lock_guard lock(mutex_);
  context_ = GST_GL_CONTEXT(gst_object_ref(context));
  targets_ = *targets;
  fence_ = interop::DrawFence::create(*display, renders_in_software(context));
  GST_DEBUG_OBJECT(log_object(), "creating DMABUFs on %" GST_PTR_FORMAT, context);
  return {};
}

void DmabufExporter::detach() {
  GstBufferPool* pool = nullptr;
  ContextRef context;
  std::unique_ptr<interop::DrawTarget> first;
  std::unique_ptr<PlanePainter> painter;
  {
    const std::lock_guard lock(mutex_);
    pool = std::exchange(pool_, nullptr);
    context.reset(std::exchange(context_, nullptr));
    first = std::move(first_);
    painter = std::move(painter_);
    fence_.reset();
    targets_.reset();
    source_.reset();
  }
  drop(pool);
  if (context == nullptr) return;
  // The objects belong to this context, which may differ from the caller's.
  on_gl_thread(context.get(), [&] {
    first.reset();
    painter.reset();
  });
}

bool DmabufExporter::can_export(uint32_t fourcc, uint64_t modifier) const {
  const std::lock_guard lock(mutex_);
  return targets_ != nullptr && targets_->possible(fourcc, modifier);
}

// The GL thread also takes the lock, so callers must not wait for it with the lock held.
Status DmabufExporter::run(const std::function<Status()>& work) {
  ContextRef context;
  {
    const std::lock_guard lock(mutex_);
    context = ref(context_);
  }
  if (context == nullptr) return internal_error("no GL context");
  return on_gl_thread(context.get(), [&] {
    const std::lock_guard lock(mutex_);
    return context_ == context.get() ? work() : internal_error("the GL context changed in the meantime");
  });
}

Status DmabufExporter::set_format(const ExportFormat& format, guint held, DownstreamPool theirs) {
  GstBufferPool* pool = nullptr;
  // Any buffer will do: the pool provides only buffers like this one.
  GstBuffer* sample = theirs != nullptr ? acquire_downstream_buffer(theirs, true) : nullptr;
  DownstreamPool before;
  {
    const std::lock_guard lock(mutex_);
    pool = std::exchange(pool_, nullptr);
    if (source_) before = std::move(source_->theirs);
    source_ = DmabufSource{targets_, format, nullptr};
    held_ = held;
  }
  drop(pool);
  before.reset();
  Status status = run([&]() -> Status {
    first_.reset();
    painter_.reset();
    if (const auto frame = sample != nullptr ? frame_in_buffer(sample, format) : std::nullopt) {
      const auto adopted = targets_->adopt(*frame);
      if (adopted.ok()) {
        source_->theirs = theirs;
        GST_INFO_OBJECT(log_object(), "drawing frames into downstream memory");
        return {};
      }
      GST_INFO_OBJECT(log_object(), "declining downstream memory: %s", adopted.status().message().c_str());
    }
    auto target = targets_->make(format.request);
    if (!target.ok()) return device_error(target.status().message());
    first_ = std::move(target).value();
    // All frames use the modifier chosen for the first one.
    source_->format.request.modifiers = {first_->frame().modifier};
    GST_INFO_OBJECT(log_object(), "allocating frames: %dx%d, %s, modifier 0x%016" G_GINT64_MODIFIER "x",
                    first_->frame().width, first_->frame().height, interop::fourcc_text(first_->frame().fourcc).c_str(),
                    static_cast<guint64>(first_->frame().modifier));
    return {};
  });
  gst_clear_buffer(&sample);
  return status;
}

GstBufferPool* DmabufExporter::propose_pool(GstCaps* caps, guint* min) {
  GstVideoInfo info;
  GstBufferPool* pool = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr || !source_ || source_->format.planes() || !gst_video_info_from_caps(&info, caps) ||
        GST_VIDEO_INFO_WIDTH(&info) != source_->format.request.width ||
        GST_VIDEO_INFO_HEIGHT(&info) != source_->format.request.height) {
      return nullptr;
    }
    // One frame is being drawn while downstream holds the others.
    *min = held_ + 1;
    pool = make_dmabuf_pool(context_, *source_, std::move(first_));
  }
  if (configure_dmabuf_pool(pool, caps, *min)) return pool;
  gst_object_unref(pool);
  return nullptr;
}

// Acquires a buffer for the copy in a render pass; null on failure. The caller owns it.
GstBuffer* DmabufExporter::acquire() {
  GstBufferPool* pool = nullptr;
  bool made = false;
  {
    const std::lock_guard lock(mutex_);
    if (context_ == nullptr || !source_) return nullptr;
    if (pool_ == nullptr) {
      GstCaps* caps = texture_caps(source_->format);
      pool_ = make_dmabuf_pool(context_, *source_, std::move(first_));
      made = configure_dmabuf_pool(pool_, caps, held_ + 1);
      gst_caps_unref(caps);
    }
    pool = GST_BUFFER_POOL(gst_object_ref(pool_));
  }
  if (made) gst_buffer_pool_set_active(pool, TRUE);
  GstBuffer* buffer = nullptr;
  gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr);
  gst_object_unref(pool);
  return buffer;
}

bool DmabufExporter::fits(GstBuffer* buffer) const {
  const interop::DmabufFrame* frame = dmabuf_frame(buffer);
  // Frames that show a part of their texture are copied.
  if (frame == nullptr || !can_unwrap_dmabuf(buffer) || gst_buffer_get_video_crop_meta(buffer) != nullptr) return false;
  const interop::DrawRequest& wanted = source_->format.request;
  return frame->width == wanted.width && frame->height == wanted.height && frame->fourcc == wanted.fourcc &&
         std::ranges::count(wanted.modifiers, frame->modifier) != 0;
}

Status DmabufExporter::finish(GstBuffer* input, GstBuffer* output) {
  if (!source_) return internal_error("the format changed in the meantime");
  wait_for_buffer(input, context_);
  if (input != output) {
    SIGHTGLASS_RETURN_IF_ERROR(check_gl_memory(gst_buffer_peek_memory(input, 0), context_));
    if (painter_ == nullptr) {
      SIGHTGLASS_ASSIGN_OR_RETURN(const GlApi gl, load_gl_api(context_));
      SIGHTGLASS_ASSIGN_OR_RETURN(painter_,
                                  PlanePainter::create(share_group_of(context_, gl, {}), source_->format.info));
    }
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_RGBA, static_cast<guint>(source_->format.request.width),
                              static_cast<guint>(source_->format.request.height));
    const MappedTexture from(input, info, GST_MAP_READ);
    if (!from.ok()) return device_error("cannot map the texture of a frame for reading");
    std::vector<TextureRef> planes;
    for (size_t i = 0; i < gst_buffer_n_memory(output); ++i) planes.push_back(texture_ref(dmabuf_texture(output, i)));
    const auto [x, y] = first_pixel(input);
    SIGHTGLASS_RETURN_IF_ERROR(painter_->draw(from.texture(), planes, x, y));
    ++drawn_;
  }
  auto wait = fence_->publish(*dmabuf_frame(output));
  if (!wait.ok()) return device_error(wait.status().message());
  if (*wait == interop::DrawFence::Wait::kOnCpu) ++waited_;
  return {};
}

Result<GstBuffer*> DmabufExporter::export_frame(GstBuffer* input) {
  bool fitting = false;
  GstVideoFormat format = GST_VIDEO_FORMAT_UNKNOWN;
  {
    const std::lock_guard lock(mutex_);
    if (!source_) return internal_error("a frame arrived before its format");
    fitting = fits(input);
    format = source_->format.meta_format;
  }
  GstBuffer* output = fitting ? gst_buffer_ref(input) : acquire();
  if (output == nullptr) {
    return device_error("cannot create another DMABUF; run with GST_DEBUG=gldmabufexport:2 for the reason");
  }
  Status status = run([&] { return finish(input, output); });
  bool lent = false;
  GstBuffer* frame = status.ok() ? unwrap_dmabuf(output, format, &lent) : nullptr;
  gst_buffer_unref(output);
  if (!status.ok()) return status;
  GST_LOG_OBJECT(log_object(), "%s, %s: %" GST_PTR_FORMAT,
                 fitting ? "upstream drew into the DMABUF" : "copied in a render pass",
                 lent ? "downstream memory" : "own memory", frame);
  if (lent) ++lent_;
  ++frames_;
  return frame;
}

ExportStats DmabufExporter::stats() const { return {frames_, lent_, drawn_, waited_}; }

}  // namespace sightglass
