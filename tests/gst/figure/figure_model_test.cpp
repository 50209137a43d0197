// The bundled models in the whole pipeline, on figures that were not used for training: compares the masks from
// glsegment with the ground truth of the figures.
#include <gst/app/gstappsink.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "figure_truth.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

constexpr int kFrames = 24;
constexpr const char* kFirstSeed = "2000000";  // training uses seeds below 1000000
constexpr int kWidth = 320, kHeight = 240;
constexpr float kSmaller = 0.7F;

// A change to the frames upstream of the model: the body of a fragment shader, where `at` is the position in the image
// and picture() returns its color there.
struct Condition {
  const char* name;
  const char* shader;
  float scale;        // of the figure, around the center of the image
  double least_iou;   // minimum mean IoU
  double least_good;  // share of the masks with an IoU of 0.9 or more
};

constexpr Condition kConditions[] = {
    {"as drawn", "picture(at)", 1, 0.93, 0.76},
    {"dark, light from one side", "vec4(pow(picture(at).rgb, vec3(1.3)) * mix(0.3, 0.9, at.x), 1.0)", 1, 0.925, 0.72},
    {"bright, warm light", "vec4(pow(picture(at).rgb, vec3(0.8)) * vec3(1.5, 1.35, 1.15), 1.0)", 1, 0.925, 0.72},
    {"seven tenths of the size", "picture((at - 0.5) / 0.7 + 0.5)", kSmaller, 0.865, 0.46},
    {"moving, 11 pixels",
     "(picture(at - 5.0 * s) + picture(at - 4.0 * s) + picture(at - 3.0 * s) + picture(at - 2.0 * s) + "
     "picture(at - s) + picture(at) + picture(at + s) + picture(at + 2.0 * s) + picture(at + 3.0 * s) + "
     "picture(at + 4.0 * s) + picture(at + 5.0 * s)) / 11.0",
     1, 0.9, 0.63},
};

std::string fragment_shader(const Condition& condition) {
  return std::string(R"(#ifdef GL_ES
precision highp float;
#endif
varying vec2 v_texcoord;
uniform sampler2D tex;
vec4 picture(vec2 place) { return texture2D(tex, clamp(place, 0.0, 1.0)); }
void main() {
  vec2 at = v_texcoord, s = vec2(0.92, 0.39) / vec2(320.0, 240.0);
  gl_FragColor = )") +
         condition.shader + "; }";
}

double overlap(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b) {
  size_t both = 0, either = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool in_a = a[i] > 127, in_b = b[i] > 127;
    both += in_a && in_b ? 1 : 0;
    either += in_a || in_b ? 1 : 0;
  }
  return either == 0 ? 1 : static_cast<double>(both) / static_cast<double>(either);
}

// The mask of a figure that is drawn smaller; the border of the image is extended.
std::vector<uint8_t> scaled(const std::vector<uint8_t>& mask, float scale) {
  std::vector<uint8_t> result(mask.size());
  const auto source = [scale](int i, int size) {
    const float middle = static_cast<float>(size) / 2;
    const float place = (static_cast<float>(i) + 0.5F - middle) / scale + middle;
    return std::clamp(static_cast<int>(std::floor(place)), 0, size - 1);
  };
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      result[static_cast<size_t>(y) * kWidth + static_cast<size_t>(x)] =
          mask[static_cast<size_t>(source(y, kHeight)) * kWidth + static_cast<size_t>(source(x, kWidth))];
    }
  }
  return result;
}

struct Figures {
  double sum = 0, worst = 1;
  int frames = 0, good = 0;

  void add(double share) {
    sum += share;
    worst = std::min(worst, share);
    good += share >= 0.9 ? 1 : 0;
    ++frames;
  }
  double mean() const { return sum / std::max(frames, 1); }
  void print(const char* name) const {
    std::printf("| %-26s | %7d | %.3f | %3.0f %% | %.3f |\n", name, frames, mean(), 100.0 * good / std::max(frames, 1),
                worst);
  }
};

void print_head() { std::printf("| %-26s | figures | IoU   | >=0.9 | worst |\n|---|---|---|---|---|\n", ""); }

// Figures of one framing, each under every condition: one source, and one glsegment per condition.
class FigureModel : public ::testing::Test {
 protected:
  static std::vector<Figures> measure(const std::string& source, std::span<const Condition> conditions, int frames,
                                      const std::string& model = "figure") {
    std::string text = "glfiguresrc name=figure seed-interval=1 seed=" + std::string(kFirstSeed) +
                       " num-buffers=" + std::to_string(frames) + " " + source +
                       " ! video/x-raw(memory:GLMemory),width=" + std::to_string(kWidth) +
                       ",height=" + std::to_string(kHeight) + " ! tee name=tee";
    for (size_t i = 0; i < conditions.size(); ++i) {
      const std::string number = std::to_string(i);
      text += " tee. ! queue max-size-buffers=3 ! glshader name=change" + number +
              " ! glsegment background=mask model=" + model +
              " ! gldownload ! video/x-raw,format=RGBA ! appsink name=sink" + number + " sync=false max-buffers=2";
    }
    Truths truths;
    const Launched pipeline(text);
    for (size_t i = 0; i < conditions.size(); ++i) {
      GstElement* const change = pipeline[("change" + std::to_string(i)).c_str()];
      g_object_set(change, "fragment", fragment_shader(conditions[i]).c_str(), nullptr);
    }
    truths.collect_from(pipeline["figure"]);
    pipeline.play();

    std::vector<Figures> result(conditions.size());
    for (int frame = 0; frame < frames; ++frame) {
      for (size_t i = 0; i < conditions.size(); ++i) {
        SCOPED_TRACE(std::string(conditions[i].name) + ", frame " + std::to_string(frame));
        GstSample* sample = pipeline.pull(("sink" + std::to_string(i)).c_str());
        if (sample == nullptr) return result;
        const std::vector<uint8_t> found = take_first_component(sample);
        const std::lock_guard lock(truths.mutex);
        result[i].add(overlap(scaled(truths.masks.front(), conditions[i].scale), found));
        if (i + 1 == conditions.size()) truths.masks.pop_front();
      }
    }
    return result;
  }
};

TEST_F(FigureModel, MasksUnseenFigures) {
  const std::vector<Figures> result = measure("", kConditions, kFrames);
  print_head();
  for (size_t i = 0; i < std::size(kConditions); ++i) {
    result[i].print(kConditions[i].name);
    EXPECT_EQ(result[i].frames, kFrames) << kConditions[i].name;
    EXPECT_GE(result[i].mean(), kConditions[i].least_iou) << kConditions[i].name;
    EXPECT_GE(result[i].good, kConditions[i].least_good * kFrames) << kConditions[i].name;
  }
}

TEST_F(FigureModel, MasksFiguresOfEveryFraming) {
  constexpr int kFew = 20;
  struct Framing {
    const char* name;
    double least_iou;
  };
  print_head();
  for (const Framing& framing : {Framing{"selfie", 0.945}, Framing{"half", 0.9}, Framing{"full", 0.85}}) {
    const Figures figures =
        measure(std::string("framing=") + framing.name, std::span(kConditions).first(1), kFew).front();
    figures.print(framing.name);
    EXPECT_EQ(figures.frames, kFew) << framing.name;
    EXPECT_GE(figures.mean(), framing.least_iou) << framing.name;
  }
}

// Clips of five frames: each begins with the mask of another figure as the one before.
TEST_F(FigureModel, TheRecurrentModelMasksUnseenFigures) {
  constexpr int kFew = 30;
  const auto conditions = std::span(kConditions).first(1);
  const Figures figures = measure("seed-interval=5", conditions, kFew, "figure-recurrent").front();
  const Figures without = measure("seed-interval=5", conditions, kFew).front();
  print_head();
  figures.print("figure-recurrent");
  without.print("figure");
  EXPECT_EQ(figures.frames, kFew);
  EXPECT_GE(figures.mean(), 0.92);
  EXPECT_GE(figures.mean(), without.mean() - 0.02);
}

// The same frame twice: only a model that sees its last mask finds another one.
TEST_F(FigureModel, OnlyTheRecurrentModelSeesItsLastMask) {
  const Rgba frame = draw_figure(kWidth, kHeight, std::string("seed=") + kFirstSeed).picture;
  for (const std::string model : {"figure", "figure-recurrent"}) {
    PlayingPipeline pipeline("glsegment name=segment background=mask refine=none smoothing=0 model=" + model);
    const auto first = pipeline.pass(frame), second = pipeline.pass(frame);
    ASSERT_TRUE(first && second) << pipeline.error();
    int largest = 0;
    for (size_t i = 0; i < first->pixels.size(); ++i) {
      largest = std::max(largest, std::abs(first->pixels[i] - second->pixels[i]));
    }
    std::printf("%s: masks of the same frame differ by up to %d of 255\n", model.c_str(), largest);
    if (model == "figure") {
      EXPECT_EQ(largest, 0);
    } else {
      EXPECT_GT(largest, 5);
    }
  }
}

}  // namespace
}  // namespace sightglass::test
