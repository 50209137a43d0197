// The HUD and the notice of an element that runs a model, drawn over its output frames.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "draw/hud.h"
#include "draw/overlay_painter.h"
#include "element/element_stats.h"

namespace sightglass {

struct ModelSettings;
struct ModelStats;

// "glsegment selfie-segmenter". `model` is the value of the property.
std::string hud_title(const std::string& element, const std::optional<std::string>& model);

// All calls, including the destructor, need the context current and restore GL state.
class ModelHud {
 public:
  // Compiles the programs that the share group does not have yet. `title` is the heading of the HUD.
  static Result<std::unique_ptr<ModelHud>> create(const std::shared_ptr<ShareGroup>& group, std::string title);

  // Draws what the settings ask for over a finished frame, for which the model ran `inferences` times. `now_ns` is a
  // monotonic time.
  Status draw(const ModelSettings& settings, const ModelStats& stats, uint64_t inferences, uint64_t now_ns,
              const TextureRef& picture, int32_t shown_width);

 private:
  ModelHud(const GlApi& gl, std::unique_ptr<OverlayPainter> painter, std::string title)
      : painter_(std::move(painter)), hud_(gl, std::move(title)), notice_(gl) {}

  std::unique_ptr<OverlayPainter> painter_;
  Hud hud_;
  Notice notice_;
  RateMeter frames_, inferences_;
};

}  // namespace sightglass
