// What a compute pass binds, and what it leaves.
#include "gl/pass.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "gl/counting_gl.h"
#include "gl/gl_state_guard.h"
#include "gl/objects.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_state.h"
#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "segment/mask_filters.h"
#include "segment/shaders.h"

namespace sightglass::test {
namespace {

using GlStateGuardTest = GlTest;

// Code in between may bind nothing at all.
TEST_F(GlStateGuardTest, AroundNothingChangesNothing) {
  for (const FrameKind kind : {FrameKind::kRgba, FrameKind::kTwoPlanes, FrameKind::kThreePlanes}) {
    for (const GLenum unit : {GL_TEXTURE0, GL_TEXTURE5}) {
      gl().ActiveTexture(unit);
      const GlState before = snapshot_gl_state(gl());
      { const GlStateGuard guard(gl(), kind); }
      EXPECT_EQ(difference(before, snapshot_gl_state(gl())), "") << to_string(kind);
    }
  }
  gl().ActiveTexture(GL_TEXTURE0);
}

class PassTest : public GlTest {
 protected:
  // Calls since the last call of this function.
  std::map<std::string, int> calls() {
    std::map<std::string, int> result;
    result.swap(gl_calls());
    return result;
  }
  GLint integer(GLenum name) const {
    GLint value = -1;
    gl().GetIntegerv(name, &value);
    return value;
  }
  using Calls = std::map<std::string, int>;
};

TEST_F(PassTest, BindsOnlyWhatChanges) {
  const GlApi counting = counting_gl(gl());
  const GlTexture first = make_texture(gl(), GL_RGBA8, 4, 4), second = make_texture(gl(), GL_RGBA8, 4, 4);
  const GlSampler linear = make_sampler(gl(), GL_LINEAR);
  Pass pass(counting);
  calls();
  pass.read(3, first.id(), linear.id());
  EXPECT_EQ(calls(), (Calls{{"ActiveTexture", 1}, {"BindTexture", 1}, {"BindSampler", 1}}));
  pass.read(3, first.id(), linear.id());
  EXPECT_EQ(calls(), Calls());
  pass.read(3, second.id(), linear.id());
  EXPECT_EQ(calls(), (Calls{{"BindTexture", 1}}));
  pass.read(3, second.id());
  EXPECT_EQ(calls(), (Calls{{"BindSampler", 1}}));
  pass.read(0, first.id());
  EXPECT_EQ(calls(), (Calls{{"ActiveTexture", 1}, {"BindTexture", 1}, {"BindSampler", 1}}));
  pass.write(0, second.id(), GL_RGBA8);
  pass.write(0, second.id(), GL_RGBA8);
  EXPECT_EQ(calls(), (Calls{{"BindImageTexture", 1}}));
}

// Elements of others leave other bindings than those of this project.
TEST_F(PassTest, ExpectsNothingOfTheContext) {
  const GlTexture texture = make_texture(gl(), GL_RGBA8, 4, 4), other = make_texture(gl(), GL_RGBA8, 4, 4);
  const GlSampler linear = make_sampler(gl(), GL_LINEAR);
  gl().BindSampler(0, linear.id());
  gl().ActiveTexture(GL_TEXTURE0 + 5);
  gl().BindTexture(GL_TEXTURE_2D, other.id());
  {
    Pass pass(gl());
    pass.read(0, texture.id());
    EXPECT_EQ(integer(GL_ACTIVE_TEXTURE), GL_TEXTURE0);
    EXPECT_EQ(integer(GL_TEXTURE_BINDING_2D), static_cast<GLint>(texture.id()));
    EXPECT_EQ(integer(GL_SAMPLER_BINDING), 0);
  }
  gl().ActiveTexture(GL_TEXTURE0 + 5);
  EXPECT_EQ(integer(GL_TEXTURE_BINDING_2D), static_cast<GLint>(other.id())) << "not the pass's to clear";
  gl().BindTexture(GL_TEXTURE_2D, 0);
  gl().ActiveTexture(GL_TEXTURE0);
}

TEST_F(PassTest, KeepsTheTexturesOfOthers) {
  const GlTexture texture = make_texture(gl(), GL_RGBA8, 4, 4), other = make_texture(gl(), GL_RGBA8, 4, 4);
  const GlSampler linear = make_sampler(gl(), GL_LINEAR);
  gl().ActiveTexture(GL_TEXTURE0 + 9);
  gl().BindTexture(GL_TEXTURE_2D, other.id());
  gl().BindSampler(9, linear.id());
  {
    Pass pass(gl());
    pass.keep(9);
    pass.read(9, texture.id());
    EXPECT_EQ(integer(GL_TEXTURE_BINDING_2D), static_cast<GLint>(texture.id()));
  }
  EXPECT_EQ(integer(GL_ACTIVE_TEXTURE), GL_TEXTURE0);
  gl().ActiveTexture(GL_TEXTURE0 + 9);
  EXPECT_EQ(integer(GL_TEXTURE_BINDING_2D), static_cast<GLint>(other.id()));
  EXPECT_EQ(integer(GL_SAMPLER_BINDING), static_cast<GLint>(linear.id()));
  gl().BindTexture(GL_TEXTURE_2D, 0);
  gl().BindSampler(9, 0);
  gl().ActiveTexture(GL_TEXTURE0);
}

// Both framebuffers of a pass are bound once, and none is at the end.
TEST_F(PassTest, DrawsAndBlits) {
  const GlApi counting = counting_gl(gl());
  const GlTexture first = make_texture(gl(), GL_RGBA8, 4, 4), second = make_texture(gl(), GL_RGBA8, 4, 4);
  const auto from = make_framebuffer(gl(), "a test", {{.texture = first.id()}});
  const auto to = make_framebuffer(gl(), "a test", {{.texture = second.id()}});
  ASSERT_TRUE(from.ok() && to.ok());
  const GlVertexArray vertices = make_vertex_array(gl());
  {
    Pass pass(counting);
    pass.into(from->id());
    constexpr std::array<GLfloat, 4> kColor{0, 1, 0, 1};
    gl().ClearBufferfv(GL_COLOR, 0, kColor.data());
    pass.use(0, vertices.id());
    EXPECT_EQ(integer(GL_VERTEX_ARRAY_BINDING), static_cast<GLint>(vertices.id()));
    calls();
    pass.blit(from->id(), to->id(), 4, 4);
    EXPECT_EQ(calls(), (Calls{{"BindFramebuffer", 1}, {"BlitFramebuffer", 1}}));
    pass.into(to->id());
    EXPECT_EQ(integer(GL_READ_FRAMEBUFFER_BINDING), static_cast<GLint>(to->id()));
  }
  EXPECT_EQ(integer(GL_READ_FRAMEBUFFER_BINDING), 0);
  EXPECT_EQ(integer(GL_DRAW_FRAMEBUFFER_BINDING), 0);
  EXPECT_EQ(integer(GL_VERTEX_ARRAY_BINDING), 0);
  EXPECT_EQ(download(gl(), second.id(), 4, 4).at(3, 3)[1], 255);
}

TEST_F(PassTest, UnbindsEverything) {
  const GlTexture texture = make_texture(gl(), GL_RGBA8, 4, 4), target = make_texture(gl(), GL_RGBA16F, 4, 4);
  const GlSampler linear = make_sampler(gl(), GL_LINEAR);
  GLuint id = 0;
  gl().GenBuffers(1, &id);
  const GlBuffer buffer(gl(), id);
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, id);
  gl().BufferData(GL_SHADER_STORAGE_BUFFER, 64, nullptr, GL_DYNAMIC_COPY);
  gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
  UniformBlock<std::array<float, 4>> block(gl());
  const auto group = ShareGroup::create(gl(), nullptr, element_shaders());
  const ProgramKey keys[] = {{kIslandCoreShader}};
  const auto programs = value_of(group->programs(keys));
  {
    Pass pass(gl());
    pass.uniforms(1, block, {1, 2, 3, 4});
    pass.storage(2, {id, 0, 64});
    pass.read(FrameRef(TextureRef{texture.id(), GL_TEXTURE_2D, 4, 4}), linear.id(), 0);
    pass.read(5, texture.id(), linear.id());
    pass.write(0, target.id(), GL_RGBA16F);
    pass.dispatch(programs[0]->id(), 1);
    EXPECT_EQ(integer(GL_CURRENT_PROGRAM), static_cast<GLint>(programs[0]->id()));
    const std::array<GLuint, 4> groups{0, 1, 1, 1};
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, id);
    gl().BufferSubData(GL_SHADER_STORAGE_BUFFER, 16, sizeof groups, groups.data());
    gl().BindBuffer(GL_SHADER_STORAGE_BUFFER, 0);
    pass.dispatch_indirect(programs[0]->id(), id, 16);
  }
  EXPECT_EQ(integer(GL_DISPATCH_INDIRECT_BUFFER_BINDING), 0);
  EXPECT_EQ(integer(GL_ACTIVE_TEXTURE), GL_TEXTURE0);
  EXPECT_EQ(integer(GL_CURRENT_PROGRAM), 0);
  for (const GLuint unit : {0U, 5U}) {
    gl().ActiveTexture(GL_TEXTURE0 + unit);
    EXPECT_EQ(integer(GL_TEXTURE_BINDING_2D), 0) << unit;
    EXPECT_EQ(integer(GL_SAMPLER_BINDING), 0) << unit;
  }
  gl().ActiveTexture(GL_TEXTURE0);
  const auto indexed = [&](GLenum name, GLuint index) {
    GLint value = -1;
    gl().GetIntegeri_v(name, index, &value);
    return value;
  };
  EXPECT_EQ(indexed(GL_IMAGE_BINDING_NAME, 0), 0);
  EXPECT_EQ(indexed(GL_SHADER_STORAGE_BUFFER_BINDING, 2), 0);
  EXPECT_EQ(indexed(GL_UNIFORM_BUFFER_BINDING, 1), 0);
}

// Dispatches share bindings: five of them need 50 calls at most.
TEST_F(PassTest, DispatchesShareBindings) {
  const GlTexture mask = make_texture(gl(), GL_RGBA8, 64, 64);
  auto cleaner = value_of(MaskCleaner::create(ShareGroup::create(counting_gl(gl()), nullptr, element_shaders()),
                                              {mask.id(), GL_TEXTURE_2D, 64, 64}));
  const MaskCleaner::Parts all{.islands = true, .holes = true};
  cleaner.run(all);
  calls();
  cleaner.run(all);
  int total = 0;
  for (const auto& [name, count] : calls()) total += count;
  std::printf("%d GL calls\n", total);
  EXPECT_LE(total, 50);
}

}  // namespace
}  // namespace sightglass::test
