// A pipeline around glsegmentbin with a second video on its pad "background". The test feeds both.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "red_picture.h"
#include "test_pipeline.h"
#include "tiny_model.h"

namespace sightglass::test {

inline constexpr int32_t kSize = 128;  // of the foreground, unless a test sets another size

class BackgroundVideoCase : public testing::Test {
 protected:
  void SetUp() override { init_gstreamer(); }
  void TearDown() override {
    if (pipeline_ == nullptr) return;
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(pipeline_);
    pipeline_ = nullptr;
  }
  void launch(int back_rate, int32_t back_width, int32_t back_height, const std::string& properties = "",
              const std::string& more = "") {
    const auto source = [](const std::string& name, int rate, int32_t width, int32_t height) {
      return "appsrc name=" + name + " format=time caps=video/x-raw,format=RGBA,width=" + std::to_string(width) +
             ",height=" + std::to_string(height) + ",framerate=" + std::to_string(rate) + "/1 ! ";
    };
    parse(source("front", 30, kSize, kSize) + "glsegmentbin name=bin softness=0 model=" + red_model() + " " +
          properties + " ! video/x-raw,format=RGBA ! appsink name=sink sync=false " +
          source("back", back_rate, back_width, back_height) + "bin.background " + more);
    ASSERT_NE(gst_element_set_state(pipeline_, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  }
  void parse(const std::string& text) {
    GError* error = nullptr;
    pipeline_ = gst_parse_launch(text.c_str(), &error);
    ASSERT_EQ(error, nullptr) << error->message;
  }
  void push(const char* name, const Rgba& frame, GstClockTime time, GstClockTime duration) {
    GstElement* source = part_of(pipeline_, name);
    GstBuffer* buffer = gst_buffer_new_memdup(frame.pixels.data(), frame.pixels.size());
    GST_BUFFER_PTS(buffer) = time;
    GST_BUFFER_DURATION(buffer) = duration;
    gst_app_src_push_buffer(GST_APP_SRC(source), buffer);
  }
  void end(const char* name) { gst_app_src_end_of_stream(GST_APP_SRC(part_of(pipeline_, name))); }
  struct Out {
    Rgba picture;
    GstClockTime time = 0;
  };
  std::optional<Out> output(GstClockTime patience = 20 * GST_SECOND) {
    GstElement* sink = part_of(pipeline_, "sink");
    GstSample* sample = gst_app_sink_try_pull_sample(GST_APP_SINK(sink), patience);
    if (sample == nullptr) return std::nullopt;
    GstBuffer* buffer = gst_sample_get_buffer(sample);
    GstVideoInfo info;
    EXPECT_TRUE(gst_video_info_from_caps(&info, gst_sample_get_caps(sample)));
    Out out{Rgba(info.width, info.height), GST_BUFFER_PTS(buffer)};
    gst_buffer_extract(buffer, 0, out.picture.pixels.data(), out.picture.pixels.size());
    gst_sample_unref(sample);
    return out;
  }
  // Plays to the end.
  std::vector<Out> outputs() {
    std::vector<Out> all;
    while (std::optional<Out> out = output()) all.push_back(std::move(*out));
    EXPECT_EQ(outcome_of(pipeline_), "end");
    return all;
  }
  bool has(const char* name) const { return part_of(pipeline_, name) != nullptr; }
  // As an application does: stops the frames of the other video before the pad is removed. Otherwise the next push
  // fails.
  void stop_back() {
    GstElement* back = part_of(pipeline_, "back");
    if (back == nullptr) return;
    GstPad* pad = pad_of(back, "src");
    stop_ = gst_pad_add_probe(
        pad, GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM, [](GstPad*, GstPadProbeInfo*, gpointer) { return GST_PAD_PROBE_DROP; },
        nullptr, nullptr);
  }
  void release_background() {
    stop_back();
    GstElement* bin = part_of(pipeline_, "bin");
    GstPad* pad = pad_of(bin, "background");
    ASSERT_NE(pad, nullptr);
    gst_element_release_request_pad(bin, pad);
  }
  // Restarts the source that release_background() has stopped.
  void request_background() {
    GstElement* bin = gst_bin_get_by_name(GST_BIN(pipeline_), "bin");
    GstElement* back = gst_bin_get_by_name(GST_BIN(pipeline_), "back");
    GstPad* source = gst_element_get_static_pad(back, "src");
    GstPad* pad = gst_element_request_pad_simple(bin, "background");
    ASSERT_NE(pad, nullptr);
    gst_pad_remove_probe(source, stop_);
    ASSERT_EQ(gst_pad_link(source, pad), GST_PAD_LINK_OK);
    for (gpointer object : {gpointer(pad), gpointer(source), gpointer(back), gpointer(bin)}) gst_object_unref(object);
  }

  GstElement* pipeline_ = nullptr;
  gulong stop_ = 0;  // the probe of stop_back()
};

// A uniform gray image.
inline Rgba shade(int32_t width, int32_t height, int value) {
  Rgba frame(width, height);
  for (size_t i = 0; i < frame.pixels.size(); ++i) frame.pixels[i] = static_cast<uint8_t>(i % 4 == 3 ? 255 : value);
  return frame;
}

inline constexpr const char* kOwnBackground = "background=color background-color=0xff00ff00";  // green
inline constexpr int kShade = 200;                                                             // of the other video

// The background: 'v' for the other video, 'o' for the background of the element, '?' for neither.
inline char background_of(const Rgba& picture) {
  const uint8_t* pixel = picture.at(kSize - 16, 60);
  const auto is = [pixel](int r, int g, int b) {
    return std::abs(pixel[0] - r) <= 2 && std::abs(pixel[1] - g) <= 2 && std::abs(pixel[2] - b) <= 2 && pixel[3] >= 253;
  };
  return is(kShade, kShade, kShade) ? 'v' : is(0, 255, 0) ? 'o' : '?';
}

}  // namespace sightglass::test
