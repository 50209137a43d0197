#include "base/model_hud.h"

#include "base/model_figures.h"

namespace sightglass {

Result<std::unique_ptr<ModelHud>> ModelHud::create(const std::shared_ptr<ShareGroup>& group, std::string title) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<OverlayPainter> painter, OverlayPainter::create(group));
  return std::unique_ptr<ModelHud>(new ModelHud(group->gl(), std::move(painter), std::move(title)));
}

Status ModelHud::draw(const ModelStats& stats, uint64_t inferences, HudPosition position, uint64_t now_ns,
                      const TextureRef& picture, int32_t shown_width) {
  frames_.add(now_ns);
  for (uint64_t i = 0; i < inferences; ++i) inferences_.add(now_ns);
  const auto milliseconds = [](uint64_t ns) { return static_cast<double>(ns) * 1e-6; };
  HudFigures figures;
  figures.frames_per_second = frames_.per_second(now_ns);
  figures.inferences_per_second = inferences_.per_second(now_ns);
  figures.gpu_ms_p50 = milliseconds(stats.gpu_p50_ns);
  figures.gpu_ms_p95 = milliseconds(stats.gpu_p95_ns);
  figures.latency_ms = milliseconds(stats.latency_ns);
  figures.dropped = stats.dropped;
  const PrimitiveRange panel = hud_.update(figures, position, now_ns, shown_width, picture.height);
  return painter_->draw(picture, {&panel, 1}, shown_width);
}

}  // namespace sightglass
