#include "segment/people.h"

#include <algorithm>
#include <utility>

#include "gl/compute.h"
#include "gl/pass.h"
#include "segment/shaders.h"

namespace sightglass {

namespace {

// PEOPLE in std430 layout: four vectors, and per cell a label, a share and a box.
constexpr GLsizeiptr kPeopleBytes = 16 * (4 + kPeopleCells) + 8 * kPeopleCells;

// Pixels per side of a cell: an even number, since a fetch is the mean of four; or one pixel.
int32_t side_for(int32_t width, int32_t height) {
  const int32_t longer = std::max({width, height, 1});
  const int32_t side = (longer + kPeopleSide - 1) / kPeopleSide;
  return side == 1 ? 1 : side + side % 2;
}

}  // namespace

GlBuffer make_no_cut(const GlApi& gl) {
  const std::array<float, kNoiseFloats> same{0, 0, 1, 1};
  return make_storage(gl, sizeof same, same.data());
}

Result<PeopleFinder> PeopleFinder::create(const std::shared_ptr<ShareGroup>& group, int32_t mask_width,
                                          int32_t mask_height) {
  const ProgramKey keys[] = {{kPeopleCellsShader}, {kPeopleFindShader}, {kPeopleKeepShader}};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  clear_gl_errors(group->gl());
  PeopleFinder finder(group->gl(), std::move(programs), mask_width, mask_height);
  const GlTexture black = make_texture(group->gl(), GL_RGBA8, 1, 1);
  const TextureRef nothing{black.id(), GL_TEXTURE_2D, 1, 1};
  finder.find(nothing, {0, 0, 1, 1}, 0, {});
  finder.main_person(nothing);
  finder.reset();
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(group->gl(), "allocating what finds people in masks"));
  return finder;
}

PeopleFinder::PeopleFinder(const GlApi& gl, std::vector<SharedProgram> programs, int32_t width, int32_t height)
    : gl_(&gl),
      programs_(std::move(programs)),
      width_(width),
      height_(height),
      side_(side_for(width, height)),
      columns_((width + side_ - 1) / side_),
      rows_((height + side_ - 1) / side_),
      people_(make_storage(gl, kPeopleBytes, std::vector<std::byte>(kPeopleBytes).data())),
      no_cut_(make_no_cut(gl)),
      cells_(make_texture(gl, GL_RGBA8, columns_, rows_)),
      kept_(make_texture(gl, GL_RGBA8, width, height)),
      linear_(make_sampler(gl, GL_LINEAR)),
      params_(gl) {}

BufferRange PeopleFinder::people() const { return {people_.id(), 0, kPeopleBytes}; }

void PeopleFinder::find(const TextureRef& mask, const std::array<float, 4>& visible, float seconds,
                        const BufferRange& noise) {
  now_ = {{static_cast<float>(columns_), static_cast<float>(rows_), static_cast<float>(side_), seconds},
          visible,
          {std::exchange(begins_, false) ? 1.0F : 0.0F}};
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, params_, now_);
  pass.storage(kPeopleBlock, people());
  pass.read(kMaskUnit, mask.id, linear_.id());
  pass.dispatch(programs_[0]->id(), groups_across(columns_), groups_across(rows_));
  pass.storage(kPeopleNoiseBlock,
               noise.buffer != 0 ? noise : BufferRange{no_cut_.id(), 0, kNoiseFloats * sizeof(float)});
  pass.write(0, cells_.id(), GL_RGBA8);
  pass.dispatch(programs_[1]->id());
}

TextureRef PeopleFinder::main_person(const TextureRef& mask) {
  Pass pass(*gl_);
  pass.uniforms(kParamsBinding, params_, now_);
  pass.read(kMaskUnit, mask.id);
  pass.read(kPeopleCellsUnit, cells_.id(), linear_.id());
  pass.write(0, kept_.id(), GL_RGBA8);
  pass.dispatch(programs_[2]->id(), groups_across(width_), groups_across(height_));
  return {kept_.id(), GL_TEXTURE_2D, width_, height_};
}

}  // namespace sightglass
