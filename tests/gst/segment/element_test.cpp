// glsegment in pipelines: negotiation, output, and robustness.
#include <gst/gl/gl.h>
#include <gst/gl/gstglfuncs.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/golden.h"
#include "harness/scratch_folder.h"
#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

std::string element(const std::string& properties, Head head = Head::kSigmoid) {
  return "glsegment name=segment model=" + red_model(head) + " " + properties;
}

void expect_mask(const std::optional<Rgba>& mask, int32_t width, int32_t height, const char* what) {
  ASSERT_TRUE(mask) << what;
  ASSERT_EQ(mask->width, width) << what;
  ASSERT_EQ(mask->height, height) << what;
  EXPECT_EQ(mask->at(width / 8, height / 2)[0], 255) << what;
  EXPECT_EQ(mask->at(width - 1 - width / 8, height / 2)[0], 0) << what;
}

std::string renderer_of(GstElement* filter) {
  std::string renderer;
  gst_gl_context_thread_add(
      reinterpret_cast<GstGLBaseFilter*>(filter)->context,
      [](GstGLContext* context, gpointer data) {
        *static_cast<std::string*>(data) = reinterpret_cast<const char*>(context->gl_vtable->GetString(GL_RENDERER));
      },
      &renderer);
  return renderer;
}

TEST(GlSegment, SeparatesForegroundAndBackground) {
  PlayingPipeline pipeline(element("background=mask"));
  for (const auto& [width, height] : {std::pair{320, 240}, {641, 479}, {33, 77}, {64, 48}, {1280, 720}}) {
    expect_mask(pipeline.pass(left_half_red(width, height)), width, height, "whatever its size");
  }
  // If a test is for one driver, no other driver may replace it.
  const char* wanted = std::getenv("SIGHTGLASS_TEST_RENDERER");
  const std::string renderer = renderer_of(pipeline.element());
  EXPECT_TRUE(wanted == nullptr || renderer.starts_with(wanted)) << renderer;
  EXPECT_EQ(pipeline.error(), "");
}

TEST(GlSegment, AcceptsTheNameOfAStoredModel) {
  const std::string hair = "segmentation/mediapipe_hair_segmentation";
  if (real_model(hair).empty()) GTEST_SKIP() << no_model(hair);
  const std::filesystem::path folder = scratch_folder() / "data/sightglass/models";
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(real_model(hair), folder / "hair_segmentation.tflite");
  PlayingPipeline pipeline("glsegment name=segment model=hair-segmenter background=mask");
  EXPECT_TRUE(pipeline.pass(left_half_red(64, 64))) << pipeline.error();
  EXPECT_EQ(pipeline.error(), "");
}

// A single red corner must stay in that corner, without a flip or a transposition.
TEST(GlSegment, KeepsTheOrientation) {
  for (const char* fit : {"stretch", "letterbox"}) {
    PlayingPipeline pipeline(element(std::string("background=mask fit=") + fit));
    const auto mask = pipeline.pass(picture(200, 100, [](int32_t x, int32_t y) { return x < 100 && y < 50; }));
    ASSERT_TRUE(mask) << pipeline.error();
    EXPECT_EQ(mask->at(25, 12)[0], 255) << fit;
    EXPECT_EQ(mask->at(175, 12)[0], 0) << fit;
    EXPECT_EQ(mask->at(25, 88)[0], 0) << fit;
    EXPECT_EQ(mask->at(175, 88)[0], 0) << fit;
  }
}

TEST(GlSegment, EveryKindOfHeadGivesTheSameMask) {
  for (const Head head : {Head::kSigmoid, Head::kLogit, Head::kTwoSoftmax, Head::kThreeLogits}) {
    PlayingPipeline pipeline(element("background=mask", head));
    expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, red_model(head).c_str());
    EXPECT_EQ(pipeline.error(), "");
  }
}

// Operators that the GPU cannot run use the CPU, with one warning for all frames.
// The foreground is the mask of an object inside its box, from (0.05, 0.2) to (0.45, 0.8).
TEST(GlSegment, ObjectsOfYoloAreForeground) {
  const Rgba frame = left_half_red(64, 64);
  const std::string model = "glsegment name=segment background=mask model=" + yolo_model({.coefficients = 32});
  for (const auto& [classes, is_in] : {std::pair{"", true}, {" classes=0", true}, {" classes=1", false}}) {
    PlayingPipeline pipeline(model + classes);
    const std::optional<Rgba> mask = pipeline.pass(frame);
    ASSERT_TRUE(mask) << pipeline.error();
    EXPECT_EQ(mask->at(16, 32)[0], is_in ? 255 : 0) << classes;
    for (const auto& [x, y] : {std::pair{16, 2}, {16, 61}, {48, 32}}) EXPECT_EQ(mask->at(x, y)[0], 0) << x << " " << y;
  }
  const auto error_of = [](const std::string& description) {
    TestPipeline pipeline(description);
    pipeline.set_state(GST_STATE_PLAYING);
    return pipeline.error(5);
  };
  EXPECT_NE(error_of(model + " classes=7").find("the model has classes 0 to 1"), std::string::npos);
  const std::string boxes = error_of("glsegment name=segment model=" + yolo_model({}));
  EXPECT_NE(boxes.find("boxes of a YOLO detector"), std::string::npos) << boxes;
}

// The states of a matting model go from run to run, not over a flush. A frame is red in its left half, or gray.
TEST(GlSegment, MattingStatesGoFromFrameToFrame) {
  for (const char* more : {"", " skip-static=true", " mask-sync=latest gpu-budget=0"}) {
    SCOPED_TRACE(more);
    PlayingPipeline pipeline("glsegment name=segment background=mask refine=none smoothing=0 islands=keep holes=keep " +
                             ("model=" + matting_model()) + more);
    const Rgba red = left_half_red(64, 64), gray = picture(64, 64, [](int32_t, int32_t) { return false; });
    const auto left = [&](const Rgba& frame) {
      const std::optional<Rgba> mask = pipeline.pass(frame);
      EXPECT_TRUE(mask) << pipeline.error();
      if (!mask) return -1;
      EXPECT_EQ(mask->at(56, 32)[0], 0);
      return static_cast<int>(mask->at(8, 32)[0]);
    };
    EXPECT_EQ(left(red), 255);
    const int next = left(gray);
    if (std::string(more).empty()) {
      EXPECT_EQ(next, 0);
      EXPECT_EQ(left(gray), 255) << "the frame before the last";
      EXPECT_EQ(left(gray), 0);
      EXPECT_EQ(left(red), 255);
      EXPECT_EQ(left(gray), 0);
    }
    EXPECT_TRUE(pipeline.flush());
    EXPECT_EQ(left(gray), 0);
    EXPECT_EQ(left(gray), 0) << "another scene";
    EXPECT_EQ(pipeline.warning(), "");
  }
  // A model whose only output is its previous mask, too.
  PlayingPipeline masks(
      "glsegment name=segment background=mask refine=none smoothing=0 islands=keep holes=keep model=" +
      two_input_model(1));
  const Rgba gray = picture(64, 64, [](int32_t, int32_t) { return false; });
  EXPECT_EQ(masks.shown(gray).at(8, 32)[0], 0);
  EXPECT_EQ(masks.shown(left_half_red(64, 64)).at(8, 32)[0], 255);
  for (int i = 0; i < 3; ++i) {
    const Rgba mask = masks.shown(gray);
    EXPECT_NEAR(mask.at(8, 32)[0], 255, 1) << "a red pixel stays in the mask";
    EXPECT_EQ(mask.at(56, 32)[0], 0);
  }
  // In another element, they are no image.
  TestPipeline other("glpose name=pose model=" + matting_model());
  other.set_state(GST_STATE_PLAYING);
  EXPECT_NE(other.error(5).find("expected a single image input"), std::string::npos);
}

// What the model cannot show: its foreground, what its numbers are, and how it takes colors.
TEST(GlSegment, ModelInfoCompletesTheModel) {
  const std::string model = red_model(Head::kTwoSoftmax), notes = model + ".modelinfo";
  const auto left_with = [&](const std::string& text, const std::string& properties = "") {
    std::ofstream(notes) << text;
    PlayingPipeline pipeline("glsegment name=segment background=mask model=" + model + " " + properties);
    const std::optional<Rgba> mask = pipeline.pass(left_half_red(64, 64));
    EXPECT_TRUE(mask) << pipeline.error();
    return mask ? static_cast<int>(mask->at(8, 32)[0]) : -1;
  };
  const auto error_with = [&](const std::string& text) {
    std::ofstream(notes) << text;
    TestPipeline pipeline("glsegment name=segment model=" + model);
    pipeline.set_state(GST_STATE_PLAYING);
    return pipeline.error(5);
  };
  EXPECT_EQ(left_with("[sightglass]\nclasses=1\noutput=0\n"), 255);
  EXPECT_EQ(left_with("[sightglass]\nclasses=0\noutput=output\n"), 0);
  EXPECT_EQ(left_with("[sightglass]\nclasses=0\n", "classes=1"), 255) << "the property precedes the file";
  EXPECT_EQ(left_with("[input]\ndir=input\nranges=0,0.1\n"), 0) << "all colors are dark";
  EXPECT_EQ(left_with("[sightglass]\ndecoder=fomo\n"), 255) << "for another element";
  for (const auto& [text, words] :
       {std::pair{"[sightglass]\nclasses=x\n", "classes=x: expected numbers such as 15 or 1,2"},
        {"[sightglass]\nactivation=relu\n", "activation=relu: expected none, sigmoid, or softmax"},
        {"[sightglass]\noutput=mask\n", "output=mask: expected the name or index of an output"},
        {"[sightglass]\nclass=1\n", "unknown key"},
        {"[mask]\ndir=output\n", "has no such output"}}) {
    const std::string error = error_with(text);
    EXPECT_NE(error.find(notes), std::string::npos) << error;
    EXPECT_NE(error.find(words), std::string::npos) << error;
  }
  // The same file in another element.
  std::ofstream(notes) << "[input]\ndir=input\ndims=1,99,99,3\n";
  TestPipeline pose("glpose name=pose model=" + model);
  pose.set_state(GST_STATE_PLAYING);
  EXPECT_NE(pose.error(5).find("group [input], dims"), std::string::npos);
  std::filesystem::remove(notes);
}

TEST(GlSegment, FallsBackToTheCpu) {
  PlayingPipeline pipeline(element("background=mask fallback=cpu", Head::kCpuOnly));
  const std::string warning = pipeline.warning(5);
  EXPECT_NE(warning.find("TRANSPOSE_CONV #4"), std::string::npos) << warning;
  EXPECT_NE(warning.find("bytes"), std::string::npos) << warning;
  std::printf("WARNING %s\n", warning.c_str());
  for (int frame = 0; frame < 3; ++frame) expect_mask(pipeline.pass(left_half_red(64, 64)), 64, 64, "mask");
  EXPECT_EQ(pipeline.error(), "");
  EXPECT_EQ(pipeline.warning(), "") << "one warning is enough";
}

TEST(GlSegment, NormalizesTheInput) {
  // The model input is brightened by one, so all of it is red.
  PlayingPipeline pipeline(element("background=mask input-scale=1 input-offset=1"));
  const Rgba mask = pipeline.shown(left_half_red(64, 64));
  EXPECT_EQ(mask.at(56, 32)[0], 255);
}

TEST(GlSegment, EveryBackground) {
  const std::string png = scratch_folder() / "background.png";
  ASSERT_TRUE(save_png(picture(8, 8, [](int32_t, int32_t) { return false; }), png));
  PlayingPipeline pipeline(element("background-color=0xff0a141e background-location=" + png));
  const Rgba frame = left_half_red(160, 120);
  const auto right = [&](const char* background) {
    gst_util_set_object_arg(G_OBJECT(pipeline.element()), "background", background);
    const auto out = pipeline.pass(frame);
    EXPECT_TRUE(out) << background << ": " << pipeline.error();
    if (!out) return std::array<int, 4>{};
    if (std::string(background) != "mask") {
      EXPECT_EQ(out->at(20, 60)[0], kRed[0]) << background;
    }
    const uint8_t* p = out->at(140, 60);
    return std::array<int, 4>{p[0], p[1], p[2], p[3]};
  };
  EXPECT_EQ(right("color"), (std::array<int, 4>{10, 20, 30, 255}));
  EXPECT_EQ(right("image"), (std::array<int, 4>{kGray[0], kGray[1], kGray[2], 255}));
  EXPECT_EQ(right("transparent")[3], 0);
  EXPECT_EQ(right("mask"), (std::array<int, 4>{0, 0, 0, 255}));
  const auto blurred = right("blur");
  EXPECT_NEAR(blurred[1], kGray[1], 3) << "a uniform background stays uniform, whatever the foreground";
  EXPECT_EQ(pipeline.warning(), "");
}

}  // namespace
}  // namespace sightglass::test
