#include "segment/compositor.h"

#include <cstdint>
#include <utility>

#include "gl/compute.h"
#include "gl/objects.h"
#include "gobject/log.h"
#include "segment/shaders.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

int Compositor::choose_composite(const SegmentLook& look, Block& block) const {
  block.color = look.color;
  if (look.background == Background::kMask) return kMaskComposite;
  if (look.background == Background::kOverlay) {
    return classes_ != 0 && look.coverage == Coverage::kByMask ? kClassTintComposite : kTintComposite;
  }
  const bool picture = video_ != 0 || (look.background == Background::kImage && picture_);
  if (!picture && look.background == Background::kBlur) return kBlurComposite;
  if (look.background == Background::kTransparent) {
    block.color.fill(0);
    if (!picture) return kColorComposite;
  }
  return (picture ? kPictureComposite : kColorComposite) + (look.light_wrap > 0 ? kLightWrap : 0);
}

Compositor::Passes Compositor::choose_passes(const SegmentLook& look, Block& block) const {
  Passes passes;
  passes.composite = choose_composite(look, block);
  passes.wraps = passes.composite == kColorComposite + kLightWrap || passes.composite == kPictureComposite + kLightWrap;
  passes.picture = passes.composite == kPictureComposite || passes.composite == kPictureComposite + kLightWrap;
  passes.blurs = passes.composite == kBlurComposite;
  passes.tints = passes.composite == kClassTintComposite;
  passes.refines = refine_ != Refine::kNone && look.coverage == Coverage::kByMask;
  passes.edge = EdgeShape::of(look.feather, look.edge_offset);
  passes.despills = look.despill && look.coverage == Coverage::kByMask &&
                    (passes.picture || passes.wraps || passes.composite == kColorComposite);
  const bool lights = look.low_light > 0 && passes.composite != kMaskComposite;
  passes.denoises = lights && look.coverage != Coverage::kAllBackground;
  passes.grades = lights || (look.match_colors > 0 && passes.picture && look.coverage == Coverage::kByMask);
  passes.tiled = passes.composite < kTiledComposites && !passes.edge.changes() && !passes.grades;
  const float height = static_cast<float>(size_.height);
  if (passes.blurs) {
    const float radius = look.blur_radius >= 0 ? look.blur_radius : 0.01F * look.blur_strength * height;
    passes.recipe = BlurRecipe::for_radius(radius);
    if (look.bokeh == Bokeh::kDisc) passes.disc = DiscRecipe::for_radius(radius);
    block.blur_share = passes.recipe.share;
    constexpr float kHalfStep = 0.5F / 255;
    block.dither = look.dither ? kHalfStep * block.blur_share : 0;
  } else {
    passes.recipe = BlurRecipe::for_radius(height / 24);  // how far light reaches
  }
  block.picture = video_ != 0 ? video_view_ : picture_view_;
  block.premultiply = look.premultiply ? 1 : 0;
  block.light_wrap = look.light_wrap;
  block.despill = passes.despills ? 1 : 0;
  block.overlay_opacity = look.overlay_opacity;
  block.frame_texel = {1 / static_cast<float>(size_.shown_width()), 1 / static_cast<float>(size_.height)};
  constexpr auto kSide = static_cast<float>(kTileSide);
  block.tile = {kSide / static_cast<float>(size_.width), kSide / static_cast<float>(size_.height)};
  return passes;
}

Status Compositor::allocate(const Passes& passes, const TextureRef& mask) {
  if (passes.edge.changes() && !parts_.edge->is_ready()) {
    SIGHTGLASS_RETURN_IF_ERROR(parts_.edge->resize(size_.shown_width(), size_.height));
  }
  if (passes.despills && !parts_.foreground->is_ready()) {
    SIGHTGLASS_RETURN_IF_ERROR(parts_.foreground->resize(size_.shown_width(), size_.height));
  }
  if (passes.denoises && !parts_.denoiser->is_ready()) {
    SIGHTGLASS_RETURN_IF_ERROR(parts_.denoiser->resize(size_.width, size_.height));
    forget();
  }
  if (!passes.denoises && parts_.denoiser) parts_.denoiser->release();
  return parts_.refiner.resize(mask);
}

void Compositor::keep_units(const Passes& passes, Pass& pass) const {
  if (passes.despills) {
    pass.keep(kFrontColorsUnit);
    pass.keep(kBehindColorsUnit);
  }
  if (passes.edge.changes()) pass.keep(kFeatheredUnit);
  if (passes.denoises) pass.keep(kQuietUnit);
  if (refine_ != Refine::kNone) pass.keep(kSurroundingsUnit);
  if (passes.tiled) pass.keep(kTilesUnit);
}

void Compositor::run_passes(const Passes& passes, const SegmentLook& look, Pass& pass, const FrameRef& frame) {
  // Reads in `unit` the texture that `run` returns, which samples the frame.
  const auto add = [&](const char* what, GLuint unit, const auto& run) {
    GST_TRACE_OBJECT(log_object(), "pass: %s", what);
    pass.read(frame);
    const TextureRef result = run();
    pass.read(unit, result.id);
  };
  if (passes.refines) {
    add("refining the mask by the frame", kMaskUnit, [&] { return parts_.refiner.run(pass, noise_); });
  }
  if (passes.picture) pass.read(kBackgroundUnit, video_ != 0 ? video_ : picture_.id());
  if (passes.tints) pass.read(kBackgroundUnit, classes_, nearest_.id());
  if (passes.grades) {
    GST_TRACE_OBJECT(log_object(), "pass: measuring colors");
    pass.read(frame);
    const float match = passes.picture ? look.match_colors : 0;
    parts_.grader->measure(pass, {match, look.low_light, size_.width, size_.height}, std::exchange(seconds_, 0.0F),
                           noise_);
  }
  if (passes.denoises) {
    GST_TRACE_OBJECT(log_object(), "pass: removing noise");
    parts_.denoiser->run(pass, parts_.grader->grade());
  }
  const auto first = [&](int from) -> const SharedProgram& {
    return parts_.programs.firsts[static_cast<size_t>(from - 1)];
  };
  if (passes.blurs) {
    add("blurring the frame", kBackgroundUnit, [&] {
      return passes.disc ? parts_.blur->run_disc(pass, first(kFromHighlights), *passes.disc)
                         : parts_.blur->run(pass, first(kFromFrame), passes.recipe);
    });
  }
  if (passes.wraps) {
    const int from = passes.picture ? kFromPictureLight : kFromColorLight;
    add("blurring light of the background", kLightUnit,
        [&] { return parts_.blur->run(pass, first(from), passes.recipe); });
  }
  if (passes.edge.changes()) {
    add("shaping the edge", kFeatheredUnit, [&] { return parts_.edge->run(pass, first(kFromOpacity), passes.edge); });
  }
  if (passes.despills) {
    add("estimating the colors of the foreground", kFrontColorsUnit, [&] { return parts_.foreground->run(pass); });
  }
}

Status Compositor::draw(const FrameRef& frame, const InputTransform& upright_to_stored, const TextureRef& mask,
                        const InputTransform& mask_to_upright, GLuint output, const SegmentLook& look) {
  Block block{make_matte(mask, mask_to_upright, look).block()};
  const Passes passes = choose_passes(look, block);
  const bool history = std::exchange(has_stillness_, false);
  block.guide_history = history ? 1.0F : 0.0F;
  SIGHTGLASS_RETURN_IF_ERROR(compile(passes));
  SIGHTGLASS_RETURN_IF_ERROR(allocate(passes, mask));

  Pass pass(*gl_, linear_.id());
  keep_units(passes, pass);
  pass.uniforms(kLookBinding, blocks_[history ? 1 : 0], block);
  pass.uniforms(kFrameBinding, frame_block_, frame_block(frame, upright_to_stored));
  pass.read(kMaskUnit, mask.id);
  if (refine_ != Refine::kNone && !passes.refines) pass.read(kSurroundingsUnit, mask.id);  // whose values do not matter
  run_passes(passes, look, pass, frame);
  if (passes.grades) pass.uniforms(kParamsBinding, parts_.grader->grade());
  if (!passes.grades) forget();

  GST_TRACE_OBJECT(log_object(), "pass: compositing %dx%d", size_.width, size_.height);
  const bool exact = is_exact(upright_to_stored, size_.width, size_.height, frame);
  pass.read(frame, exact ? nearest_.id() : linear_.id(), linear_.id());
  const TextureRef target{output, GL_TEXTURE_2D, size_.width, size_.height};
  return passes.tiled ? draw_tiles(passes, pass, target) : draw_whole(passes, pass, target);
}

Status Compositor::draw_whole(const Passes& passes, Pass& pass, const TextureRef& target) {
  return target_.draw(pass, {&target, 1}, "the output texture",
                      [&] { pass.draw(composite_of(passes)->id(), vertex_array_.id()); });
}

Status Compositor::draw_tiles(const Passes& passes, Pass& pass, const TextureRef& target) {
  const TextureRef tiles{tiles_.id(), GL_TEXTURE_2D, tiles_along(target.width), tiles_along(target.height)};
  const OpaqueStateGuard state(*gl_);
  gl_->Viewport(0, 0, tiles.width, tiles.height);
  SIGHTGLASS_RETURN_IF_ERROR(target_.draw_in_state(pass, {&tiles, 1}, "the texture of tiles", [&] {
    pass.draw(parts_.programs.sort_tiles->id(), vertex_array_.id());
  }));
  pass.read(kTilesUnit, tiles.id);
  gl_->Viewport(0, 0, target.width, target.height);
  return target_.draw_in_state(pass, {&target, 1}, "the output texture", [&] {
    const auto draw = [&](const SharedProgram& program) {
      pass.draw(program->id(), vertex_array_.id(), kTileVertices * tiles.width * tiles.height);
    };
    for (const int tile : kDecidedTiles) draw(decided(passes.composite, tile));
    draw(composite_of(passes));
  });
}

}  // namespace sightglass
