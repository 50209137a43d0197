// What a compositor has before a frame arrives: programs, sizes, and pictures of the background.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "gl/objects.h"
#include "gobject/log.h"
#include "gpu_engine/build_programs.h"
#include "segment/compositor.h"
#include "segment/shaders.h"
#include "sightglass/empty_frame.h"

#define GST_CAT_DEFAULT sightglass::segment_log()

namespace sightglass {

namespace {

// About an eighth, which is a power of two if the length is one: llvmpipe compiles a program again for such textures.
int32_t eighth(int32_t length) {
  const auto is_power = [](int32_t number) { return std::has_single_bit(static_cast<uint32_t>(number)); };
  const int32_t result = (length + 7) / 8;
  return is_power(length) == is_power(result) ? result : result + 1;
}

ProgramKey composite_program(int background, FrameKind kind, Refine refine, bool feathered, bool graded = false) {
  const bool tiled = background < kTiledComposites && !feathered && !graded;
  return {tiled ? tiles_shader(kEdgeTile) : kFullscreenShader,
          composite_shader(background, kind, refine, feathered, graded)};
}

ProgramKey decided_program(int background, FrameKind kind, int tile) {
  return {tiles_shader(tile), composite_shader(background, kind, Refine::kNone, false, false, tile)};
}

// Looks that need every program but those of graded colors, and `first` if that needs them.
std::vector<SegmentLook> first_looks(const SegmentLook& first) {
  constexpr float kRadius = 16;  // halves the frame more than once
  std::vector<SegmentLook> looks;
  for (const Background background :
       {Background::kBlur, Background::kColor, Background::kImage, Background::kMask, Background::kOverlay}) {
    looks.push_back({.background = background, .blur_radius = kRadius});
    looks.push_back({.background = background,
                     .blur_radius = kRadius,
                     .bokeh = Bokeh::kDisc,
                     .feather = 3,
                     .edge_offset = 1,
                     .light_wrap = 1});
  }
  if (first.grades()) looks.push_back(first);
  return looks;
}

ProgramKey sort_program(Refine refine) { return {kFullscreenShader, sort_tiles_shader(refine)}; }

}  // namespace

Result<Compositor> Compositor::create(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine) {
  std::vector<ProgramKey> composites, feathered, firsts;
  std::array<std::vector<ProgramKey>, kDecidedTiles.size()> decided;
  for (int background = 0; background < kComposites; ++background) {
    composites.push_back(composite_program(background, kind, refine, false));
    feathered.push_back(composite_program(background, kind, refine, true));
  }
  for (size_t i = 0; i < decided.size(); ++i) {
    for (int background = 0; background < kTiledComposites; ++background) {
      decided[i].push_back(decided_program(background, kind, kDecidedTiles[i]));
    }
  }
  const std::vector<ProgramKey> sort{sort_program(refine)};
  for (const int from : {kFromFrame, kFromOpacity, kFromColorLight, kFromPictureLight, kFromHighlights}) {
    firsts.push_back({pyramid_first_shader(from, kind, refine)});
  }
  // In one batch, which drivers with compiler threads build in parallel. The parts below then find their programs.
  std::vector<ProgramKey> keys;
  for (const std::vector<ProgramKey>& some :
       {composites, feathered, firsts, decided[0], decided[1], sort, Blur::programs(),
        MaskRefiner::programs(kind, refine), EdgeShaper::programs(), ForegroundColors::programs(kind, refine)}) {
    keys.insert(keys.end(), some.begin(), some.end());
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<SharedProgram> all, group->programs(keys));
  SIGHTGLASS_ASSIGN_OR_RETURN(MaskRefiner refiner, MaskRefiner::create(group, kind, refine));
  SIGHTGLASS_ASSIGN_OR_RETURN(Blur blur, Blur::create(group));
  SIGHTGLASS_ASSIGN_OR_RETURN(EdgeShaper edge, EdgeShaper::create(group));
  SIGHTGLASS_ASSIGN_OR_RETURN(ForegroundColors foreground, ForegroundColors::create(group, kind, refine));
  Programs programs;
  SIGHTGLASS_ASSIGN_OR_RETURN(programs.composites[0], group->programs(composites));
  SIGHTGLASS_ASSIGN_OR_RETURN(programs.feathered[0], group->programs(feathered));
  SIGHTGLASS_ASSIGN_OR_RETURN(programs.firsts, group->programs(firsts));
  for (auto* lists : {&programs.composites, &programs.feathered}) (*lists)[1].resize(kComposites);
  for (size_t i = 0; i < kDecidedTiles.size(); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(programs.decided[i], group->programs(decided[i]));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> sorting, group->programs(sort));
  programs.sort_tiles = std::move(sorting.front());
  return Compositor(group, kind, refine,
                    {std::move(refiner), std::move(blur), std::move(edge), std::move(foreground), std::move(programs)});
}

Result<Compositor> Compositor::create_background(const std::shared_ptr<ShareGroup>& group, FrameKind kind) {
  SIGHTGLASS_ASSIGN_OR_RETURN(MaskRefiner refiner, MaskRefiner::create(group, kind, Refine::kNone));
  Programs programs;
  for (Programs::List& list : programs.composites) list.resize(kComposites);
  programs.firsts.resize(kFromHighlights);
  for (Programs::List& list : programs.decided) list.resize(kTiledComposites);
  Compositor compositor(group, kind, Refine::kNone, {std::move(refiner), {}, {}, {}, std::move(programs)});
  compositor.draws_edges_ = false;
  return compositor;
}

Compositor::Compositor(const std::shared_ptr<ShareGroup>& group, FrameKind kind, Refine refine, Parts parts)
    : gl_(&group->gl()),
      kind_(kind),
      refine_(refine),
      parts_(std::move(parts)),
      group_(group),
      blocks_{UniformBlock<Block>(*gl_), UniformBlock<Block>(*gl_)},
      frame_block_(*gl_),
      target_(*gl_) {
  vertex_array_ = make_vertex_array(*gl_);
  linear_ = make_sampler(*gl_, GL_LINEAR);
  nearest_ = make_sampler(*gl_, GL_NEAREST);
}

void Compositor::pass_time(float seconds) {
  seconds_ = std::max(seconds, 0.0F);
  if (seconds < 0 && parts_.grader) parts_.grader->reset();
}

Status Compositor::resize(int32_t width, int32_t height, float pixel_aspect) {
  size_ = {width, height, pixel_aspect};
  picture_.reset();
  video_ = 0;
  tiles_ = make_texture(*gl_, GL_R8, tiles_along(width), tiles_along(height));
  release_parts();
  return parts_.blur ? parts_.blur->resize(size_.shown_width(), height) : Status();
}

void Compositor::release_parts() {
  if (parts_.edge) parts_.edge->release();
  if (parts_.foreground) parts_.foreground->release();
  if (parts_.denoiser) parts_.denoiser->release();
}

Status Compositor::prepare(const SegmentLook& look) {
  Block block;
  return compile(choose_passes(look, block));
}

Status Compositor::compile(const Passes& passes) {
  if (!draws_edges_ && (passes.wraps || passes.edge.changes() || passes.despills)) {
    return internal_error("a compositor of backgrounds cannot draw edges");
  }
  std::vector<ProgramKey> keys;
  std::vector<SharedProgram*> places;
  const auto need = [&](SharedProgram& place, const auto& key) {
    if (place) return;
    keys.push_back(key());
    places.push_back(&place);
  };
  need(composite_of(passes),
       [&] { return composite_program(passes.composite, kind_, refine_, passes.edge.changes(), passes.grades); });
  if (passes.tiled) {
    for (const int tile : kDecidedTiles) {
      need(decided(passes.composite, tile), [&] { return decided_program(passes.composite, kind_, tile); });
    }
    need(parts_.programs.sort_tiles, [&] { return sort_program(refine_); });
  }
  const int from = passes.disc ? kFromHighlights : kFromFrame;
  if (passes.blurs) {
    need(parts_.programs.firsts[static_cast<size_t>(from - 1)],
         [&] { return ProgramKey{pyramid_first_shader(from, kind_, refine_)}; });
  }
  const bool needs_blur = passes.blurs && !parts_.blur, needs_grader = passes.grades && !parts_.grader,
             needs_denoiser = passes.denoises && !parts_.denoiser;
  if (needs_blur) std::ranges::copy(Blur::programs(), std::back_inserter(keys));
  if (keys.empty() && !needs_grader && !needs_denoiser) return {};
  GST_DEBUG_OBJECT(log_object(), "compiling the shader programs that the frame is the first to need");
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group_->programs(keys));
  for (size_t i = 0; i < places.size(); ++i) *places[i] = std::move(programs[i]);
  if (needs_grader) {
    SIGHTGLASS_ASSIGN_OR_RETURN(Grader grader, Grader::create(group_, kind_, refine_));
    parts_.grader.emplace(std::move(grader));
  }
  if (needs_denoiser) {
    SIGHTGLASS_ASSIGN_OR_RETURN(Denoiser denoiser, Denoiser::create(group_, kind_, refine_));
    parts_.denoiser.emplace(std::move(denoiser));
  }
  if (!needs_blur) return {};
  SIGHTGLASS_ASSIGN_OR_RETURN(Blur blur, Blur::create(group_));
  SIGHTGLASS_RETURN_IF_ERROR(blur.resize(size_.shown_width(), size_.height));
  parts_.blur.emplace(std::move(blur));
  return {};
}

Status Compositor::warm_up(const TextureRef& mask, int32_t width, int32_t height, float pixel_aspect,
                           const SegmentLook& first) {
  SIGHTGLASS_RETURN_IF_ERROR(resize(eighth(width), eighth(height)));
  clear_gl_errors(*gl_);
  const EmptyFrame empty(*gl_, kind_, size_.width, size_.height);
  const GlTexture output = make_texture(*gl_, GL_RGBA8, size_.width, size_.height);
  picture_ = make_texture(*gl_, GL_RGBA8, size_.width, size_.height);
  const TextureRef part{mask.id, mask.target, eighth(mask.width), eighth(mask.height)};
  const std::vector<SegmentLook> looks = first_looks(first);
  const auto draw_look = [&](Compositor& compositor, size_t look, GLuint target) {
    return compositor.draw(empty.ref(), {}, part, {}, target, looks[look]);
  };
  if (CompileScope::has_begun()) SIGHTGLASS_RETURN_IF_ERROR(wait_for_gpu(*gl_));
  // Other threads have compositors of their own: some GL objects belong to one context. Their failures show here, too.
  Status status;
  const std::thread::id here = std::this_thread::get_id();
  const std::vector<size_t> elsewhere = CompileScope::share_out(looks.size(), [&](const NextItem& next) {
    if (std::this_thread::get_id() == here) {
      while (const std::optional<size_t> look = next()) {
        if (status.ok()) status = draw_look(*this, *look, output.id());
      }
      return;
    }
    Result<Compositor> own = create(group_, kind_, refine_);
    if (!own.ok() || !own->resize(size_.width, size_.height).ok()) return;
    const GlTexture target = make_texture(*gl_, GL_RGBA8, size_.width, size_.height);
    own->picture_ = make_texture(*gl_, GL_RGBA8, size_.width, size_.height);
    while (const std::optional<size_t> look = next()) {
      if (!draw_look(*own, *look, target.id()).ok()) break;
    }
    static_cast<void>(wait_for_gpu(*gl_));
  });
  for (const size_t look : elsewhere) {
    if (status.ok()) status = draw_look(*this, look, output.id());
  }
  SIGHTGLASS_RETURN_IF_ERROR(status);
  forget();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(*gl_, "drawing for the first time"));
  SIGHTGLASS_RETURN_IF_ERROR(parts_.refiner.resize(mask));
  return resize(width, height, pixel_aspect);
}

Status Compositor::set_picture(std::span<const std::byte> rgba, const PicturePlace& place) {
  if (rgba.size() != static_cast<size_t>(size_.width) * static_cast<size_t>(size_.height) * 4) {
    return invalid_argument("the background picture is not of the frame's size");
  }
  clear_gl_errors(*gl_);
  picture_view_.place = place;
  if (!picture_) picture_ = make_texture(*gl_, GL_RGBA8, size_.width, size_.height);
  fill_texture(*gl_, {picture_.id(), GL_TEXTURE_2D, size_.width, size_.height}, GL_RGBA, rgba.data());
  return check_gl(*gl_, "uploading the background picture");
}

void Compositor::set_video(const TextureRef& texture, float pixel_aspect, PictureFit fit) {
  video_ = texture.id;
  if (video_ == 0) return;
  video_view_ =
      fit_picture(texture.width, texture.height, size_.width, size_.height, fit, size_.pixel_aspect / pixel_aspect);
}

}  // namespace sightglass
