// glframe, and the framing of glsegment: a camera that follows people in a pipeline.
#include <gst/gl/gl.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "figure_truth.h"
#include "gl_pictures.h"
#include "meta/meta_types.h"
#include "sightglass/gst/mask_meta.h"
#include "sightglass/gst/results_meta.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 160, kHeight = 90;

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

// Red where a person is, on a background that tells where it is: R of the frame's columns in G, of its rows in B.
Rgba frame_with(int32_t width, int32_t height, const std::vector<Box>& people) {
  return painted(width, height, [&](int32_t x, int32_t y) {
    const double u = (x + 0.5) / width, v = (y + 0.5) / height;
    const bool red = std::ranges::any_of(
        people, [&](const Box& b) { return u >= b.left && u < b.right && v >= b.top && v < b.bottom; });
    return std::array{red ? 255.0 : 0.0, std::round(10 + 235 * u), std::round(10 + 235 * v)};
  });
}

// The part of the frame that a picture shows, by its colors.
Box view_in(const Rgba& picture) {
  const auto place = [&](int32_t x, int32_t y) {
    return std::array{(picture.at(x, y)[1] - 10) / 235.0, (picture.at(x, y)[2] - 10) / 235.0};
  };
  const int32_t right = picture.width - 1, bottom = picture.height - 1;
  const auto first = place(0, 0), last = place(right, bottom);
  const double x = (last[0] - first[0]) / right, y = (last[1] - first[1]) / bottom;  // per pixel
  return {first[0] - x / 2, first[1] - y / 2, last[0] + x / 2, last[1] + y / 2};
}
double difference(const Box& a, const Box& b) {
  return std::max(
      {std::abs(a.left - b.left), std::abs(a.top - b.top), std::abs(a.right - b.right), std::abs(a.bottom - b.bottom)});
}

// The frame as it is, with a mask.
std::string marked(const std::string& properties = "") {
  return "glsegment attach-mask=true blur-radius=0 dither=false refine=none smoothing=0 model=" + red_model() + " " +
         properties;
}

// Adds the box of a person, as if an element upstream had found it.
void add_region(GstBuffer* buffer, const char* label, const Box& box, int32_t width = kWidth,
                int32_t height = kHeight) {
  gst_buffer_add_video_region_of_interest_meta(
      buffer, label, static_cast<guint>(box.left * width), static_cast<guint>(box.top * height),
      static_cast<guint>(box.width() * width), static_cast<guint>(box.height() * height));
}

// Frames with regions of interest through glframe.
class Regions {
 public:
  explicit Regions(const std::string& properties, const std::string& caps = "")
      : pipeline_("glframe name=segment " + properties +
                  (caps.empty() ? "" : " ! video/x-raw(memory:GLMemory)," + caps)) {
    replace_buffers(pipeline_.element(), "sink", [this](GstBuffer* buffer) {
      buffer = gst_buffer_make_writable(buffer);
      const GstVideoMeta* video = gst_buffer_get_video_meta(buffer);
      if (as_results) add_results_meta(buffer, results());
      for (const auto& [label, box] : boxes) {
        if (as_results) break;
        add_region(buffer, label, box, static_cast<int32_t>(video->width), static_cast<int32_t>(video->height));
      }
      return buffer;
    });
  }
  Rgba shown(const Rgba& frame) { return pipeline_.shown(frame); }
  Box view(int32_t width = kWidth, int32_t height = kHeight) { return view_in(shown(frame_with(width, height, {}))); }
  PlayingPipeline& pipeline() { return pipeline_; }

  std::vector<std::pair<const char*, Box>> boxes;
  bool as_results = false;  // those of glpose and glinfer

 private:
  SharedResults results() const {
    const auto results = std::make_shared<InferenceResults>();
    for (const auto& [label, box] : boxes) {
      ResultObject object;
      object.label = label;
      object.box = {static_cast<float>(box.left), static_cast<float>(box.top), static_cast<float>(box.right),
                    static_cast<float>(box.bottom)};
      results->objects.push_back(object);
    }
    return results;
  }

  PlayingPipeline pipeline_;
};

constexpr Box kPerson{0.6, 0.3, 0.75, 0.9};

TEST(Frame, ShowsThePersonWithAMarginAndInTheShapeOfTheOutput) {
  struct Case {
    std::string caps;
    int32_t width, height;
  };
  for (const Case& c : std::vector<Case>{{"", kWidth, kHeight},
                                         {"width=90", 90, 51},
                                         {"height=45", 80, 45},
                                         {"width=101,height=181", 101, 181},
                                         {"width=640,height=360", 640, 360},
                                         {"width=300,height=120", 300, 120}}) {
    Regions regions("", c.caps);
    regions.boxes = {{"person", kPerson}};
    const Rgba shown = regions.shown(frame_with(kWidth, kHeight, {}));
    EXPECT_EQ(shown.width, c.width) << c.caps;
    EXPECT_EQ(shown.height, c.height) << c.caps;
    const Box view = view_in(shown);
    const double aspect = view.width() * kWidth / (view.height() * kHeight);
    std::printf("%-22s view %.3f %.3f to %.3f %.3f\n", c.caps.c_str(), view.left, view.top, view.right, view.bottom);
    EXPECT_NEAR(aspect, static_cast<double>(c.width) / c.height, 0.02 * aspect) << c.caps;
    EXPECT_LE(view.left, kPerson.left) << c.caps;
    EXPECT_LE(view.top, kPerson.top) << c.caps;
    EXPECT_GE(view.right, kPerson.right) << c.caps;
    EXPECT_GE(view.bottom, kPerson.bottom) << c.caps;
    EXPECT_GE(view.left, -0.01) << c.caps;
    EXPECT_LE(view.bottom, 1.01) << c.caps;
  }
}

TEST(Frame, FollowsResults) {
  Regions regions("");
  regions.as_results = true;
  EXPECT_LT(difference(regions.view(), {0, 0, 1, 1}), 0.01) << "nobody";
  regions.boxes = {{"cup", {0, 0, 0.1, 0.1}}, {"person", kPerson}};
  Box view;
  for (int i = 0; i < 90; ++i) view = regions.view();
  std::printf("%.3f %.3f to %.3f %.3f\n", view.left, view.top, view.right, view.bottom);
  EXPECT_GT(view.left, 0.15);
  EXPECT_LT(view.left, kPerson.left);
  EXPECT_NEAR(view.top, 0.2, 0.03);
}

TEST(Frame, LimitsTheZoom) {
  Regions regions("max-zoom=2");
  regions.boxes = {{"person", {0.5, 0.5, 0.55, 0.6}}};
  EXPECT_NEAR(regions.view().width(), 0.5, 0.01);
}

TEST(Frame, FollowsAFaceAGroupALabelOrNobody) {
  Regions regions("follow=group max-zoom=8");
  regions.boxes = {{"person", kPerson}, {"face", {0.2, 0.4, 0.25, 0.5}}, {"cup", {0, 0, 0.1, 0.1}}};
  const Box group = regions.view();
  EXPECT_LT(group.left, 0.2);
  EXPECT_GT(group.left, 0.0);
  EXPECT_GT(group.right, 0.75);
  const auto settles = [&](const char* properties) {
    gst_util_set_object_arg(G_OBJECT(regions.pipeline().element()), "follow", properties);
    Box view;
    for (int i = 0; i < 120; ++i) view = regions.view();
    return view;
  };
  const Box person = settles("person");
  EXPECT_GT(person.left, 0.15);
  EXPECT_LT(difference(settles("none"), {0, 0, 1, 1}), 0.01);
  g_object_set(regions.pipeline().element(), "label", "cup", nullptr);
  const Box cup = settles("person");
  std::printf("a cup: %.3f %.3f to %.3f %.3f\n", cup.left, cup.top, cup.right, cup.bottom);
  EXPECT_LT(cup.right, 0.4);
}

// Follow=none shows frames bit for bit, in all formats.
TEST(Frame, ShowsTheWholeFrameUnchanged) {
  PlayingPipeline pipeline("glframe name=segment follow=none");
  for (const auto& [width, height] : {std::pair{63, 41}, {64, 48}, {1, 1}, {160, 90}}) {
    const Rgba frame = frame_with(width, height, {kPerson});
    EXPECT_EQ(pipeline.shown(frame).pixels, frame.pixels) << width << "x" << height;
  }
}

TEST(Frame, TakesPlanesAndOrientations) {
  const Rgba frame = frame_with(kWidth, kHeight, {});
  for (const char* format : {"NV12", "I420"}) {
    PlayingPipeline pipeline(std::string("glcolorconvert ! video/x-raw(memory:GLMemory),format=") + format +
                             " ! glframe name=segment follow=none");
    EXPECT_LT(difference(view_in(pipeline.shown(frame)), {0, 0, 1, 1}), 0.02) << format;
  }
  // The stored person is at the left, and above after a rotation.
  Regions turned("video-direction=90r");
  turned.boxes = {{"person", {0.05, 0.3, 0.2, 0.7}}};
  const Rgba shown = turned.shown(frame);
  EXPECT_EQ(shown.width, kHeight);
  EXPECT_EQ(shown.height, kWidth);
  // Columns of the stored frame are rows of the upright one, from the top on.
  const double top = (shown.at(shown.width / 2, 0)[1] - 10) / 235.0;
  const double bottom = (shown.at(shown.width / 2, shown.height - 1)[1] - 10) / 235.0;
  std::printf("rotated: columns %.3f to %.3f\n", top, bottom);
  EXPECT_LT(top, 0.05);
  EXPECT_GT(bottom, 0.2);
  EXPECT_LT(bottom, 0.7);
}

TEST(Frame, FollowsMasksAlsoWithLetterboxBars) {
  for (const char* fit : {"fit=stretch", "fit=letterbox"}) {
    PlayingPipeline pipeline(marked(fit) + " ! glframe name=segment");
    const Box view = view_in(pipeline.shown(frame_with(kWidth, kHeight, {kPerson})));
    std::printf("%s: %.3f %.3f to %.3f %.3f\n", fit, view.left, view.top, view.right, view.bottom);
    EXPECT_LT(view.left, kPerson.left) << fit;
    EXPECT_GT(view.left, 0.1) << fit;
    EXPECT_GT(view.right, kPerson.right) << fit;
    EXPECT_LT(view.top, kPerson.top) << fit;
  }
}

// Elements downstream see the mask of the view, and no positions in the frame that it was cut from.
TEST(Frame, CutsTheMaskAndRemovesWhatDoesNotFit) {
  PlayingPipeline pipeline(marked() + " ! glframe name=segment");
  replace_buffers(pipeline.element(), "sink", [](GstBuffer* buffer) {
    buffer = gst_buffer_make_writable(buffer);
    add_region(buffer, "person", kPerson);
    return buffer;
  });
  const LastOutput taken(pipeline);
  const Rgba shown = pipeline.shown(frame_with(kWidth, kHeight, {kPerson}));
  ASSERT_NE(taken.buffer(), nullptr);
  EXPECT_EQ(gst_buffer_get_video_region_of_interest_meta_id(taken.buffer(), 0), nullptr);
  gpointer state = nullptr;
  EXPECT_EQ(gst_buffer_iterate_meta_filtered(taken.buffer(), &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE),
            nullptr);
  const SightglassMaskMeta* meta = sightglass_buffer_get_mask_meta(taken.buffer());
  ASSERT_NE(meta, nullptr);
  EXPECT_EQ(meta->x, 0);
  EXPECT_EQ(meta->width, 1);
  const GstVideoMeta* video = gst_buffer_get_video_meta(meta->mask);
  GstVideoInfo info;
  gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, video->width, video->height);
  GstVideoFrame mapped;
  ASSERT_TRUE(gst_video_frame_map(&mapped, &info, meta->mask, GST_MAP_READ));
  int wrong = 0, all = 0;
  for (guint y = 0; y < video->height; ++y) {
    for (guint x = 0; x < video->width; ++x, ++all) {
      const uint8_t value = static_cast<const uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(
          &mapped, 0))[static_cast<ptrdiff_t>(y) * GST_VIDEO_FRAME_PLANE_STRIDE(&mapped, 0) + x];
      const auto at = [](guint i, guint count, int32_t size) { return static_cast<int32_t>((i + 0.5) / count * size); };
      wrong += (value > 127) != (shown.at(at(x, video->width, kWidth), at(y, video->height, kHeight))[0] > 127);
    }
  }
  gst_video_frame_unmap(&mapped);
  std::printf("%d of %d pixels of the mask differ from the picture\n", wrong, all);
  EXPECT_LT(wrong, all / 8) << "the mask has 16 pixels per side";
}

TEST(Frame, BeginsAnewAfterAFlushACutAndNewCaps) {
  Regions regions("");
  regions.boxes = {{"person", kPerson}};
  const Box first = regions.view();
  const Box elsewhere{0.1, 0.3, 0.25, 0.9};
  regions.boxes = {{"person", elsewhere}};
  Box view;
  for (int i = 0; i < 25; ++i) view = regions.view();
  EXPECT_LT(difference(view, first), 0.01) << "another person does not replace the first one at once";
  ASSERT_TRUE(regions.pipeline().flush());
  EXPECT_LT(regions.view().left, elsewhere.left) << "after a flush";
  regions.boxes = {{"person", kPerson}};
  EXPECT_GT(regions.view(120, 90).right, kPerson.right) << "after new caps";
  // Another picture.
  for (int i = 0; i < 3; ++i) regions.view(120, 90);
  regions.boxes = {{"person", elsewhere}};
  const Rgba other = painted(120, 90, [](int32_t x, int32_t y) {
    const int light = (x / 15 + y / 15) % 2 == 0 ? 250 : 0;
    return std::array{light, light, light};
  });
  regions.shown(other);
  EXPECT_LT(regions.view(120, 90).left, elsewhere.left) << "after a cut";
}

TEST(Frame, WarnsWithoutNewsOfPeople) {
  PlayingPipeline pipeline("glframe name=segment");
  for (int i = 0; i < 80; ++i) EXPECT_EQ(pipeline.warning(), "") << i;
  const Rgba frame = frame_with(kWidth, kHeight, {});
  for (int i = 0; i < 100; ++i) EXPECT_LT(difference(view_in(pipeline.shown(frame)), {0, 0, 1, 1}), 0.01);
  const std::string warning = pipeline.warning(1);
  EXPECT_NE(warning.find("attach-mask=true"), std::string::npos) << warning;
  EXPECT_EQ(pipeline.warning(), "") << "once";
}

TEST(Frame, RejectsValuesOutOfRange) {
  init_gstreamer();
  GstElement* element = gst_element_factory_make("glframe", nullptr);
  ASSERT_NE(element, nullptr);
  gst_object_ref_sink(element);
  struct Range {
    const char* name;
    float low, high;
  };
  for (const Range& range : {Range{"max-zoom", 1, 8}, {"margin", 0, 0.4F}, {"speed", 0.1F, 10}}) {
    const GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(element), range.name);
    ASSERT_NE(spec, nullptr) << range.name;
    EXPECT_EQ(G_PARAM_SPEC_FLOAT(spec)->minimum, range.low) << range.name;
    EXPECT_EQ(G_PARAM_SPEC_FLOAT(spec)->maximum, range.high) << range.name;
    EXPECT_NE(spec->flags & GST_PARAM_MUTABLE_PLAYING, 0) << range.name;
  }
  EXPECT_EQ(g_object_class_find_property(G_OBJECT_GET_CLASS(element), "model"), nullptr) << "it has no model";
  gst_object_unref(element);
}

TEST(Framing, NeedsMasksOfItsOwn) {
  for (const char* properties : {"framing=person", "people=main"}) {
    TestPipeline pipeline(std::string("glsegment name=segment mask-source=meta ") + properties);
    pipeline.set_state(GST_STATE_PLAYING);
    pipeline.push(Rgba(16, 16));
    EXPECT_NE(pipeline.error(5).find("put glframe downstream"), std::string::npos) << properties;
  }
}

TEST(Framing, RemovesResultsThatDoNotFit) {
  PlayingPipeline pipeline("glsegment name=segment model=" + red_model());
  replace_buffers(pipeline.element(), "sink", [](GstBuffer* buffer) {
    buffer = gst_buffer_make_writable(buffer);
    add_region(buffer, "person", kPerson);
    return buffer;
  });
  const LastOutput taken(pipeline);
  for (const int framing : {0, 1, 0}) {
    static bool framed = false;
    framed = framed || framing != 0;  // the camera eases back
    g_object_set(pipeline.element(), "framing", framing, nullptr);
    pipeline.shown(frame_with(kWidth, kHeight, {kPerson}));
    gpointer state = nullptr;
    const GstMeta* region =
        gst_buffer_iterate_meta_filtered(taken.buffer(), &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
    EXPECT_EQ(region == nullptr, framed) << framing;
  }
}

TEST(Framing, IsAPropertyOfGlsegmentThatChangesWhilePlaying) {
  PlayingPipeline pipeline(
      "glsegment name=segment background=color background-color=0xff000000 threshold=0 softness=0 "
      "despill=off refine=none smoothing=0 model=" +
      red_model());
  const Rgba frame = frame_with(kWidth, kHeight, {kPerson});
  const Rgba whole = pipeline.shown(frame);
  const auto width_of_person = [](const Rgba& shown) {
    int count = 0;
    for (int32_t x = 0; x < shown.width; ++x) count += shown.at(x, shown.height / 2)[0] > 127;
    return count / static_cast<double>(shown.width);
  };
  g_object_set(pipeline.element(), "framing", 1, nullptr);
  Rgba shown;
  for (int i = 0; i < 120; ++i) shown = pipeline.shown(frame);
  std::printf("a person of %.3f of the width becomes %.3f\n", width_of_person(whole), width_of_person(shown));
  EXPECT_GT(width_of_person(shown), 1.15 * width_of_person(whole));
  g_object_set(pipeline.element(), "framing", 0, nullptr);
  for (int i = 0; i < 310; ++i) shown = pipeline.shown(frame);
  EXPECT_EQ(shown.pixels, whole.pixels) << "back to the whole frame, without a trace";
}

// A rendered figure that moves its limbs and walks through the frame. Its true position is known.
TEST(Frame, FollowsAFigureThatWalks) {
  constexpr int kFrames = 180, kRate = 30;
  constexpr int32_t kFigureWidth = 80;
  Truths truths;
  {
    const Launched figures("glfiguresrc name=figure seed=2000004 framing=full num-buffers=" + std::to_string(kFrames) +
                           " ! video/x-raw(memory:GLMemory),width=80,height=90,framerate=30/1 ! fakesink");
    truths.collect_from(figures["figure"]);
    ASSERT_EQ(figures.outcome(), "end");
  }
  ASSERT_EQ(truths.masks.size(), static_cast<size_t>(kFrames));
  Regions regions("");
  int cuts = 0;
  double worst_cut = 0, worst_off = 0, sum_off = 0, least_share = 1;
  std::vector<std::array<double, 3>> views;
  for (int i = 0; i < kFrames; ++i) {
    // Stands for a second, walks at a fifth of the frame height per second and faster, and stands again.
    const double t = std::clamp((i / static_cast<double>(kRate) - 1) / 3.5, 0.0, 1.0);
    const double offset = 0.55 * t * t * (3 - 2 * t);
    const std::vector<uint8_t>& mask = truths.masks[static_cast<size_t>(i)];
    Box truth{1, 1, 0, 0};
    for (int32_t y = 0; y < kHeight; ++y) {
      for (int32_t x = 0; x < kFigureWidth; ++x) {
        if (mask[static_cast<size_t>(y * kFigureWidth + x)] < 128) continue;
        // Smaller, and on the ground.
        const double u = offset + 0.4 * (x + 0.5) / kFigureWidth, v = 0.2 + 0.8 * (y + 0.5) / kHeight;
        truth = {std::min(truth.left, u), std::min(truth.top, v), std::max(truth.right, u), std::max(truth.bottom, v)};
      }
    }
    regions.boxes = {{"person", truth}};
    const Box view = regions.view();
    views.push_back({(view.left + view.right) / 2 * kWidth / kHeight, (view.top + view.bottom) / 2, view.height()});
    const double cut = std::max({view.left - truth.left, truth.right - view.right, view.top - truth.top, 0.0});
    const double off = std::abs((view.left + view.right - truth.left - truth.right) / 2) / view.width();
    worst_cut = std::max(worst_cut, cut);
    cuts += cut > 0.01;
    worst_off = std::max(worst_off, off);
    sum_off += off / kFrames;
    least_share = std::min(least_share, truth.height() / view.height());
  }
  double speed = 0, jerk = 0;
  // Colors tell positions to a few thousandths: differences over a third of a second.
  constexpr size_t kStep = 10;
  constexpr double kSeconds = static_cast<double>(kStep) / kRate;
  for (size_t i = 0; i + 3 * kStep < views.size(); ++i) {
    const auto x = [&](size_t n) { return views[i + n * kStep][0]; };
    speed = std::max(speed, std::abs(x(1) - x(0)) / kSeconds / views[i][2]);
    jerk = std::max(jerk, std::abs(x(3) - 3 * x(2) + 3 * x(1) - x(0)) / std::pow(kSeconds, 3) / views[i][2]);
  }
  std::printf(
      "center off by %.3f of the view on average, %.3f at most; cut by at most %.3f, in %d frames; fills at least %.2f "
      "of the "
      "height; at most %.2f heights/s, %.1f heights/s^3\n",
      sum_off, worst_off, worst_cut, cuts, least_share, speed, jerk);
  EXPECT_LT(worst_off, 0.3);
  EXPECT_LT(sum_off, 0.12);
  EXPECT_LT(worst_cut, 0.1) << "it throws its arms up";
  EXPECT_LE(cuts, 30);
  EXPECT_LT(speed, 0.75);
  EXPECT_LT(jerk, 20);
}

}  // namespace
}  // namespace sightglass::test
