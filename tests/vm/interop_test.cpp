// interop on real DMABUFs of the camera and the display in the virtual machine.
#include <drm_fourcc.h>
#include <gtest/gtest.h>
#include <linux/videodev2.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/value_of.h"
#include "open_files.h"
#include "sightglass/gl_api.h"
#include "sightglass/gl_objects.h"
#include "sightglass/interop/dmabuf_cache.h"
#include "sightglass/interop/dmabuf_import.h"
#include "sightglass/interop/draw_fence.h"
#include "sightglass/interop/draw_target.h"
#include "sightglass/interop/egl_context.h"
#include "sightglass/interop/gbm_buffer.h"
#include "v4l2_camera.h"

namespace sightglass::interop {
namespace {

using test::V4l2Camera;
using test::value_of;

constexpr int32_t kWidth = 320, kHeight = 180;
constexpr uint64_t kTiled = 0x0100'0000'0000'0001;

class InteropTest : public ::testing::Test {
 protected:
  void SetUp() override {
    display_ = value_of(Display::open_gbm("/dev/dri/card0"));
    device_ = value_of(display_->device());
    context_ = value_of(Context::create(display_, GlFlavour::kEs31));
    current_.emplace(*context_);
    ASSERT_TRUE(current_->ok()) << current_->status().message();
    gl_ = value_of(GlApi::load(Context::get_proc_address));
    importer_ = value_of(DmabufImporter::create(display_));
  }

  // The texels as shaders read them: four bytes each.
  std::vector<uint8_t> read(const DmabufTexture& texture) {
    const bool external = texture.target == GL_TEXTURE_EXTERNAL_OES;
    const std::string source =
        std::string("#version 310 es\n") + (external ? "#extension GL_OES_EGL_image_external_essl3 : require\n" : "") +
        "precision highp float;\nprecision highp int;\nlayout(local_size_x = 8, local_size_y = 4) in;\n" +
        "uniform highp " + (external ? "samplerExternalOES" : "sampler2D") + " frame;\nuniform vec4 size;\n" +
        "layout(std430, binding = 0) writeonly buffer Texels { uint texels[]; };\n" +
        "void main() {\n  ivec2 at = ivec2(gl_GlobalInvocationID.xy), all = ivec2(size.xy);\n" +
        "  if (any(greaterThanEqual(at, all))) return;\n  texels[at.y * all.x + at.x] = packUnorm4x8(" +
        (external ? "texture(frame, (vec2(at) + 0.5) / vec2(all))" : "texelFetch(frame, at, 0)") + ");\n}\n";
    const GLuint shader = gl_.CreateShader(GL_COMPUTE_SHADER), program = gl_.CreateProgram();
    const char* text = source.c_str();
    gl_.ShaderSource(shader, 1, &text, nullptr);
    gl_.CompileShader(shader);
    gl_.AttachShader(program, shader);
    gl_.LinkProgram(program);
    GLint linked = 0;
    gl_.GetProgramiv(program, GL_LINK_STATUS, &linked);
    EXPECT_EQ(linked, GL_TRUE);
    const size_t size = static_cast<size_t>(texture.width) * static_cast<size_t>(texture.height) * 4;
    GLuint buffer = 0;
    gl_.GenBuffers(1, &buffer);
    gl_.BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
    gl_.BufferData(GL_SHADER_STORAGE_BUFFER, static_cast<GLsizeiptr>(size), nullptr, GL_DYNAMIC_READ);
    gl_.UseProgram(program);
    gl_.ActiveTexture(GL_TEXTURE0);
    gl_.BindTexture(texture.target, texture.name);
    gl_.Uniform1i(gl_.GetUniformLocation(program, "frame"), 0);
    gl_.Uniform4f(gl_.GetUniformLocation(program, "size"), static_cast<float>(texture.width),
                  static_cast<float>(texture.height), 0, 0);
    gl_.DispatchCompute(static_cast<GLuint>(texture.width + 7) / 8, static_cast<GLuint>(texture.height + 3) / 4, 1);
    gl_.MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    std::vector<uint8_t> texels(size);
    const void* mapped =
        gl_.MapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, static_cast<GLsizeiptr>(size), GL_MAP_READ_BIT);
    if (mapped != nullptr) std::copy_n(static_cast<const uint8_t*>(mapped), size, texels.data());
    gl_.UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    gl_.BindTexture(texture.target, 0);
    gl_.DeleteBuffers(1, &buffer);
    gl_.UseProgram(0);
    gl_.DeleteProgram(program);
    gl_.DeleteShader(shader);
    EXPECT_EQ(gl_.GetError(), static_cast<GLenum>(GL_NO_ERROR));
    return texels;
  }

  std::shared_ptr<Display> display_;
  std::shared_ptr<const GbmDevice> device_;
  std::unique_ptr<Context> context_;
  std::optional<ScopedMakeCurrent> current_;
  GlApi gl_;
  std::shared_ptr<const DmabufImporter> importer_;
};

struct Case {
  const char* name;
  uint32_t v4l2, fourcc;
  DmabufImport how;
};

constexpr Case kCases[] = {
    {"BGRx", V4L2_PIX_FMT_XBGR32, DRM_FORMAT_XRGB8888, DmabufImport::kImage},
    {"BGRxExternal", V4L2_PIX_FMT_XBGR32, DRM_FORMAT_XRGB8888, DmabufImport::kImageExternal},
    {"RGBA", V4L2_PIX_FMT_RGBA32, DRM_FORMAT_ABGR8888, DmabufImport::kImage},
    {"YUYV", V4L2_PIX_FMT_YUYV, DRM_FORMAT_YUYV, DmabufImport::kImage},
    {"YUYVExternal", V4L2_PIX_FMT_YUYV, DRM_FORMAT_YUYV, DmabufImport::kImageExternal},
    {"NV12", V4L2_PIX_FMT_NV12, DRM_FORMAT_NV12, DmabufImport::kPlanes},
    {"NV21", V4L2_PIX_FMT_NV21, DRM_FORMAT_NV21, DmabufImport::kPlanes},
    {"I420", V4L2_PIX_FMT_YUV420, DRM_FORMAT_YUV420, DmabufImport::kPlanes},
    {"YV12", V4L2_PIX_FMT_YVU420, DRM_FORMAT_YVU420, DmabufImport::kPlanes},
};

// The V4L2 layout of the planes of these formats in one buffer.
DmabufFrame frame_of(const Case& format, const V4l2Camera& camera, size_t index) {
  DmabufFrame frame;
  frame.width = kWidth;
  frame.height = kHeight;
  frame.fourcc = format.fourcc;
  const int fd = camera.buffers()[index].dmabuf.get();
  const uint32_t stride = camera.stride(), luma = stride * kHeight;
  frame.planes[0] = {fd, 0, stride};
  frame.plane_count = 1;
  if (format.fourcc == DRM_FORMAT_NV12 || format.fourcc == DRM_FORMAT_NV21) {
    frame.planes[1] = {fd, luma, stride};
    frame.plane_count = 2;
  } else if (format.fourcc == DRM_FORMAT_YUV420 || format.fourcc == DRM_FORMAT_YVU420) {
    frame.planes[1] = {fd, luma, stride / 2};
    frame.planes[2] = {fd, luma + luma / 4, stride / 2};
    frame.plane_count = 3;
  }
  return frame;
}

// BT.601, limited range.
std::array<uint8_t, 3> rgb_of(int y, int u, int v) {
  const double luma = 255.0 / 219 * (y - 16), cb = 255.0 / 224 * (u - 128), cr = 255.0 / 224 * (v - 128);
  const auto byte = [](double value) { return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))); };
  return {byte(luma + 1.402 * cr), byte(luma - 0.344136 * cb - 0.714136 * cr), byte(luma + 1.772 * cb)};
}

// The largest difference between the texels of a texture and the bytes of its plane.
int largest_difference(const DmabufTexture& texture, const std::vector<uint8_t>& texels, const uint8_t* plane,
                       uint32_t stride) {
  int largest = 0;
  for (int32_t y = 0; y < texture.height; ++y) {
    const uint8_t* row = plane + static_cast<size_t>(y) * stride;
    for (int32_t x = 0; x < texture.width; ++x) {
      std::array<uint8_t, 3> expected = {};
      int channels = 3;
      switch (texture.fourcc) {
        case DRM_FORMAT_XRGB8888:
          expected = {row[4 * x + 2], row[4 * x + 1], row[4 * x]};
          break;
        case DRM_FORMAT_ABGR8888:
          expected = {row[4 * x], row[4 * x + 1], row[4 * x + 2]};
          break;
        case DRM_FORMAT_YUYV: {
          const uint8_t* pair = row + static_cast<ptrdiff_t>(x / 2) * 4;
          expected = rgb_of(pair[x % 2 * 2], pair[1], pair[3]);
          break;
        }
        case DRM_FORMAT_R8:
          expected = {row[x]}, channels = 1;
          break;
        case DRM_FORMAT_GR88:
          expected = {row[2 * x], row[2 * x + 1]}, channels = 2;
          break;
        default:
          return 256;
      }
      const uint8_t* texel = &texels[(static_cast<size_t>(y) * static_cast<size_t>(texture.width) + x) * 4];
      for (int c = 0; c < channels; ++c) {
        largest = std::max(largest, std::abs(texel[c] - expected[static_cast<size_t>(c)]));
      }
    }
  }
  return largest;
}

class ImportTest : public InteropTest, public ::testing::WithParamInterface<Case> {};

TEST_P(ImportTest, ShowsTheBufferContents) {
  const Case& format = GetParam();
  std::string why;
  const auto camera = V4l2Camera::open(format.v4l2, kWidth, kHeight, why);
  ASSERT_NE(camera, nullptr) << why;
  EXPECT_TRUE(importer_->importable(format.fourcc, kModifierInvalid, format.how));
  ASSERT_TRUE(camera->start());
  const int index = camera->take();
  ASSERT_GE(index, 0);
  const V4l2Camera::Buffer& buffer = camera->buffers()[static_cast<size_t>(index)];
  const DmabufFrame frame = frame_of(format, *camera, static_cast<size_t>(index));
  auto textures = value_of(importer_->import(frame, format.how));
  ASSERT_EQ(textures.textures().size(), format.how == DmabufImport::kPlanes ? frame.plane_count : 1U);
  const bool exact = format.fourcc != DRM_FORMAT_YUYV;
  const auto compare = [&] {
    int largest = 0;
    for (size_t i = 0; i < textures.textures().size(); ++i) {
      const DmabufTexture& texture = textures.textures()[i];
      largest = std::max(largest, largest_difference(texture, read(texture), buffer.bytes + frame.planes[i].offset,
                                                     frame.planes[i].stride));
    }
    return largest;
  };
  const int seen = compare();
  // No byte equals its neighbors. The textures are the same, without another import.
  uint32_t random = 1;
  for (size_t i = 0; i < buffer.size; ++i)
    buffer.bytes[i] = static_cast<uint8_t>((random = random * 1664525 + 1013904223) >> 24);
  const int written = compare();
  std::printf("vm: %zu textures, largest difference to the camera's frame %d, to random bytes %d of 255\n",
              textures.textures().size(), seen, written);
  EXPECT_LE(seen, exact ? 0 : 3);
  EXPECT_LE(written, exact ? 0 : 3);
}

INSTANTIATE_TEST_SUITE_P(Formats, ImportTest, ::testing::ValuesIn(kCases),
                         [](const auto& format) { return std::string(format.param.name); });

TEST_F(InteropTest, DriverReportsImportableFormats) {
  const DmabufFormats& formats = importer_->formats();
  ASSERT_TRUE(formats.known());
  std::string list;
  for (const DmabufFormat& format : formats.formats()) list += " " + fourcc_text(format.fourcc);
  std::printf("vm: formats%s\n", list.c_str());
  for (const uint32_t fourcc :
       {DRM_FORMAT_XRGB8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_YUYV, DRM_FORMAT_R8, DRM_FORMAT_GR88}) {
    EXPECT_NE(formats.find(fourcc), nullptr) << fourcc_text(fourcc);
  }
  EXPECT_FALSE(importer_->importable(DRM_FORMAT_XRGB8888, kTiled, DmabufImport::kImage));
  EXPECT_FALSE(importer_->importable(DRM_FORMAT_YUYV, kModifierLinear, DmabufImport::kPlanes));
}

TEST_F(InteropTest, ErrorsNameFormatModifierAndAlternatives) {
  std::string why;
  const auto camera = V4l2Camera::open(V4L2_PIX_FMT_XBGR32, kWidth, kHeight, why);
  ASSERT_NE(camera, nullptr) << why;
  const DmabufFrame good = frame_of(kCases[0], *camera, 0);
  const auto refused = [&](const DmabufFrame& frame, DmabufImport how, const std::vector<std::string>& words) {
    auto textures = importer_->import(frame, how);
    ASSERT_FALSE(textures.ok());
    std::printf("vm: %s\n", textures.status().message().c_str());
    for (const std::string& word : words) EXPECT_NE(textures.status().message().find(word), std::string::npos) << word;
  };
  DmabufFrame frame = good;
  frame.modifier = kTiled;
  refused(frame, DmabufImport::kImage, {"XR24", "0x0100000000000001", "the driver imports XR24 as LINEAR"});
  frame = good;
  frame.planes[0].offset = 4096;
  refused(frame, DmabufImport::kImage, {"XR24", "offset 4096", "plane 0", "233472 bytes"});
  frame = good;
  frame.planes[0].stride = kWidth * 4 - 4;
  refused(frame, DmabufImport::kImage, {"stride of 1276", "1280"});
  frame = good;
  frame.fourcc = DRM_FORMAT_YUYV;
  refused(frame, DmabufImport::kPlanes, {"YUYV", "as an image"});
  frame = good;
  frame.fourcc = DRM_FORMAT_RGB888;
  if (importer_->formats().find(frame.fourcc) == nullptr) {
    refused(frame, DmabufImport::kImage, {"RG24", "the driver imports", "XR24", "but no RG24"});
  }
  EXPECT_EQ(gl_.GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

TEST_F(InteropTest, ThousandFramesAreImportedOncePerBuffer) {
  const test::OpenFiles start = test::open_files();
  {
    std::string why;
    const auto camera = V4l2Camera::open(V4L2_PIX_FMT_NV12, kWidth, kHeight, why);
    ASSERT_NE(camera, nullptr) << why;
    DmabufCache cache(importer_, 8);
    ASSERT_TRUE(camera->start());
    const Case& format = kCases[5];
    test::OpenFiles settled = {};
    for (int i = 0; i < 1000; ++i) {
      const int index = camera->take();
      ASSERT_GE(index, 0) << i;
      const DmabufFrame frame = frame_of(format, *camera, static_cast<size_t>(index));
      auto textures = value_of(cache.get(frame, format.how));
      if (i % 250 == 249) {
        const DmabufTexture& luma = textures->textures()[0];
        EXPECT_EQ(
            largest_difference(luma, read(luma), camera->buffers()[static_cast<size_t>(index)].bytes, camera->stride()),
            0);
      }
      ASSERT_TRUE(camera->give_back(index));
      if (i == 20) settled = test::open_files();
    }
    const test::OpenFiles end = test::open_files();
    std::printf("vm: %llu hits, %llu imports; descriptors %d, then %d; DMABUFs %d, then %d\n",
                static_cast<unsigned long long>(cache.hits()), static_cast<unsigned long long>(cache.misses()),
                settled.descriptors, end.descriptors, settled.dmabufs, end.dmabufs);
    EXPECT_EQ(cache.misses(), camera->buffers().size());
    EXPECT_EQ(cache.hits(), 1000 - camera->buffers().size());
    EXPECT_EQ(cache.evictions(), 0U);
    EXPECT_EQ(end.descriptors, settled.descriptors);
    EXPECT_EQ(end.dmabufs, settled.dmabufs);
  }
  EXPECT_EQ(test::open_files().descriptors, start.descriptors);
  // Mesa contexts keep the buffer that their last draw or dispatch read.
  current_.reset();
  context_.reset();
  EXPECT_EQ(test::open_files().dmabufs, start.dmabufs);
}

// A thousand imports without a cache release all resources.
TEST_F(InteropTest, ImportsLeaveNothingBehind) {
  std::string why;
  const auto camera = V4l2Camera::open(V4L2_PIX_FMT_YUV420, kWidth, kHeight, why);
  ASSERT_NE(camera, nullptr) << why;
  const DmabufFrame frame = frame_of(kCases[7], *camera, 0);
  GLint bound = 0;
  GLuint mine = 0;
  gl_.GenTextures(1, &mine);
  gl_.BindTexture(GL_TEXTURE_2D, mine);
  const test::OpenFiles start = test::open_files();
  for (int i = 0; i < 1000; ++i) {
    auto textures = value_of(importer_->import(frame, DmabufImport::kPlanes));
    ASSERT_EQ(textures.textures().size(), 3U);
  }
  const test::OpenFiles end = test::open_files();
  EXPECT_EQ(end.descriptors, start.descriptors);
  EXPECT_EQ(end.dmabufs, start.dmabufs);
  gl_.GetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  EXPECT_EQ(static_cast<GLuint>(bound), mine);
  gl_.DeleteTextures(1, &mine);
}

// Drawn by GL, read through the DMABUF.
TEST_F(InteropTest, GbmBuffersAreDrawnInto) {
  for (const uint32_t fourcc : {DRM_FORMAT_XRGB8888, DRM_FORMAT_ABGR8888}) {
    auto buffer = value_of(GbmBuffer::create(device_, 64, 32, fourcc, GbmBuffer::kRender | GbmBuffer::kScanOut));
    const DmabufFrame& frame = buffer->frame();
    auto textures = value_of(importer_->import(frame, DmabufImport::kImage));
    GLuint framebuffer = 0;
    gl_.GenFramebuffers(1, &framebuffer);
    gl_.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl_.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures.textures()[0].name, 0);
    ASSERT_EQ(gl_.CheckFramebufferStatus(GL_FRAMEBUFFER), static_cast<GLenum>(GL_FRAMEBUFFER_COMPLETE));
    const float color[] = {0x11 / 255.0F, 0x22 / 255.0F, 0x33 / 255.0F, 1};
    gl_.ClearBufferfv(GL_COLOR, 0, color);
    gl_.Finish();
    const size_t size = frame.planes[0].offset + size_t{32} * frame.planes[0].stride;
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, frame.planes[0].fd, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    const auto* pixel =
        static_cast<const uint8_t*>(mapped) + frame.planes[0].offset + 31 * frame.planes[0].stride + 63 * 4;
    const bool blue_first = fourcc == DRM_FORMAT_XRGB8888;
    EXPECT_EQ(pixel[blue_first ? 2 : 0], 0x11);
    EXPECT_EQ(pixel[1], 0x22);
    EXPECT_EQ(pixel[blue_first ? 0 : 2], 0x33);
    std::printf("vm: %s\n", describe(frame).c_str());
    munmap(mapped, size);
    gl_.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl_.DeleteFramebuffers(1, &framebuffer);
  }
  auto refused = GbmBuffer::create(device_, 64, 32, 0x12345678, GbmBuffer::kRender);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("0x12345678"), std::string::npos) << refused.status().message();
}

// Exported frames, as in gldmabufexport: drawn through their textures, read through the DMABUF.
TEST_F(InteropTest, DrawTargetsHoldWhatIsDrawn) {
  auto targets = value_of(DrawTargets::create(display_, display_->device()));
  const auto fence = DrawFence::create(display_, true);
  const auto draw = [&](const DmabufTexture& texture, const float* color) {
    GLuint framebuffer = 0;
    gl_.GenFramebuffers(1, &framebuffer);
    gl_.BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    gl_.FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture.name, 0);
    gl_.ClearBufferfv(GL_COLOR, 0, color);
    gl_.BindFramebuffer(GL_FRAMEBUFFER, 0);
    gl_.DeleteFramebuffers(1, &framebuffer);
  };
  const float first[] = {0x11 / 255.0F, 0x22 / 255.0F, 0x33 / 255.0F, 1},
              second[] = {0x44 / 255.0F, 0x55 / 255.0F, 0, 1};
  for (const uint32_t fourcc : {DRM_FORMAT_XRGB8888, DRM_FORMAT_ABGR8888, DRM_FORMAT_NV12}) {
    EXPECT_TRUE(targets->possible(fourcc, kModifierLinear)) << fourcc_text(fourcc);
    auto target = value_of(targets->make({65, 33, fourcc}));
    const DmabufFrame& frame = target->frame();
    EXPECT_EQ(frame.modifier, kModifierLinear);
    const auto& textures = target->textures();
    ASSERT_EQ(textures.size(), fourcc == DRM_FORMAT_NV12 ? 2U : 1U);
    for (size_t i = 0; i < textures.size(); ++i) draw(textures[i], i == 0 ? first : second);
    auto wait = value_of(fence->publish(frame));
    EXPECT_EQ(wait, DrawFence::Wait::kOnCpu);
    const off_t size = lseek(frame.planes[0].fd, 0, SEEK_END);
    void* mapped = mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_SHARED, frame.planes[0].fd, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    const auto at = [&](size_t plane, size_t row, size_t byte) {
      const DmabufPlane& where = frame.planes[plane];
      return static_cast<const uint8_t*>(mapped)[where.offset + row * where.stride + byte];
    };
    if (fourcc == DRM_FORMAT_NV12) {
      EXPECT_EQ(frame.planes[1].offset, frame.planes[0].stride * 33);
      EXPECT_EQ(at(0, 32, 64), 0x11);
      EXPECT_EQ(at(1, 0, 0), 0x44);
      EXPECT_EQ(at(1, 16, 64), 0x44);
      EXPECT_EQ(at(1, 16, 65), 0x55);
    } else {
      const bool blue_first = fourcc == DRM_FORMAT_XRGB8888;
      EXPECT_EQ(at(0, 32, 64 * 4 + (blue_first ? 2 : 0)), 0x11);
      EXPECT_EQ(at(0, 32, 64 * 4 + 1), 0x22);
      EXPECT_EQ(at(0, 32, 64 * 4 + (blue_first ? 0 : 2)), 0x33);
    }
    munmap(mapped, static_cast<size_t>(size));
    std::printf("vm: %s, %lld bytes\n", describe(frame).c_str(), static_cast<long long>(size));
  }
  auto refused = targets->make({64, 32, DRM_FORMAT_XRGB8888, {kTiled}});
  ASSERT_FALSE(refused.ok());
  std::printf("vm: %s\n", refused.status().message().c_str());
  EXPECT_NE(refused.status().message().find("0x0100000000000001"), std::string::npos) << refused.status().message();
  EXPECT_NE(refused.status().message().find("the driver imports XR24 as LINEAR"), std::string::npos)
      << refused.status().message();
  EXPECT_EQ(gl_.GetError(), static_cast<GLenum>(GL_NO_ERROR));
}

}  // namespace
}  // namespace sightglass::interop
