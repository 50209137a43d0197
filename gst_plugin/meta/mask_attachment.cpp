#include "meta/mask_attachment.h"

#include <gst/video/video.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "gl/gl_bridge.h"
#include "gl/gl_state_guard.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "gl/shaders.h"
#include "gobject/log.h"
#include "meta/meta_types.h"
#include "meta/shaders.h"

#define GST_CAT_DEFAULT sightglass::results_log()

namespace sightglass {

Result<MaskWriter> MaskWriter::create(const std::shared_ptr<ShareGroup>& group) {
  const ProgramKey keys[] = {{kFullscreenShader, kWriteMaskShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  MaskWriter writer(group, std::move(programs[0]));
  SIGHTGLASS_RETURN_IF_ERROR(writer.warm_up());
  return writer;
}

MaskWriter::MaskWriter(std::shared_ptr<ShareGroup> group, SharedProgram program)
    : group_(std::move(group)), gl_(&group_->gl()), program_(std::move(program)), block_(*gl_), target_(*gl_) {
  vertex_array_ = make_vertex_array(*gl_);
  sampler_ = make_sampler(*gl_, GL_NEAREST);
}

Status MaskWriter::warm_up() {
  clear_gl_errors(*gl_);
  const GlTexture mask = make_texture(*gl_, GL_RGBA8, 1, 1);
  const GlTexture probabilities = make_texture(*gl_, GL_R8, 1, 1), regions = make_texture(*gl_, GL_R8, 1, 1);
  SIGHTGLASS_RETURN_IF_ERROR(write({mask.id(), GL_TEXTURE_2D, 1, 1}, {}, probabilities.id(), regions.id()));
  return check_gl(*gl_, "drawing a mask for the first time");
}

Status MaskWriter::write(const TextureRef& mask, const MaskRegions& choice, GLuint probabilities, GLuint regions) {
  const GlApi& gl = *gl_;
  const GlStateGuard guard(gl);
  const TextureRef textures[] = {{probabilities, GL_TEXTURE_2D, mask.width, mask.height},
                                 {regions, GL_TEXTURE_2D, mask.width, mask.height}};
  Pass pass(gl, sampler_.id());
  return target_.draw(pass, {textures, regions != 0 ? 2U : 1U}, "the mask texture", [&] {
    pass.uniforms(kRegionsBinding, block_, {choice.threshold, choice.objects > 0 ? 1.0F : 0.0F});
    pass.read(kProbabilityUnit, mask.id);
    pass.draw(program_->id(), vertex_array_.id());
  });
}

}  // namespace sightglass

#ifdef SIGHTGLASS_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

namespace sightglass {

namespace {

struct BufferUnref {
  void operator()(GstBuffer* buffer) const { gst_buffer_unref(buffer); }
};
using OwnedBuffer = std::unique_ptr<GstBuffer, BufferUnref>;

OwnedBuffer acquire(GstBufferPool* pool) {
  GstBuffer* buffer = nullptr;
  return OwnedBuffer(gst_buffer_pool_acquire_buffer(pool, &buffer, nullptr) == GST_FLOW_OK ? buffer : nullptr);
}

// Position of the mask in the frame; masks are never rotated.
CropRect place_of(const InputTransform& to_picture) {
  const auto& m = to_picture.m;
  return {m[2], m[5], m[0], m[4]};
}

#ifdef SIGHTGLASS_ANALYTICS
constexpr bool kRegionsAreWanted = true;

bool add_segmentation(GstBuffer* picture, int32_t width, int32_t height, OwnedBuffer regions, const CropRect& place,
                      int32_t objects) {
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(picture);
  if (meta == nullptr) meta = gst_buffer_add_analytics_relation_meta(picture);
  std::vector<guint> ids(static_cast<size_t>(std::max(1, objects)) + 1);  // background; foreground or objects
  std::iota(ids.begin(), ids.end(), 0U);
  const GstSegmentationType type = objects > 0 ? GST_SEGMENTATION_TYPE_INSTANCE : GST_SEGMENTATION_TYPE_SEMANTIC;
  const auto pixels = [](float fraction, int32_t size) {
    return static_cast<gint>(std::lround(fraction * static_cast<float>(size)));
  };
  GstAnalyticsSegmentationMtd added;
  return meta != nullptr && gst_analytics_relation_meta_add_segmentation_mtd(
                                meta, regions.release(), type, ids.size(), ids.data(), pixels(place.x, width),
                                pixels(place.y, height), static_cast<guint>(pixels(place.width, width)),
                                static_cast<guint>(pixels(place.height, height)), &added) != FALSE;
}
#else
constexpr bool kRegionsAreWanted = false;

bool add_segmentation(GstBuffer*, int32_t, int32_t, OwnedBuffer, const CropRect&, int32_t) { return true; }
#endif

}  // namespace

Result<std::optional<AttachedMask>> attached_mask(GstBuffer* frame, GstGLContext* context) {
  const SightglassMaskMeta* meta = sightglass_buffer_get_mask_meta(frame);
  if (meta == nullptr) return std::optional<AttachedMask>();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl_memory(gst_buffer_peek_memory(meta->mask, 0), context));
  wait_for_buffer(meta->mask, context);
  const GstVideoMeta* video = gst_buffer_get_video_meta(meta->mask);
  GstMapInfo map;
  if (video == nullptr ||
      gst_buffer_map(meta->mask, &map, static_cast<GstMapFlags>(GST_MAP_READ | GST_MAP_GL)) == FALSE) {
    return device_error("the mask that the frame carries cannot be mapped as a texture");
  }
  const TextureRef texture{*reinterpret_cast<const guint*>(map.data), GL_TEXTURE_2D, static_cast<int32_t>(video->width),
                           static_cast<int32_t>(video->height)};
  gst_buffer_unmap(meta->mask, &map);
  return std::optional(AttachedMask{texture, {{meta->width, 0, meta->x, 0, meta->height, meta->y}}});
}

Result<std::unique_ptr<MaskAttachment>> MaskAttachment::create(GstGLContext* context,
                                                               const std::shared_ptr<ShareGroup>& group, int32_t width,
                                                               int32_t height) {
  SIGHTGLASS_ASSIGN_OR_RETURN(MaskWriter writer, MaskWriter::create(group));
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, static_cast<guint>(width), static_cast<guint>(height));
  GstBufferPool* pool = make_mask_pool(context, info);
  if (pool == nullptr) return device_error("attach-mask: cannot create a buffer pool for masks");
  std::unique_ptr<MaskAttachment> result(new MaskAttachment(context, pool, std::move(writer), width, height));
  if (!gst_buffer_pool_set_active(pool, TRUE)) return device_error("attach-mask: cannot activate the mask buffer pool");
  GST_DEBUG_OBJECT(log_object(), "attach-mask: masks of %dx%d, %s analytics metadata", width, height,
                   kRegionsAreWanted ? "with" : "without");
  return result;
}

MaskAttachment::MaskAttachment(GstGLContext* context, GstBufferPool* pool, MaskWriter writer, int32_t width,
                               int32_t height)
    : context_(GST_GL_CONTEXT(gst_object_ref(context))),
      pool_(pool),
      writer_(std::move(writer)),
      width_(width),
      height_(height) {}

MaskAttachment::~MaskAttachment() {
  gst_buffer_pool_set_active(pool_, FALSE);
  gst_object_unref(pool_);
  gst_object_unref(context_);
}

Status MaskAttachment::attach(GstBuffer* picture, int32_t width, int32_t height, const TextureRef& mask,
                              const InputTransform& to_picture, const MaskRegions& choice) {
  OwnedBuffer probabilities = acquire(pool_), regions;
  if (kRegionsAreWanted) regions = acquire(pool_);
  if (probabilities == nullptr || (kRegionsAreWanted && regions == nullptr)) {
    return device_error("attach-mask: cannot acquire a mask texture from the buffer pool");
  }
  {
    const MappedMask target(probabilities.get());
    std::optional<MappedMask> region_target;
    if (regions != nullptr) region_target.emplace(regions.get());
    if (!target.ok() || (region_target && !region_target->ok())) {
      return device_error("attach-mask: cannot map a mask texture");
    }
    SIGHTGLASS_RETURN_IF_ERROR(
        writer_.write(mask, choice, target.texture(), region_target ? region_target->texture() : 0));
  }
  for (GstBuffer* buffer : {probabilities.get(), regions.get()}) {
    if (buffer != nullptr) signal_buffer(buffer, context_);
  }
  // Timestamps allow the mask to become a separate stream.
  gst_buffer_copy_into(probabilities.get(), picture, GST_BUFFER_COPY_TIMESTAMPS, 0, static_cast<gsize>(-1));
  const CropRect place = place_of(to_picture);
  GST_LOG_OBJECT(log_object(), "attach-mask: %dx%d at %.3f,%.3f, size %.3fx%.3f of the frame", mask.width, mask.height,
                 static_cast<double>(place.x), static_cast<double>(place.y), static_cast<double>(place.width),
                 static_cast<double>(place.height));
  const bool added = add_mask_meta(picture, probabilities.get(), place) != nullptr &&
                     add_segmentation(picture, width, height, std::move(regions), place, choice.objects);
  return added ? Status() : internal_error("attach-mask: cannot add the metadata");
}

}  // namespace sightglass
