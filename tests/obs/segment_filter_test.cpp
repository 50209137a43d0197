// The filter in libobs: it draws what glsegment draws, leaves the GL state of OBS alone, and copies no pixels.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "gl_watch/interface.h"
#include "harness/program.h"
#include "harness/scratch_folder.h"
#include "obs_session.h"

namespace sightglass::test {
namespace {

const std::string kSize = ",width=" + std::to_string(kWidth) + ",height=" + std::to_string(kHeight);

// Runs a pipeline that ends in system memory, and returns its last frame.
Pixels run_pipeline(const std::string& pipeline) {
  const std::string file = (scratch_folder() / "result.rgba").string();
  const std::string command = "env -u LD_PRELOAD -u DISPLAY GST_PLUGIN_PATH=" + quoted(SIGHTGLASS_PLUGIN_FOLDER) +
                              " GST_REGISTRY=" + quoted(SIGHTGLASS_REGISTRY) + " gst-launch-1.0 -q " + pipeline +
                              " ! gldownload ! video/x-raw,format=RGBA ! filesink location=" + file;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return read_pixels(file);
}

class SegmentFilter : public ObsTest {
 protected:
  void SetUp() override {
    ObsTest::SetUp();
    if (HasFatalFailure()) return;
    if (frame().rgba.empty()) {
      frame() =
          run_pipeline("glfiguresrc num-buffers=1 seed=3 ! 'video/x-raw(memory:GLMemory),format=RGBA" + kSize + "'");
    }
    ASSERT_FALSE(frame().rgba.empty());
    picture_ = make_picture(frame());
  }

  // A rendered figure.
  static Pixels& frame() {
    static Pixels pixels;
    return pixels;
  }
  // The frame as glsegment draws it.
  static Pixels expected(const std::string& properties, const Pixels& pixels = frame()) {
    const std::string file = (scratch_folder() / "frame.rgba").string();
    std::FILE* out = std::fopen(file.c_str(), "wb");
    std::fwrite(pixels.rgba.data(), 1, pixels.rgba.size(), out);
    std::fclose(out);
    return run_pipeline("filesrc location=" + file + " blocksize=" + std::to_string(pixels.rgba.size()) +
                        " ! 'video/x-raw,format=RGBA,framerate=30/1" + kSize +
                        "' ! glupload ! glsegment model=figure " + properties);
  }
  static void expect_same(const Pixels& drawn, const Pixels& wanted, double bound) {
    const double difference = mean_difference(drawn, wanted);
    std::printf("mean difference %.3f of at most %.3f\n", difference, bound);
    EXPECT_LE(difference, bound);
  }

  OBSSourceAutoRelease picture_;
};

TEST_F(SegmentFilter, DrawsWhatGlsegmentDraws) {
  const OBSSourceAutoRelease filter = add_filter(picture_);
  const Pixels blurred = render(picture_);
  expect_same(blurred, expected(""), 0.5);
  EXPECT_GT(mean_difference(blurred, frame()), 3) << "nothing is blurred";

  // ABGR in OBS, ARGB in GStreamer.
  update(filter, R"({"background": "color", "background-color": 4278223103, "feather": 6.0})");
  const Pixels replaced = render(picture_);
  expect_same(replaced, expected("background=color background-color=0xFFFF8000 feather=6"), 0.5);
  EXPECT_EQ(replaced.at(2, 2), (std::array<int, 4>{255, 128, 0, 255}));

  update(filter, R"({"background": "mask", "feather": 0})");
  expect_same(render(picture_), expected("background=mask"), 0.5);
  EXPECT_TRUE(log_lines().empty());
}

// Colors of the output are nonlinear, whether OBS blends linear colors or not.
TEST_F(SegmentFilter, DrawsTheSameColorsIntoLinearAndNonlinearTargets) {
  const OBSSourceAutoRelease filter = add_filter(picture_, R"({"background": "color"})");
  expect_same(render(picture_, true), render(picture_, false), 0.5);
}

TEST_F(SegmentFilter, MakesTheBackgroundTransparent) {
  const OBSSourceAutoRelease filter = add_filter(picture_, R"({"background": "transparent"})");
  const Pixels drawn = render(picture_, false);
  Pixels wanted = expected("background=transparent");
  for (size_t i = 0; i < wanted.rgba.size(); ++i) {  // blending multiplies
    if (i % 4 != 3) wanted.rgba[i] = static_cast<uint8_t>(wanted.rgba[i] * wanted.rgba[i - i % 4 + 3] / 255);
  }
  expect_same(drawn, wanted, 0.5);
  EXPECT_EQ(drawn.at(2, 2)[3], 0);
  size_t opaque = 0;
  for (size_t i = 3; i < drawn.rgba.size(); i += 4) opaque += drawn.rgba[i] == 255 ? 1 : 0;
  EXPECT_GT(opaque, drawn.rgba.size() / 4 / 50) << "nobody is in the foreground";
}

TEST_F(SegmentFilter, ShowsABackgroundImage) {
  const std::string image = SIGHTGLASS_IMAGE;
  const OBSSourceAutoRelease filter =
      add_filter(picture_, R"({"background": "image", "background-location": ")" + image + R"("})");
  expect_same(render(picture_), expected("background=image background-location=" + quoted(image)), 0.5);

  update(filter, R"({"background-location": "missing.png"})");
  render(picture_);
  render(picture_);
  ASSERT_EQ(log_lines().size(), 1u);
  EXPECT_NE(log_lines()[0].find("missing.png"), std::string::npos) << log_lines()[0];
}

// Scenes blend linear colors.
TEST_F(SegmentFilter, FiltersScenes) {
  const OBSSceneAutoRelease scene = obs_scene_create("scene");
  obs_scene_add(scene, picture_);
  obs_source_t* const source = obs_scene_get_source(scene);
  const OBSSourceAutoRelease filter = add_filter(source, R"({"background": "color"})");
  expect_same(render(source), expected("background=color"), 1);
}

// If the filter changed the GL state behind the back of OBS, sources drawn later would be wrong.
TEST_F(SegmentFilter, LeavesTheSourcesThatAreDrawnLaterAlone) {
  const OBSSourceAutoRelease filter = add_filter(picture_, R"({"background": "color"})");
  const OBSSourceAutoRelease plain = make_picture(frame());
  const OBSSceneAutoRelease scene = obs_scene_create("scene");
  obs_scene_add(scene, picture_);
  obs_sceneitem_t* const later = obs_scene_add(scene, plain);
  const vec2 half{{{kWidth / 2.0F, 0.0F}}};
  obs_sceneitem_set_pos(later, &half);
  for (int i = 0; i < 3; ++i) {
    const Pixels drawn = render(obs_scene_get_source(scene));
    for (uint32_t y = 5; y < kHeight; y += 50) {
      for (uint32_t x = 5; x < kWidth / 2; x += 50) {
        const auto found = drawn.at(kWidth / 2 + x, y), wanted = frame().at(x, y);
        for (size_t c = 0; c < 4; ++c) EXPECT_NEAR(found[c], wanted[c], 2) << x << ", " << y;
      }
    }
    EXPECT_EQ(drawn.at(2, 2), (std::array<int, 4>{0, 128, 0, 255}));
  }
}

Pixels mirrored(const Pixels& pixels) {
  Pixels result{pixels.width, pixels.height, {}};
  for (uint32_t y = 0; y < pixels.height; ++y) {
    for (uint32_t x = 0; x < pixels.width; ++x) {
      for (const int value : pixels.at(pixels.width - 1 - x, y)) result.rgba.push_back(static_cast<uint8_t>(value));
    }
  }
  return result;
}

TEST_F(SegmentFilter, KeepsMasksForTheInferenceIntervalUnlessHidden) {
  const OBSSourceAutoRelease filter = add_filter(picture_, R"({"background": "mask", "inference-interval": 3000})");
  obs_set_output_source(0, picture_);
  const Pixels first = render(picture_);
  const Pixels other = mirrored(frame()), wanted = expected("background=mask", other);
  ASSERT_GT(mean_difference(first, wanted), 10);
  show(picture_, other);
  EXPECT_GT(mean_difference(render(picture_), wanted), 5) << "the model ran again";

  obs_source_set_enabled(filter, false);
  expect_same(render(picture_), other, 0.5);
  obs_source_set_enabled(filter, true);
  expect_same(render(picture_), wanted, 0.5);
  obs_set_output_source(0, nullptr);
}

TEST_F(SegmentFilter, PassesFramesThroughWithoutAModel) {
  const OBSSourceAutoRelease filter = add_filter(picture_, R"({"model": "missing.tflite"})");
  for (int i = 0; i < 3; ++i) expect_same(render(picture_), frame(), 0.5);
  ASSERT_EQ(log_lines().size(), 1u);
  EXPECT_NE(log_lines()[0].find("missing.tflite"), std::string::npos) << log_lines()[0];

  update(filter, R"({"model": "figure", "background": "color"})");
  expect_same(render(picture_), expected("background=color"), 0.5);
}

// A test with another environment.
TEST_F(SegmentFilter, PassesFramesThroughWithOldGl) {
  if (std::getenv("SIGHTGLASS_TEST_OLD_GL") == nullptr) GTEST_SKIP() << "a variant of this test runs with OpenGL 3.3";
  const OBSSourceAutoRelease filter = add_filter(picture_);
  for (int i = 0; i < 3; ++i) expect_same(render(picture_), frame(), 0.5);
  ASSERT_EQ(log_lines().size(), 1u);
  EXPECT_NE(log_lines()[0].find("OpenGL"), std::string::npos) << log_lines()[0];
}

// ---- Copies

Pixels half_of(const Pixels& pixels) {
  Pixels half{pixels.width / 2, pixels.height / 2, {}};
  for (uint32_t y = 0; y < half.height; ++y) {
    for (uint32_t x = 0; x < half.width; ++x) {
      for (const int value : pixels.at(2 * x, 2 * y)) half.rgba.push_back(static_cast<uint8_t>(value));
    }
  }
  return half;
}

std::atomic<bool> counts{false};
std::array<std::atomic<uint64_t>, 4> calls{};
std::atomic<uint64_t> largest_map{0};

void count_call(int call, uint64_t bytes) {
  if (!counts) return;
  ++calls.at(static_cast<size_t>(call));
  if (static_cast<gl_watch::Call>(call) == gl_watch::Call::kBufferMap && bytes > largest_map) largest_map = bytes;
}

uint64_t calls_of(gl_watch::Call call) { return calls.at(static_cast<size_t>(call)); }

// OBS maps the buffer with the four vertices of every rectangle that it draws. Everything else would copy pixels or
// wait for the GPU. SIGHTGLASS_OBS_FRAMES=18000 counts as many frames as ten minutes have.
TEST_F(SegmentFilter, CopiesNoPixels) {
  const auto listen = reinterpret_cast<gl_watch::Listen>(dlsym(RTLD_DEFAULT, gl_watch::kListenName));
  if (listen == nullptr) GTEST_SKIP() << "the library that watches GL calls is not preloaded";
  const char* const setting = std::getenv("SIGHTGLASS_OBS_FRAMES");
  const uint64_t number = setting != nullptr ? std::strtoull(setting, nullptr, 10) : 150;
  const char* const settings = std::getenv("SIGHTGLASS_OBS_SETTINGS");
  const OBSSourceAutoRelease small = make_picture(half_of(frame()));
  const OBSSourceAutoRelease filter =
      add_filter(small, settings != nullptr ? settings : R"({"inference-interval": 5})");
  obs_set_output_source(0, small);
  wait_for_frames(5);
  listen(count_call);
  counts = true;
  wait_for_frames(number);
  counts = false;
  obs_set_output_source(0, nullptr);
  using gl_watch::Call;
  std::printf("%llu frames: %llu readbacks, %llu uploads, %llu waits, %llu maps of at most %llu bytes\n",
              static_cast<unsigned long long>(number), static_cast<unsigned long long>(calls_of(Call::kReadback)),
              static_cast<unsigned long long>(calls_of(Call::kPixelUpload)),
              static_cast<unsigned long long>(calls_of(Call::kFinish)),
              static_cast<unsigned long long>(calls_of(Call::kBufferMap)),
              static_cast<unsigned long long>(largest_map.load()));
  EXPECT_EQ(calls_of(Call::kReadback), 0u);
  EXPECT_EQ(calls_of(Call::kPixelUpload), 0u);
  EXPECT_EQ(calls_of(Call::kFinish), 0u);
  EXPECT_GE(calls_of(Call::kBufferMap), number) << "nothing is watched";
  EXPECT_LE(largest_map, 256u);
}

}  // namespace
}  // namespace sightglass::test
