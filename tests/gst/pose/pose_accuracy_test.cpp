// glpose on a video of squats: the distance of its points from those of the full MediaPipe model.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test_pipeline.h"

namespace sightglass::test {
namespace {

constexpr int kLeftShoulder = 11, kRightShoulder = 12, kLeftHip = 23, kRightHip = 24;

struct Place {
  double x = 0, y = 0;  // pixels
  double visibility = 0;
  bool operator==(const Place&) const = default;
};
Place middle(const Place& a, const Place& b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2, 0}; }
double distance(const Place& a, const Place& b) { return std::hypot(a.x - b.x, a.y - b.y); }
// From the center of the shoulders to the center of the hips.
double torso(const std::vector<Place>& points) {
  return distance(middle(points[kLeftShoulder], points[kRightShoulder]), middle(points[kLeftHip], points[kRightHip]));
}

using Poses = std::map<size_t, std::vector<Place>>;  // per frame

Poses expected_poses(const std::string& shared) {
  Poses poses;
  const auto frames = nlohmann::json::parse(std::ifstream(shared + "/media/mp_pose_squats.full.json"));
  for (const auto& frame : frames) {
    std::vector<Place>& points = poses[poses.size()];
    for (const auto& point : frame) points.push_back({point[0], point[1], 1});
  }
  return poses;
}

void note(Poses& poses, const GstStructure& results) {
  guint64 frame = 0;
  guint width = 0, height = 0;
  gst_structure_get(&results, "frame", G_TYPE_UINT64, &frame, "width", G_TYPE_UINT, &width, "height", G_TYPE_UINT,
                    &height, nullptr);
  const GValue* objects = gst_structure_get_value(&results, "objects");
  if (gst_value_list_get_size(objects) == 0) return;
  const GstStructure* person = gst_value_get_structure(gst_value_list_get_value(objects, 0));
  const GValue* points = gst_structure_get_value(person, "points");
  for (guint i = 0; i < gst_value_list_get_size(points); ++i) {
    const GstStructure* point = gst_value_get_structure(gst_value_list_get_value(points, i));
    Place place;
    gst_structure_get(point, "x", G_TYPE_DOUBLE, &place.x, "y", G_TYPE_DOUBLE, &place.y, "visibility", G_TYPE_DOUBLE,
                      &place.visibility, nullptr);
    poses[frame].push_back({place.x * width, place.y * height, place.visibility});
  }
}

// Plays the whole video and collects the messages. The download prevents frames from running ahead of the GPU.
Poses found_poses(const std::string& shared, const std::string& options) {
  const Launched pipeline("filesrc location=" + shared +
                          "/media/mp_pose_squats.mp4 ! decodebin ! videoconvert ! video/x-raw,format=RGBA ! glupload "
                          "! glpose results=message model=" +
                          shared + "/models/pose/blazepose_landmark_lite.tflite " + options +
                          " ! gldownload ! fakesink sync=false");
  pipeline.play();
  Poses poses;
  GstBus* bus = gst_element_get_bus(pipeline.get());
  const auto wanted = static_cast<GstMessageType>(GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  bool more = true;
  while (more) {
    GstMessage* message = gst_bus_timed_pop_filtered(bus, 60 * GST_SECOND, wanted);
    more = message != nullptr && GST_MESSAGE_TYPE(message) == GST_MESSAGE_ELEMENT;
    if (more && gst_message_has_name(message, "sightglass-results")) note(poses, *gst_message_get_structure(message));
    if (message != nullptr) gst_message_unref(message);
  }
  gst_object_unref(bus);
  return poses;
}

struct Error {
  double mean = 0, worst = 0;  // in torsos: over all points, and for the point with the largest mean
  size_t frames = 0;
};

Error compare(const Poses& expected, const Poses& found) {
  Error error;
  std::array<double, 33> by_point{};
  for (const auto& [frame, points] : found) {
    const auto golden = expected.find(frame);
    if (golden == expected.end() || points.size() != golden->second.size()) continue;
    ++error.frames;
    const double size = torso(golden->second);
    for (size_t i = 0; i < points.size(); ++i) by_point[i] += distance(points[i], golden->second[i]) / size;
  }
  for (double& sum : by_point) {
    sum /= static_cast<double>(error.frames);
    error.mean += sum / static_cast<double>(by_point.size());
    error.worst = std::max(error.worst, sum);
  }
  return error;
}

TEST(PoseAccuracy, SquatsWithTheLiteModel) {
  const std::string shared = shared_directory();
  if (shared.empty()) GTEST_SKIP() << "needs the real models and media of ../shared";
  init_gstreamer();
  GstElement* decoder = gst_element_factory_make("avdec_h264", nullptr);
  if (decoder == nullptr) decoder = gst_element_factory_make("openh264dec", nullptr);
  if (decoder == nullptr) GTEST_SKIP() << "needs an H.264 decoder";
  gst_object_unref(decoder);
  const Poses expected = expected_poses(shared);
  Poses with_limits;
  for (const std::string options : {"smoothing=true", "smoothing=false", "limb-limits=false"}) {
    const Poses found = found_poses(shared, options);
    if (with_limits.empty()) with_limits = found;
    EXPECT_TRUE(options != "limb-limits=false" || found == with_limits) << "no limb is too long";
    const Error error = compare(expected, found);
    std::printf("%s: %zu of %zu frames, mean landmark error %.4f torsos, worst landmark %.4f\n", options.c_str(),
                error.frames, expected.size(), error.mean, error.worst);
    EXPECT_EQ(error.frames, expected.size());
    EXPECT_LT(error.mean, 0.048);
  }
}

}  // namespace
}  // namespace sightglass::test
