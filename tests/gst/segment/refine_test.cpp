// The property refine: how well masks follow the edges of frames that are much larger than the model input.
#include <gst/app/gstappsink.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "figure_truth.h"
#include "gl_pictures.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

using Mask = std::vector<uint8_t>;

constexpr int kWidth = 1280, kHeight = 720;
constexpr std::array<const char*, 3> kRefinements{"none", "bilateral", "guided"};
constexpr std::array<int, 3> kTolerances{1, 2, 4};

// 1 where a neighborhood of (2 reach + 1)² pixels has a value above one half.
Mask grown(const Mask& mask, int width, int height, int reach) {
  Mask rows(mask.size()), result(mask.size());
  const auto at = [width](int x, int y) {
    return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
  };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int i = std::max(x - reach, 0); i <= std::min(x + reach, width - 1); ++i)
        rows[at(x, y)] |= mask[at(i, y)] > 127 ? 255 : 0;
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int i = std::max(y - reach, 0); i <= std::min(y + reach, height - 1); ++i)
        result[at(x, y)] |= rows[at(x, i)];
    }
  }
  return result;
}

// Foreground with a background neighbor.
Mask boundary(const Mask& mask, int width, int height) {
  Mask background(mask.size());
  std::ranges::transform(mask, background.begin(), [](uint8_t value) { return value > 127 ? 0 : 255; });
  Mask result = grown(background, width, height, 1);
  for (size_t i = 0; i < mask.size(); ++i) result[i] = mask[i] > 127 ? result[i] : 0;
  return result;
}

// The boundary F-measure: the harmonic mean of the shares of each boundary within `tolerance` pixels of the other one
// (Csurka et al.: What is a good evaluation measure for semantic segmentation?, 2013).
double boundary_f(const Mask& found, const Mask& truth, int width, int height, int tolerance) {
  const Mask a = boundary(found, width, height), b = boundary(truth, width, height);
  const auto share_near = [&](const Mask& of, const Mask& other) {
    const Mask near = grown(other, width, height, tolerance);
    size_t all = 0, hits = 0;
    for (size_t i = 0; i < of.size(); ++i) {
      all += of[i] != 0 ? 1 : 0;
      hits += of[i] != 0 && near[i] != 0 ? 1 : 0;
    }
    return all == 0 ? 1 : static_cast<double>(hits) / static_cast<double>(all);
  };
  const double precision = share_near(a, b), recall = share_near(b, a);
  return precision + recall == 0 ? 0 : 2 * precision * recall / (precision + recall);
}

TEST(BoundaryF, MatchesItsDefinition) {
  Mask mask(100), moved(100);
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 10; ++x) {
      mask[10 * static_cast<size_t>(y) + static_cast<size_t>(x)] = x < 5 ? 255 : 0;
      moved[10 * static_cast<size_t>(y) + static_cast<size_t>(x)] = x < 7 ? 255 : 0;
    }
  }
  EXPECT_EQ(boundary_f(mask, mask, 10, 10, 1), 1);
  EXPECT_EQ(boundary_f(mask, moved, 10, 10, 1), 0);
  EXPECT_EQ(boundary_f(mask, moved, 10, 10, 2), 1);
}

using Scores = std::array<std::array<double, kTolerances.size()>, kRefinements.size()>;

void print(const char* what, const Scores& scores) {
  std::printf("%s: boundary F-measure within\n| refine    | 1 pixel | 2     | 4     |\n|---|---|---|---|\n", what);
  for (size_t i = 0; i < scores.size(); ++i) {
    std::printf("| %-9s | %.3f   | %.3f | %.3f |\n", kRefinements[i], scores[i][0], scores[i][1], scores[i][2]);
  }
}

// One source, and one glsegment per refinement.
std::string pipeline_of(const std::string& source, const std::string& model) {
  std::string text = source + " ! tee name=tee";
  for (const char* refine : kRefinements) {
    text += std::string(" tee. ! queue ! glsegment background=mask model=") + model + " refine=" + refine +
            " ! gldownload ! video/x-raw,format=RGBA ! appsink sync=false name=" + refine;
  }
  return text;
}

Mask pull(const Launched& pipeline, const char* sink) {
  GstSample* sample = pipeline.pull(sink);
  return sample != nullptr ? take_first_component(sample) : Mask();
}

TEST(Refine, FollowsTheEdgesOfFigures) {
  constexpr int kFrames = 8;
  Truths truths;
  const Launched pipeline(pipeline_of(
      "glfiguresrc name=figure framing=selfie seed-interval=1 seed=2000000 num-buffers=" + std::to_string(kFrames) +
          " ! video/x-raw(memory:GLMemory),width=" + std::to_string(kWidth) + ",height=" + std::to_string(kHeight),
      "figure"));
  truths.collect_from(pipeline["figure"]);
  pipeline.play();
  Scores scores{};
  for (int frame = 0; frame < kFrames && !HasFailure(); ++frame) {
    for (size_t i = 0; i < kRefinements.size(); ++i) {
      const Mask found = pull(pipeline, kRefinements[i]);
      const std::lock_guard lock(truths.mutex);
      const Mask& truth = truths.masks.front();
      ASSERT_EQ(found.size(), truth.size());
      for (size_t t = 0; t < kTolerances.size(); ++t) {
        scores[i][t] += boundary_f(found, truth, kWidth, kHeight, kTolerances[t]) / kFrames;
      }
    }
    const std::lock_guard lock(truths.mutex);
    truths.masks.pop_front();
  }
  print("figures of 1280x720, their true masks", scores);
  EXPECT_GT(scores[1][0], scores[0][0] + 0.08) << "bilateral";
  EXPECT_GT(scores[2][0], scores[0][0] + 0.15) << "guided";
  EXPECT_GT(scores[2][2], scores[0][2]) << "guided, from farther away";
}

// Photographs of people, and their MediaPipe selfie segmentation masks at full resolution.
TEST(Refine, FollowsTheEdgesOfPeople) {
  const std::string shared = shared_directory();
  if (shared.empty()) GTEST_SKIP() << "needs the real models and pictures of ../shared";
  const std::string model = shared + "/models/segmentation/mediapipe_selfie_segmenter_256.tflite";
  for (const std::string name : {"mp_portrait", "mp_pose"}) {
    const Rgba golden = load_picture(shared + "/media/" + name + "_segmentation_golden.png");
    ASSERT_GT(golden.width, 0) << name;
    Mask truth(golden.pixels.size() / 4);
    for (size_t i = 0; i < truth.size(); ++i) truth[i] = golden.pixels[4 * i + 2];  // blue people on red
    const Launched pipeline(pipeline_of("filesrc location=" + shared + "/media/" + name +
                                            ".jpg ! jpegdec ! videoconvert ! video/x-raw,format=RGBA ! glupload",
                                        model));
    pipeline.play();
    Scores scores{};
    for (size_t i = 0; i < kRefinements.size(); ++i) {
      const Mask found = pull(pipeline, kRefinements[i]);
      ASSERT_EQ(found.size(), truth.size()) << name;
      for (size_t t = 0; t < kTolerances.size(); ++t) {
        scores[i][t] = boundary_f(found, truth, golden.width, golden.height, kTolerances[t]);
      }
    }
    print((name + ", MediaPipe's mask").c_str(), scores);
    // Just below the values measured. MediaPipe's masks were made with one sample of the frame per pixel of the input.
    const std::array<double, 3> least =
        name == "mp_portrait" ? std::array{0.60, 0.64, 0.65} : std::array{0.59, 0.77, 0.83};
    for (size_t i = 0; i < kRefinements.size(); ++i) {
      EXPECT_GT(scores[i][0], least[i]) << name << ", " << kRefinements[i];
    }
  }
}

}  // namespace
}  // namespace sightglass::test
