// Images that are not stored upright: the model and the output get them upright, whatever states the orientation.
#include <gst/gl/gl.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {
namespace {

constexpr int32_t kWidth = 48, kHeight = 32;

// No two positions are alike, and one corner is foreground for the model.
Rgba asymmetric(int32_t width, int32_t height) {
  return painted(width, height, [=](int32_t x, int32_t y) {
    const bool corner = x < width / 2 && y < height / 2;
    return std::array{corner ? 230 : x, x * 3, y * 5};
  });
}

struct Case {
  const char* tag;  // image-orientation
  GstVideoOrientationMethod method;
  // The position of an upright pixel in the stored image: x = a * X + b * Y, and so on, in pixels from the center.
  int xx, xy, yx, yy;
};
// The meaning of the tag names: first the flip (left and right are swapped), then the clockwise rotation.
constexpr Case kCases[] = {
    {"rotate-0", GST_VIDEO_ORIENTATION_IDENTITY, 1, 0, 0, 1},
    {"rotate-90", GST_VIDEO_ORIENTATION_90R, 0, 1, -1, 0},
    {"rotate-180", GST_VIDEO_ORIENTATION_180, -1, 0, 0, -1},
    {"rotate-270", GST_VIDEO_ORIENTATION_90L, 0, -1, 1, 0},
    {"flip-rotate-0", GST_VIDEO_ORIENTATION_HORIZ, -1, 0, 0, 1},
    {"flip-rotate-270", GST_VIDEO_ORIENTATION_UL_LR, 0, 1, 1, 0},
    {"flip-rotate-180", GST_VIDEO_ORIENTATION_VERT, 1, 0, 0, -1},
    {"flip-rotate-90", GST_VIDEO_ORIENTATION_UR_LL, 0, -1, -1, 0},
};

Rgba upright(const Rgba& stored, const Case& c) {
  const bool swapped = c.xx == 0;
  Rgba result(swapped ? stored.height : stored.width, swapped ? stored.width : stored.height);
  for (int32_t y = 0; y < result.height; ++y) {
    for (int32_t x = 0; x < result.width; ++x) {
      const int32_t u = 2 * x + 1 - result.width, v = 2 * y + 1 - result.height;
      const int32_t from_x = (c.xx * u + c.xy * v + stored.width - 1) / 2;
      const int32_t from_y = (c.yx * u + c.yy * v + stored.height - 1) / 2;
      std::copy_n(stored.at(from_x, from_y), 4, result.at(x, y));
    }
  }
  return result;
}

// Everything is foreground: the output is the frame.
std::string whole_frame() { return "glsegment name=segment background=color input-offset=10 model=" + red_model(); }
std::string mask_of_corner() { return "glsegment name=segment background=mask model=" + red_model(); }

void expect_corner(const std::optional<Rgba>& mask, const Rgba& picture, const char* what) {
  ASSERT_TRUE(mask) << what;
  ASSERT_EQ(mask->width, picture.width) << what;
  ASSERT_EQ(mask->height, picture.height) << what;
  for (const auto& [x, y] : {std::pair{1, 1}, {3, 1}, {1, 3}, {3, 3}}) {
    const int32_t at_x = picture.width * x / 4, at_y = picture.height * y / 4;
    const int expected = picture.at(at_x, at_y)[0] > 200 ? 255 : 0;
    EXPECT_EQ(mask->at(at_x, at_y)[0], expected) << what << ", at " << at_x << " " << at_y;
  }
}

void expect_same(const std::optional<Rgba>& got, const Rgba& expected, const char* what) {
  ASSERT_TRUE(got) << what;
  ASSERT_EQ(got->width, expected.width) << what;
  ASSERT_EQ(got->height, expected.height) << what;
  EXPECT_TRUE(got->pixels == expected.pixels) << what;
}

TEST(Orientation, FollowsTags) {
  const Rgba stored = asymmetric(kWidth, kHeight);
  for (const Case& c : kCases) {
    for (const bool mask : {false, true}) {
      PlayingPipeline pipeline("taginject tags=image-orientation=" + std::string(c.tag) + " ! " +
                               (mask ? mask_of_corner() : whole_frame()));
      const auto out = pipeline.pass(stored);
      if (mask) {
        expect_corner(out, upright(stored, c), c.tag);
      } else {
        expect_same(out, upright(stored, c), c.tag);
      }
      EXPECT_EQ(pipeline.error(), "") << c.tag;
      // No other element rotates the frames again.
      GstPad* src = pad_of(pipeline.element(), "src");
      GstEvent* event = nullptr;
      std::string said;
      for (guint i = 0; (event = gst_pad_get_sticky_event(src, GST_EVENT_TAG, i)) != nullptr; ++i) {
        GstTagList* tags = nullptr;
        gst_event_parse_tag(event, &tags);
        gchar* text = nullptr;
        if (gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text)) said = text;
        g_free(text);
        gst_event_unref(event);
      }
      EXPECT_EQ(said, "rotate-0") << c.tag;
    }
  }
}

// Set in mid-stream, overriding the tag.
TEST(Orientation, FollowsTheProperty) {
  const Rgba stored = asymmetric(kWidth, kHeight);
  PlayingPipeline pipeline("taginject tags=image-orientation=rotate-180 ! " + mask_of_corner());
  for (const char* background : {"mask", "blur"}) {
    gst_util_set_object_arg(G_OBJECT(pipeline.element()), "background", background);
    for (const Case& c : kCases) {
      g_object_set(pipeline.element(), "video-direction", c.method, nullptr);
      const auto out = pipeline.pass(stored);
      if (background == std::string("mask")) {
        expect_corner(out, upright(stored, c), c.tag);
        continue;
      }
      // Mask, frame, and blur match each other as they do with an upright image.
      g_object_set(pipeline.element(), "video-direction", GST_VIDEO_ORIENTATION_IDENTITY, nullptr);
      const auto expected = pipeline.pass(upright(stored, c));
      ASSERT_TRUE(out && expected) << c.tag << ": " << pipeline.error(1);
      ASSERT_EQ(out->width, expected->width) << c.tag;
      int largest = 0;
      for (size_t i = 0; i < out->pixels.size(); ++i) {
        largest = std::max(largest, std::abs(int{out->pixels[i]} - int{expected->pixels[i]}));
      }
      EXPECT_LE(largest, 2) << c.tag;
    }
  }
  GstVideoOrientationMethod method = GST_VIDEO_ORIENTATION_IDENTITY;
  g_object_set(pipeline.element(), "video-direction", GST_VIDEO_ORIENTATION_AUTO, nullptr);
  g_object_get(pipeline.element(), "video-direction", &method, nullptr);
  EXPECT_EQ(method, GST_VIDEO_ORIENTATION_AUTO);
  EXPECT_TRUE(GST_IS_VIDEO_DIRECTION(pipeline.element()));
  EXPECT_EQ(pipeline.error(), "");
}

// The transformation maps positions between -1 and 1, with y upward, from the stored image to the shown one.
TEST(Orientation, FollowsAffineMetadata) {
  const Rgba stored = asymmetric(kHeight, kHeight);
  for (const Case& c : kCases) {
    TestPipeline pipeline(whole_frame());
    // The inverse of the map, which is its transpose, with y flipped on both sides.
    std::array<gfloat, 16> ndc{};
    for (const auto& [at, value] : {std::pair{0, c.xx}, {1, -c.xy}, {4, -c.yx}, {5, c.yy}, {10, 1}, {15, 1}}) {
      ndc[static_cast<size_t>(at)] = static_cast<gfloat>(value);
    }
    replace_buffers(pipeline.element(), "sink", [&ndc](GstBuffer* shared) {
      GstBuffer* buffer = gst_buffer_make_writable(shared);
      GstVideoAffineTransformationMeta* meta = gst_buffer_add_video_affine_transformation_meta(buffer);
      gst_gl_set_affine_transformation_meta_from_ndc(meta, ndc.data());
      return buffer;
    });
    ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
    expect_same(pipeline.pass(stored), upright(stored, c), c.tag);
    EXPECT_EQ(pipeline.error(), "") << c.tag;
  }
}

// Only gltransformation can draw perspective views. It does so as long as no element accepts its metadata.
TEST(Orientation, LeavesPerspectiveToGltransformation) {
  const std::string view = "gltransformation rotation-x=0.5 rotation-z=0.3 scale-x=0.8 ! ";
  std::vector<Rgba> pictures;
  for (const std::string between : {"", "gldownload ! video/x-raw ! glupload ! "}) {
    PlayingPipeline pipeline(view + between + whole_frame());
    const Rgba out = pipeline.shown(asymmetric(kWidth, kHeight));
    pictures.push_back(out);
  }
  EXPECT_TRUE(pictures[0].pixels == pictures[1].pixels);
}

}  // namespace
}  // namespace sightglass::test
