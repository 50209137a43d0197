#include "dmabuf_export/plane_painter.h"

#include <utility>

#include "dmabuf_export/shaders.h"
#include "gl/frame_format.h"
#include "gl/gl_state_guard.h"
#include "gl/objects.h"
#include "gl/pass.h"
#include "sightglass/color_matrix.h"
#include "sightglass/frame_ref.h"

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
