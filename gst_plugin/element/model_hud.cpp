#include "element/model_hud.h"

#include <array>
#include <span>

#include "element/element_settings.h"
#include "element/element_stats.h"
#include "model_store.h"

namespace sightglass {

std::string hud_title(const std::string& element, const std::optional<std::string>& model) {
  return element + " " + model_title(model.value_or(""));
}

Result<std::unique_ptr<ModelHud>> ModelHud::create(const std::shared_ptr<ShareGroup>& group, std::string title) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::unique_ptr<OverlayPainter> painter, OverlayPainter::create(group));
  return std::unique_ptr<ModelHud>(new ModelHud(group->gl(), std::move(painter), std::move(title)));
}

Status ModelHud::draw(const ModelSettings& settings, const ModelStats& stats, uint64_t inferences, uint64_t now_ns,
                      const TextureRef& picture, int32_t shown_width) {
  std::array<PrimitiveRange, 2> ranges;
  size_t count = 0;
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
  const HudPosition position = settings.hud_position;
  if (settings.hud) {
    SIGHTGLASS_ASSIGN_OR_RETURN(ranges[count++], hud_.update(figures, position, now_ns, shown_width, picture.height));
  }
  if (settings.notice && !settings.notice->empty()) {
    const bool hud_below = position == HudPosition::kBottomLeft || position == HudPosition::kBottomRight;
    const NoticeEdge edge = settings.hud && hud_below ? NoticeEdge::kUpper : NoticeEdge::kLower;
    SIGHTGLASS_ASSIGN_OR_RETURN(ranges[count++], notice_.update(*settings.notice, edge, shown_width, picture.height));
  }
  return painter_->draw(picture, std::span(ranges).first(count), shown_width);
}

}  // namespace sightglass
