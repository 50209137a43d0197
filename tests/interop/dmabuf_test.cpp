// Tests without a device: frame descriptions, format lists, the cache, and file descriptors. Plain memory files replace
// buffers. tests/vm imports real ones.
#include "sightglass/interop/dmabuf.h"

#include <drm_fourcc.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>
#include <utility>

#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "sightglass/interop/dmabuf_cache.h"
#include "sightglass/interop/dmabuf_formats.h"
#include "sightglass/interop/dmabuf_import.h"
#include "sightglass/interop/draw_fence.h"
#include "sightglass/interop/draw_target.h"
#include "sightglass/interop/unique_fd.h"

namespace sightglass::interop {
namespace {

using test::expect_failure;
using test::value_of;

constexpr uint64_t kTiled = 0x0100'0000'0000'0002;

UniqueFd memory(off_t bytes) {
  UniqueFd fd(memfd_create("buffer", MFD_CLOEXEC));
  EXPECT_TRUE(fd.valid());
  EXPECT_EQ(ftruncate(fd.get(), bytes), 0);
  return fd;
}

DmabufFrame rgb_frame(int fd) {
  DmabufFrame frame;
  frame.width = 10;
  frame.height = 4;
  frame.fourcc = DRM_FORMAT_XRGB8888;
  frame.plane_count = 1;
  frame.planes[0] = {fd, 0, 64};
  return frame;
}

DmabufFrame nv12_frame(int fd) {
  DmabufFrame frame;
  frame.width = 9;
  frame.height = 5;
  frame.fourcc = DRM_FORMAT_NV12;
  frame.modifier = kModifierLinear;
  frame.plane_count = 2;
  frame.planes[0] = {fd, 16, 32};
  frame.planes[1] = {fd, 176, 32};
  return frame;
}

void expect_refused(const DmabufFrame& frame, const std::vector<std::string>& words) {
  const Status status = check(frame);
  EXPECT_EQ(status.code(), ErrorCode::kInvalidArgument);
  for (const std::string& word : words) EXPECT_NE(status.message().find(word), std::string::npos) << status.message();
}

TEST(DmabufText, NamesFormatsAndModifiers) {
  EXPECT_EQ(fourcc_text(DRM_FORMAT_NV12), "NV12");
  EXPECT_EQ(fourcc_text(DRM_FORMAT_R8), "R8");
  EXPECT_EQ(fourcc_text(1), "0x00000001");
  EXPECT_EQ(modifier_text(DRM_FORMAT_MOD_LINEAR), "LINEAR");
  EXPECT_EQ(modifier_text(DRM_FORMAT_MOD_INVALID), "implicit");
  EXPECT_EQ(modifier_text(kTiled), "0x0100000000000002");
}

TEST(DmabufCheck, AcceptsPlanesWithinTheBuffer) {
  // The last row needs only its pixels: 3 strides and 40 bytes.
  const UniqueFd exact = memory(3 * 64 + 40);
  EXPECT_TRUE(check(rgb_frame(exact.get())).ok());
  // With odd sizes, chroma covers the half pixels: 3 rows of 5 pairs.
  const UniqueFd planes = memory(176 + 2 * 32 + 10);
  EXPECT_TRUE(check(nv12_frame(planes.get())).ok());
}

TEST(DmabufCheck, ErrorsNameTheFault) {
  const UniqueFd small = memory(3 * 64 + 39);
  expect_refused(rgb_frame(small.get()), {"plane 0", "XR24", "implicit", "10x4", "ends at byte 232", "231 bytes"});
  const UniqueFd planes = memory(176 + 2 * 32 + 9);
  expect_refused(nv12_frame(planes.get()), {"plane 1", "NV12", "LINEAR", "offset 176", "3 rows", "stride 32"});

  const UniqueFd buffer = memory(4096);
  DmabufFrame frame = rgb_frame(buffer.get());
  frame.planes[0].stride = 39;
  expect_refused(frame, {"stride of 39", "a row takes 40"});
  frame = rgb_frame(buffer.get());
  frame.planes[0].offset = 0xffff'fff0;
  expect_refused(frame, {"offset 4294967280", "4096 bytes"});
  frame.planes[0] = {buffer.get(), 0, 0xffff'ffff};
  expect_refused(frame, {"stride 4294967295", "4096 bytes"});
  frame = rgb_frame(-1);
  expect_refused(frame, {"file descriptor -1", "Bad file descriptor"});
  frame = rgb_frame(buffer.get());
  frame.width = 0;
  expect_refused(frame, {"0x4", "invalid size"});
  frame.width = 1 << 30;
  expect_refused(frame, {"invalid size"});
  frame = rgb_frame(buffer.get());
  frame.fourcc = 0x12345678;
  expect_refused(frame, {"0x12345678", "unknown format", "XR24", "NV12", "YUYV"});
  frame = nv12_frame(buffer.get());
  frame.plane_count = 1;
  expect_refused(frame, {"NV12", "1 planes", "has 2"});
  frame.plane_count = 99;
  expect_refused(frame, {"99 planes"});
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const UniqueFd reading(pipe_ends[0]), writing(pipe_ends[1]);
  expect_refused(rgb_frame(reading.get()), {"is not a buffer", "Illegal seek"});
}

TEST(DmabufCheck, ChecksOnlyTheStartOfTiledPlanes) {
  const UniqueFd buffer = memory(100);
  DmabufFrame frame = rgb_frame(buffer.get());
  frame.modifier = kTiled;
  frame.planes[0].stride = 8;
  EXPECT_TRUE(check(frame).ok());
  frame.planes[1] = {buffer.get(), 50, 8};
  frame.plane_count = 2;
  EXPECT_TRUE(check(frame).ok());
  frame.planes[1].offset = 100;
  expect_refused(frame, {"plane 1", "0x0100000000000002", "offset 100"});
}

TEST(DmabufFormats, ListImportableFormats) {
  const DmabufFormats formats({{DRM_FORMAT_XRGB8888, {{kModifierLinear, false}, {kTiled, false}}},
                               {DRM_FORMAT_NV12, {{kModifierLinear, true}}},
                               {DRM_FORMAT_R8, {}}});
  EXPECT_TRUE(formats.importable(DRM_FORMAT_XRGB8888, kTiled));
  EXPECT_TRUE(formats.importable(DRM_FORMAT_XRGB8888, kModifierInvalid));
  EXPECT_FALSE(formats.importable(DRM_FORMAT_NV12, kTiled));
  EXPECT_TRUE(formats.importable(DRM_FORMAT_R8, kModifierLinear));
  EXPECT_FALSE(formats.importable(DRM_FORMAT_R8, kTiled));
  EXPECT_FALSE(formats.importable(DRM_FORMAT_YUYV, kModifierLinear));
  EXPECT_TRUE(formats.external_only(DRM_FORMAT_NV12, kModifierLinear));
  EXPECT_TRUE(formats.external_only(DRM_FORMAT_NV12, kModifierInvalid));
  EXPECT_FALSE(formats.external_only(DRM_FORMAT_XRGB8888, kModifierInvalid));
  EXPECT_EQ(formats.what_would_work(DRM_FORMAT_XRGB8888), "the driver imports XR24 as LINEAR, 0x0100000000000002");
  EXPECT_EQ(formats.what_would_work(DRM_FORMAT_NV12), "the driver imports NV12 as LINEAR (external-oes)");
  EXPECT_EQ(formats.what_would_work(DRM_FORMAT_R8), "the driver imports R8 as LINEAR");
  EXPECT_EQ(formats.what_would_work(DRM_FORMAT_YUYV), "the driver imports XR24 NV12 R8 but no YUYV");

  const DmabufFormats unknown({}, false);
  EXPECT_TRUE(unknown.importable(DRM_FORMAT_NV12, kModifierInvalid));
  EXPECT_FALSE(unknown.importable(DRM_FORMAT_NV12, kTiled));
  EXPECT_NE(unknown.what_would_work(DRM_FORMAT_NV12).find("does not report"), std::string::npos);
}

class DmabufCacheTest : public ::testing::Test {
 protected:
  DmabufCache make(size_t capacity) {
    return DmabufCache(
        [this](const DmabufFrame&, DmabufImport) -> Result<DmabufTextures> {
          if (fails_) return device_error("no");
          return DmabufTextures();
        },
        capacity);
  }
  bool fails_ = false;
};

TEST_F(DmabufCacheTest, RecognizesBuffersNotDescriptors) {
  DmabufCache cache = make(8);
  UniqueFd first = memory(4096);
  ASSERT_TRUE(cache.get(rgb_frame(first.get()), DmabufImport::kImage).ok());
  // The same buffer with another descriptor number.
  const UniqueFd other(dup(first.get()));
  ASSERT_TRUE(cache.get(rgb_frame(other.get()), DmabufImport::kImage).ok());
  EXPECT_EQ(cache.hits(), 1U);
  // Another buffer with the same descriptor number.
  const int number = first.get();
  first.reset();
  UniqueFd second = memory(4096);
  ASSERT_EQ(dup2(second.get(), number), number);
  const UniqueFd reused(number == second.get() ? -1 : number);
  ASSERT_TRUE(cache.get(rgb_frame(number), DmabufImport::kImage).ok());
  EXPECT_EQ(cache.hits(), 1U);
  EXPECT_EQ(cache.misses(), 2U);
}

TEST_F(DmabufCacheTest, EveryRelevantFieldDistinguishesFrames) {
  DmabufCache cache = make(32);
  const UniqueFd buffer = memory(4096);
  const DmabufFrame frame = rgb_frame(buffer.get());
  const auto changed = [&](auto change) {
    DmabufFrame other = frame;
    change(other);
    return cache.get(other, DmabufImport::kImage).ok();
  };
  EXPECT_TRUE(changed([](DmabufFrame&) {}));
  EXPECT_TRUE(changed([](DmabufFrame& f) { f.planes[0].offset = 64; }));
  EXPECT_TRUE(changed([](DmabufFrame& f) { f.planes[0].stride = 128; }));
  EXPECT_TRUE(changed([](DmabufFrame& f) { f.fourcc = DRM_FORMAT_XBGR8888; }));
  EXPECT_TRUE(changed([](DmabufFrame& f) { f.modifier = kModifierLinear; }));
  EXPECT_TRUE(changed([](DmabufFrame& f) { f.width = 9; }));
  EXPECT_TRUE(changed([](DmabufFrame& f) { f.height = 3; }));
  EXPECT_TRUE(changed([](DmabufFrame& f) { f.yuv_matrix = YuvMatrix::kBt709; }));
  EXPECT_TRUE(changed([](DmabufFrame& f) { f.yuv_full_range = true; }));
  EXPECT_TRUE(cache.get(frame, DmabufImport::kPlanes).ok());
  EXPECT_EQ(cache.misses(), 10U);
  EXPECT_EQ(cache.hits(), 0U);
  EXPECT_EQ(cache.size(), 10U);
  cache.clear();
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(DmabufCacheTest, EvictsTheLeastRecentlyUsed) {
  DmabufCache cache = make(2);
  const UniqueFd a = memory(4096), b = memory(4096), c = memory(4096);
  const auto get = [&](const UniqueFd& fd) { EXPECT_TRUE(cache.get(rgb_frame(fd.get()), DmabufImport::kImage).ok()); };
  get(a);
  get(b);
  get(a);
  get(c);  // in place of b
  EXPECT_EQ(cache.evictions(), 1U);
  EXPECT_EQ(cache.size(), 2U);
  get(a);
  EXPECT_EQ(cache.hits(), 2U);
  get(b);
  EXPECT_EQ(cache.misses(), 4U);
}

TEST_F(DmabufCacheTest, KeepsNoFailures) {
  DmabufCache cache = make(2);
  const UniqueFd buffer = memory(4096);
  fails_ = true;
  auto failed = cache.get(rgb_frame(buffer.get()), DmabufImport::kImage);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().message(), "no");
  EXPECT_EQ(cache.size(), 0U);
  fails_ = false;
  EXPECT_TRUE(cache.get(rgb_frame(buffer.get()), DmabufImport::kImage).ok());
  expect_failure(cache.get(rgb_frame(-1), DmabufImport::kImage), {"file descriptor -1"});
}

// The display of the tests may or may not import DMABUFs. In both cases, it must reject a file that is not a DMABUF.
class DmabufImportTest : public test::GlTest {};

TEST_F(DmabufImportTest, RejectsFilesThatAreNotDmabufs) {
  // The fixture keeps its display. A second reference is enough here.
  const auto display = Display::borrow(context().display().handle(), "the tests' display");
  auto importer = DmabufImporter::create(display);
  if (!importer.ok()) {
    EXPECT_NE(importer.status().message().find("EGL_EXT_image_dma_buf_import"), std::string::npos)
        << importer.status().message();
    EXPECT_NE(importer.status().message().find("the tests' display"), std::string::npos) << importer.status().message();
    return;
  }
  const ScopedMakeCurrent current(context());
  const UniqueFd file = memory(4096);
  auto textures = (*importer)->import(rgb_frame(file.get()), DmabufImport::kImage);
  // From version 25 on, the Mesa software renderer accepts any memory that it can map.
  if (textures.ok()) GTEST_SKIP() << "this driver accepts a memfd as a DMABUF";
  EXPECT_NE(textures.status().message().find("XR24"), std::string::npos) << textures.status().message();
}

TEST_F(DmabufImportTest, DrawingNeedsADevice) {
  const ScopedMakeCurrent current(context());
  auto display = value_of(Display::current());
  EXPECT_EQ(display->handle(), context().display().handle());
  auto device = display->device();
  if (device.ok()) GTEST_SKIP() << "GL of this machine draws on " << (*device)->name();
  std::printf("%s\n", device.status().message().c_str());
  EXPECT_NE(device.status().message().find("device"), std::string::npos);
  auto targets = DrawTargets::create(display, device);
  if (targets.ok()) {
    // Textures are exported in this layout, or with an error.
    DrawRequest request{64, 32, DRM_FORMAT_NV12};
    expect_failure((*targets)->make(request), {"NV12"});
  } else {
    EXPECT_NE(targets.status().message().find(device.status().message()), std::string::npos)
        << targets.status().message();
    EXPECT_NE(targets.status().message().find("EGL_MESA_image_dma_buf_export"), std::string::npos)
        << targets.status().message();
  }
}

// Software renderers export no fences: the CPU has waited when a frame is exported.
TEST_F(DmabufImportTest, FramesAreFinishedWhenTheyAreExported) {
  const ScopedMakeCurrent current(context());
  auto display = value_of(Display::current());
  const auto fence = DrawFence::create(display, true);
  const UniqueFd file = memory(4096);
  // A memfd does not accept fences, so the CPU waits with every driver.
  for (int i = 0; i < 2; ++i) {
    auto wait = value_of(fence->publish(rgb_frame(file.get())));
    EXPECT_EQ(wait, DrawFence::Wait::kOnCpu);
  }
}

TEST_F(DmabufImportTest, MissingDevicesAreNamed) {
  expect_failure(GbmDevice::open("/dev/dri/no-such-card"), {"/dev/dri/no-such-card"});
  expect_failure(Display::open_gbm("/dev/dri/no-such-card"), {"/dev/dri/no-such-card"});
}

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) != -1; }

TEST(UniqueFd, ClosesOnce) {
  const int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_TRUE(is_open(raw));
  {
    UniqueFd first(raw);
    UniqueFd second(std::move(first));
    EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move): empty
    EXPECT_EQ(second.get(), raw);
    EXPECT_TRUE(is_open(raw));
  }
  EXPECT_FALSE(is_open(raw));
}

TEST(UniqueFd, ReleaseGivesUpOwnership) {
  const int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  int released = -1;
  {
    UniqueFd fd(raw);
    released = fd.release();
    EXPECT_FALSE(fd.valid());
  }
  EXPECT_EQ(released, raw);
  EXPECT_TRUE(is_open(raw));
  ::close(raw);
}

TEST(UniqueFd, MoveAssignmentClosesTheOldDescriptor) {
  const int a = ::open("/dev/null", O_RDONLY | O_CLOEXEC), b = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  UniqueFd fd(a);
  fd = UniqueFd(b);
  EXPECT_FALSE(is_open(a));
  EXPECT_EQ(fd.get(), b);
}

}  // namespace
}  // namespace sightglass::interop
