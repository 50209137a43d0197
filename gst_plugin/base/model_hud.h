// The HUD of an element that runs a model, over the pictures that it makes.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/percentiles.h"
#include "draw/hud.h"
#include "draw/overlay_painter.h"

namespace sightglass {

struct ModelStats;

// All calls, the destructor included, need the context current. GL state is as found.
class ModelHud {
 public:
  // Compiles what no other holder in the group has compiled yet. `title` is what the panel is headed with.
  static Result<std::unique_ptr<ModelHud>> create(const std::shared_ptr<ShareGroup>& group, std::string title);

  // Over a finished picture; `inferences` have been made for it. `now_ns` is a monotonic time.
  Status draw(const ModelStats& stats, uint64_t inferences, HudPosition position, uint64_t now_ns,
              const TextureRef& picture);

 private:
  ModelHud(const GlApi& gl, std::unique_ptr<OverlayPainter> painter, std::string title)
      : painter_(std::move(painter)), hud_(gl, std::move(title)) {}

  std::unique_ptr<OverlayPainter> painter_;
  Hud hud_;
  RateMeter frames_, inferences_;
};

}  // namespace sightglass
