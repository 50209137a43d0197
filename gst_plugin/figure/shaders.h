// The programs that draw figures, in one list: what the element builds is what the tests check.
#pragma once

#include <string>
#include <vector>

#include "figure/backdrop.h"
#include "figure/lofts.h"
#include "gl/shaders.h"
#include "gpu_engine/shader_source.h"

namespace sightglass {

ShaderFiles figure_shaders();

}  // namespace sightglass

namespace sightglass::figure {

// Cells of the grid between two rings. Software renderers compute whole blocks of pixels for each triangle: finer grids
// cost more there, not by their vertices.
struct Grid {
  int around, along;
  int indices() const { return around * along * 6; }
};
inline constexpr Grid kGrids[] = {{20, 2}, {8, 2}};

// How a list of rings is drawn.
struct ListStyle {
  size_t grid;
  int moved, part;  // defines of loft.vert and figure.frag
};
inline constexpr ListStyle kListStyles[Lofts::kLists] = {{0, 0, 3}, {0, 0, 0}, {0, 0, 2}, {0, 1, 4}, {0, 1, 1},
                                                         {1, 0, 2}, {1, 0, 4}, {1, 1, 1}, {1, 0, 5}};

// By the KIND of card.frag: which textures are whose.
inline constexpr int kCardKinds = 3;
inline int card_kind(const Card& card) {
  constexpr int kKinds[] = {0, 0, 0, 1, 2, 1, 1, 0, 2, 1, 1, 2, 0};
  return kKinds[static_cast<size_t>(card.texture)];
}

// Programs by number: those of the lists, of the cards, and these.
enum FigureProgram : size_t {
  kCardProgram = Lofts::kLists,
  kBackdropProgram = kCardProgram + kCardKinds,
  kPictureProgram,
  kMaskProgram,
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
  programs.push_back({kFullscreenShader, {"figure/make_noise.frag", {}}});
  return programs;
}

inline std::vector<ShaderKey> figure_shader_variants() {
  std::vector<ShaderKey> keys;
  for (const ProgramKey& program : figure_programs()) keys.insert(keys.end(), program.begin(), program.end());
  return keys;
}

}  // namespace sightglass::figure
