// Example results, and buffers to attach them to.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <utility>

#include "meta/inference_results.h"

namespace sightglass::test {

struct BufferUnref {
  void operator()(GstBuffer* buffer) const { gst_buffer_unref(buffer); }
};
using OwnedBuffer = std::unique_ptr<GstBuffer, BufferUnref>;
inline OwnedBuffer new_buffer(GstClockTime time = 40 * GST_MSECOND) {
  OwnedBuffer buffer(gst_buffer_new_allocate(nullptr, 16, nullptr));
  GST_BUFFER_PTS(buffer.get()) = time;
  GST_BUFFER_DURATION(buffer.get()) = 20 * GST_MSECOND;
  return buffer;
}

// Two objects from an earlier frame. One of them is tracked and has the points of a skeleton.
inline InferenceResults some_results() {
  InferenceResults results;
  results.model = "movenet";
  results.frame = {20 * GST_MSECOND, 21 * GST_MSECOND, 22 * GST_MSECOND, 5, 200, 100};
  ResultObject person{"person", 0, 0.875F, {0.25F, 0.1F, 0.75F, 1.2F}, 0.5F, 3, {}, &coco_skeleton()};
  for (int i = 0; i < 17; ++i) {
    const float place = static_cast<float>(i) / 32;
    person.points.push_back({place, place / 2, -place, 0.9F, 0.8F, 1, 2, 3});
  }
  results.objects = {person, {"", -1, 0.5F, {-0.2F, -0.1F, 0.5F, 0.5F}, 0, 0, {}, nullptr}};
  return results;
}
// A face with two blendshapes.
inline InferenceResults expressive() {
  InferenceResults results;
  results.model = "face";
  results.frame = {10, 30 * GST_MSECOND, 12, 6, 200, 100};
  ResultObject face{"face", 0, 1, {0.25F, 0.1F, 0.75F, 0.5F}, 0, 1, {}, nullptr};
  face.classifications = {{"_neutral", 0, 0.125F}, {"jawOpen", 1, 0.5F}};
  results.objects = {face};
  return results;
}
inline InferenceResults classified() {
  InferenceResults results;
  results.model = "mobilenet";
  results.frame = {10, 30 * GST_MSECOND, 12, 6, 200, 100};
  results.classifications = {{"cat", 281, 0.75F}, {"dog", 5, 0.25F}};
  return results;
}
inline SharedResults shared(InferenceResults results) {
  return std::make_shared<const InferenceResults>(std::move(results));
}

}  // namespace sightglass::test
