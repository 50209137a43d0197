// The shader programs that draw figures, in one list: tests check the programs that the element builds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "figure/backdrop.h"
#include "figure/lofts.h"
#include "gl/shaders.h"
#include "sightglass/shader_source.h"

namespace sightglass {

ShaderFiles figure_shaders();

}  // namespace sightglass

namespace sightglass::figure {

// Contents of output frames.
enum class Output : uint8_t { kPicture, kMask, kAlpha, kForeground, kBackground, kRoom };

// Cells of the grid between two rings. On software renderers, finer grids cost more pixels, not only vertices: they
// compute whole blocks of pixels for each triangle.
struct Grid {
  int around, along;
  int indices() const { return around * along * 6; }
};
inline constexpr Grid kGrids[] = {{20, 2}, {8, 2}};

// Uniform blocks, noise textures, and the size of these.
inline constexpr uint32_t kFigureBinding = 0, kListBinding = 1, kCameraBinding = 2;
inline constexpr uint32_t kBumpsUnit = 1, kWhiteUnit = 2;
// Textures of exposures, and of their sums.
inline constexpr uint32_t kSceneUnit = 0, kRestUnit = 3, kSceneSumUnit = 4, kRestSumUnit = 5;
inline constexpr int kNoiseSize = 256;

// Parts that figure.frag draws.
inline constexpr int kHeadPart = 0, kHairPart = 1, kSkinPart = 2, kTorsoPart = 3, kClothPart = 4, kHardPart = 5;
inline constexpr int kSheerPart = 6, kLensPart = 7;

// How a list of rings is drawn.
struct ListStyle {
  size_t grid;
  int moved, part;  // defines of loft.vert and figure.frag
};
inline constexpr ListStyle kListStyles[Lofts::kLists] = {
    {0, 0, kTorsoPart}, {0, 0, kHeadPart}, {0, 0, kSkinPart}, {0, 1, kClothPart}, {0, 1, kHairPart}, {1, 0, kSkinPart},
    {1, 0, kClothPart}, {1, 1, kHairPart}, {1, 0, kHardPart}, {0, 0, kSheerPart}, {0, 0, kLensPart}};

// By the KIND of card.frag: its textures.
inline constexpr int kCardKinds = 3;
inline int card_kind(const Card& card) {
  constexpr int kKinds[] = {0, 0, 0, 1, 2, 1, 1, 0, 2, 1, 1, 2, 0};
  return kKinds[static_cast<size_t>(card.texture)];
}

// Indices of shader programs: those of the lists, those of the cards, and these.
enum FigureProgram : size_t {
  kCardProgram = Lofts::kLists,
  kBackdropProgram = kCardProgram + kCardKinds,
  kPictureProgram,
  kMaskProgram,
  kAddProgram,
  kLayersProgram,
  kStrandProgram,
  kNoiseProgram
};

inline std::vector<ProgramKey> figure_programs() {
  std::vector<ProgramKey> programs;
  for (const ListStyle& style : kListStyles) {
    const Grid& grid = kGrids[style.grid];
    programs.push_back({{"figure/loft.vert",
                         {{"ALONG", std::to_string(grid.along)},
                          {"AROUND", std::to_string(grid.around)},
                          {"MOVED", std::to_string(style.moved)}}},
                        {"figure/figure.frag", {{"PART", std::to_string(style.part)}}}});
  }
  for (int kind = 0; kind < kCardKinds; ++kind) {
    programs.push_back({{"figure/card.vert", {}}, {"figure/card.frag", {{"KIND", std::to_string(kind)}}}});
  }
  programs.push_back({kFullscreenShader, {"figure/backdrop.frag", {}}});
  programs.push_back({kFullscreenShader, {"figure/camera.frag", {{"SHOW_MASK", "0"}}}});
  programs.push_back({kFullscreenShader, {"figure/camera.frag", {{"SHOW_MASK", "1"}}}});
  programs.push_back({kFullscreenShader, {"figure/add_exposure.frag", {}}});
  programs.push_back({kFullscreenShader, {"figure/layers.frag", {}}});
  programs.push_back({{"figure/strand.vert", {}}, {"figure/strand.frag", {}}});
  programs.push_back({kFullscreenShader, {"figure/make_noise.frag", {}}});
  return programs;
}

inline std::vector<ShaderKey> figure_shader_variants() {
  std::vector<ShaderKey> keys;
  for (const ProgramKey& program : figure_programs()) keys.insert(keys.end(), program.begin(), program.end());
  return keys;
}

}  // namespace sightglass::figure
