#include "draw/overlay_painter.h"

#include <cstddef>
#include <cstring>
#include <utility>

#include "draw/shaders.h"
#include "gl/gl_state_guard.h"
#include "gl/objects.h"
#include "gl/pass.h"

namespace sightglass {

namespace {

constexpr GLuint kVertexBinding = 0;

GLsizeiptr bytes(GLsizei count) { return static_cast<GLsizeiptr>(sizeof(Primitive)) * count; }

}  // namespace

PrimitiveBuffer::PrimitiveBuffer(const GlApi& gl, GLsizei count) : count_(count) {
  const std::vector<Primitive> none(static_cast<size_t>(count));
  buffer_ = make_storage(gl, bytes(count), none.data());
}

PrimitiveList::PrimitiveList(const GlApi& gl) : gl_(&gl), buffer_(make_buffer(gl, 0, nullptr, GL_DYNAMIC_DRAW)) {}

void PrimitiveList::set(std::span<const Primitive> primitives) {
  if (primitives.size() == primitives_.size() &&
      (primitives.empty() || std::memcmp(primitives.data(), primitives_.data(), primitives.size_bytes()) == 0)) {
    return;
  }
  primitives_.assign(primitives.begin(), primitives.end());
  const BufferBinding bound(*gl_, GL_ARRAY_BUFFER, buffer_.id());
  // New storage each time: the GPU may still read the previous list from the old one.
  gl_->BufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(primitives.size_bytes()), primitives.data(),
                  GL_DYNAMIC_DRAW);
}

Result<std::unique_ptr<OverlayPainter>> OverlayPainter::create(const std::shared_ptr<ShareGroup>& group) {
  const ProgramKey keys[] = {kOverlayProgram};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  const GlApi& gl = group->gl();
  clear_gl_errors(gl);
  const GlStateGuard guard(gl);
  std::unique_ptr<OverlayPainter> painter(new OverlayPainter(group, std::move(programs[0])));
  const PrimitiveBuffer none(gl, 1);
  const GlTexture picture = make_texture(gl, GL_RGBA8, 1, 1);
  const PrimitiveRange ranges[] = {none.range()};
  SIGHTGLASS_RETURN_IF_ERROR(painter->draw({picture.id(), GL_TEXTURE_2D, 1, 1}, ranges));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "drawing an overlay for the first time"));
  return painter;
}

OverlayPainter::OverlayPainter(std::shared_ptr<ShareGroup> group, SharedProgram program)
    : group_(std::move(group)), gl_(&group_->gl()), painting_(*gl_, std::move(program)) {
  const GlApi& gl = *gl_;
  Pass pass(gl);
  pass.use(painting_.program->id(), painting_.vertex_array.id());
  const auto attribute = [&gl](GLuint location, GLint size, size_t offset) {
    gl.VertexAttribFormat(location, size, GL_FLOAT, GL_FALSE, static_cast<GLuint>(offset));
  };
  attribute(0, 4, offsetof(Primitive, ends));
  attribute(1, 4, offsetof(Primitive, color));
  attribute(2, 1, offsetof(Primitive, radius));
  gl.VertexAttribIFormat(3, 2, GL_INT, offsetof(Primitive, kind));
  for (GLuint location = 0; location < 4; ++location) {
    gl.VertexAttribBinding(location, kVertexBinding);
    gl.EnableVertexAttribArray(location);
  }
  gl.VertexBindingDivisor(kVertexBinding, 1);
}

namespace {

// Colors are not multiplied by alpha; drawing adds to that of the image.
void blend(const GlApi& gl) {
  gl.Enable(GL_BLEND);
  gl.BlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}

}  // namespace

Status OverlayPainter::draw(const TextureRef& picture, std::span<const PrimitiveRange> ranges, int32_t shown_width) {
  const int32_t across = shown_width > 0 ? shown_width : picture.width;
  const GlApi& gl = *gl_;
  const GlStateGuard bindings(gl);
  const DrawStateGuard drawing(gl);
  Pass pass(gl, painting_.linear.id());
  return painting_.target.draw(pass, {&picture, 1}, "the frame under an overlay", [&] {
    blend(gl);
    pass.uniforms(kPictureBinding, painting_.block,
                  {2.0F / static_cast<float>(across), 2.0F / static_cast<float>(picture.height), 0, 0});
    pass.use(painting_.program->id(), painting_.vertex_array.id());
    gl.MemoryBarrier(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT);
    for (const PrimitiveRange& range : ranges) {
      if (range.count <= 0) continue;
      pass.read(kTextUnit, range.text);
      pass.vertices(kVertexBinding, range.buffer, range.offset, sizeof(Primitive));
      gl.DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, range.count);
    }
  });
}

Result<MaskPainter> MaskPainter::create(const std::shared_ptr<ShareGroup>& group) {
  const ProgramKey keys[] = {kMasksProgram};
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<SharedProgram> programs, group->programs(keys));
  const GlApi& gl = group->gl();
  clear_gl_errors(gl);
  MaskPainter painter(gl, std::move(programs[0]));
  const GlTexture picture = make_texture(gl, GL_RGBA8, 1, 1), masks = make_texture(gl, GL_RGBA8, 1, 1);
  SIGHTGLASS_RETURN_IF_ERROR(painter.draw({picture.id(), GL_TEXTURE_2D, 1, 1}, {masks.id(), GL_TEXTURE_2D, 1, 1}, {}));
  SIGHTGLASS_RETURN_IF_ERROR(check_gl(gl, "drawing masks for the first time"));
  return painter;
}

MaskPainter::MaskPainter(const GlApi& gl, SharedProgram program) : gl_(&gl), painting_(gl, std::move(program)) {}

Status MaskPainter::draw(const TextureRef& picture, const TextureRef& masks, const InputTransform& picture_to_masks) {
  constexpr float kOpacity = 0.45F;
  const auto& m = picture_to_masks.m;
  const GlApi& gl = *gl_;
  const GlStateGuard bindings(gl);
  const DrawStateGuard drawing(gl);
  Pass pass(gl, painting_.linear.id());
  return painting_.target.draw(pass, {&picture, 1}, "the frame under masks", [&] {
    blend(gl);
    pass.uniforms(kPictureBinding, painting_.block, {{m[0], m[1], m[2], 0, m[3], m[4], m[5], 0}, {kOpacity, 0, 0, 0}});
    pass.read(kTextUnit, masks.id);
    pass.draw(painting_.program->id(), painting_.vertex_array.id());
  });
}

}  // namespace sightglass
