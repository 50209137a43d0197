// Results as metadata and messages, from results made by the test.
#include <gst/check/gstharness.h>
#include <gst/video/gstvideometa.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cmath>

#include "detect/detections.h"
#include "meta/meta_types.h"
#include "results/delivery.h"
#include "results/readback.h"
#include "some_results.h"
#include "test_pipeline.h"
#include "tiny_model.h"

#ifdef SIGHTGLASS_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

namespace sightglass::test {
namespace {

class Results : public ::testing::Test {
 protected:
  void SetUp() override { init_gstreamer(); }
};

const SightglassResults* first_results(GstBuffer* buffer) {
  gpointer state = nullptr;
  const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(buffer, &state);
  return meta != nullptr ? meta->results : nullptr;
}

std::string models_of(GstBuffer* buffer) {
  gpointer state = nullptr;
  std::string models;
  while (const SightglassResultsMeta* meta = sightglass_buffer_iterate_results_meta(buffer, &state)) {
    models += std::string(meta->results->model) + " ";
  }
  return models;
}

TEST_F(Results, AreAccessibleFromC) {
  const OwnedBuffer buffer = new_buffer();
  EXPECT_EQ(first_results(buffer.get()), nullptr);
  ASSERT_TRUE(attach_results(buffer.get(), shared(some_results()), 200, 100));
  const SightglassResults* results = first_results(buffer.get());
  ASSERT_NE(results, nullptr);
  EXPECT_STREQ(results->model, "movenet");
  EXPECT_EQ(results->timestamp, 20 * GST_MSECOND);
  EXPECT_EQ(results->stream_time, 21 * GST_MSECOND);
  EXPECT_EQ(results->running_time, 22 * GST_MSECOND);
  EXPECT_EQ(results->frame, 5U);
  EXPECT_EQ(results->width, 200U);
  ASSERT_EQ(results->objects_count, 2U);
  const SightglassResultObject& person = results->objects[0];
  EXPECT_STREQ(person.label, "person");
  EXPECT_EQ(person.label_id, 0);
  EXPECT_EQ(person.id, 3U);
  EXPECT_FLOAT_EQ(person.x, 0.25F);
  EXPECT_FLOAT_EQ(person.width, 0.5F);
  EXPECT_FLOAT_EQ(person.height, 1.1F);
  ASSERT_EQ(person.points_count, 17U);
  EXPECT_STREQ(person.points[0].name, "nose");
  EXPECT_FLOAT_EQ(person.points[16].x, 0.5F);
  EXPECT_FLOAT_EQ(person.points[16].world_z, 3);
  EXPECT_EQ(results->objects[1].label, nullptr);
  EXPECT_EQ(results->objects[1].points, nullptr);
}

TEST_F(Results, StayWithCopiesAndScaledFrames) {
  OwnedBuffer buffer = new_buffer();
  ASSERT_TRUE(attach_results(buffer.get(), shared(some_results()), 200, 100));
  const OwnedBuffer copy(gst_buffer_copy(buffer.get()));
  const OwnedBuffer part(gst_buffer_copy_region(buffer.get(), GST_BUFFER_COPY_ALL, 0, 8));
  EXPECT_EQ(first_results(part.get()), nullptr);
  buffer.reset();
  ASSERT_NE(first_results(copy.get()), nullptr);
  EXPECT_STREQ(first_results(copy.get())->objects[0].label, "person") << "the copy has its own reference";

  GstHarness* harness = gst_harness_new_parse("videoscale ! capsfilter caps=video/x-raw,width=50,height=50");
  gst_harness_set_src_caps_str(harness, "video/x-raw,format=RGBA,width=200,height=100,framerate=25/1");
  GstBuffer* picture = gst_buffer_new_allocate(nullptr, 200 * 100 * 4, nullptr);
  ASSERT_TRUE(attach_results(picture, shared(some_results()), 200, 100));
  const OwnedBuffer scaled(gst_harness_push_and_pull(harness, picture));
  ASSERT_NE(first_results(scaled.get()), nullptr);
  EXPECT_FLOAT_EQ(first_results(scaled.get())->objects[0].x, 0.25F);
  const GstVideoRegionOfInterestMeta* region = gst_buffer_get_video_region_of_interest_meta(scaled.get());
  ASSERT_NE(region, nullptr);
  EXPECT_EQ(region->x, 12U) << "regions of interest are in pixels, and are scaled";
  gst_harness_teardown(harness);
}

TEST_F(Results, OfSeveralElementsFollowEachOther) {
  const OwnedBuffer buffer = new_buffer();
  ASSERT_TRUE(attach_results(buffer.get(), shared(some_results()), 200, 100));
  ASSERT_TRUE(attach_results(buffer.get(), shared(classified()), 200, 100));
  EXPECT_EQ(models_of(buffer.get()), "movenet mobilenet ");
}

TEST_F(Results, AreRegionsOfInterest) {
  const OwnedBuffer buffer = new_buffer();
  ASSERT_TRUE(attach_results(buffer.get(), shared(some_results()), 200, 100));
  gpointer state = nullptr;
  std::vector<const GstVideoRegionOfInterestMeta*> regions;
  while (GstMeta* meta =
             gst_buffer_iterate_meta_filtered(buffer.get(), &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    regions.push_back(reinterpret_cast<const GstVideoRegionOfInterestMeta*>(meta));
  }
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_STREQ(g_quark_to_string(regions[0]->roi_type), "person");
  EXPECT_STREQ(g_quark_to_string(regions[1]->roi_type), "object");
  EXPECT_EQ(regions[0]->id, 3);
  EXPECT_EQ(regions[0]->x, 50U);
  EXPECT_EQ(regions[0]->y, 10U);
  EXPECT_EQ(regions[0]->w, 100U);
  EXPECT_EQ(regions[0]->h, 90U) << "clipped";
  EXPECT_EQ(regions[1]->x, 0U);
  EXPECT_EQ(regions[1]->w, 100U);
  const GstStructure* detection =
      gst_video_region_of_interest_meta_get_param(const_cast<GstVideoRegionOfInterestMeta*>(regions[0]), "detection");
  ASSERT_NE(detection, nullptr);
  double confidence = 0, right = 0;
  ASSERT_TRUE(
      gst_structure_get(detection, "confidence", G_TYPE_DOUBLE, &confidence, "x_max", G_TYPE_DOUBLE, &right, nullptr));
  EXPECT_EQ(confidence, 0.875);
  EXPECT_EQ(right, 0.75);
  const GstStructure* points =
      gst_video_region_of_interest_meta_get_param(const_cast<GstVideoRegionOfInterestMeta*>(regions[0]), "keypoints");
  ASSERT_NE(points, nullptr);
  const GValue *names = gst_structure_get_value(points, "names"), *x = gst_structure_get_value(points, "x");
  ASSERT_EQ(gst_value_array_get_size(names), 17U);
  EXPECT_STREQ(g_value_get_string(gst_value_array_get_value(names, 0)), "nose");
  EXPECT_EQ(g_value_get_double(gst_value_array_get_value(x, 16)), 0.5);
}

// For applications that use only this GStreamer metadata.
TEST_F(Results, ClassificationsAreARegionOfTheWholeFrame) {
  const OwnedBuffer buffer = new_buffer();
  ASSERT_TRUE(attach_results(buffer.get(), shared(classified()), 200, 100));
  GstVideoRegionOfInterestMeta* region = gst_buffer_get_video_region_of_interest_meta(buffer.get());
  ASSERT_NE(region, nullptr);
  EXPECT_STREQ(g_quark_to_string(region->roi_type), "classification");
  EXPECT_EQ(region->x, 0U);
  EXPECT_EQ(region->y, 0U);
  EXPECT_EQ(region->w, 200U);
  EXPECT_EQ(region->h, 100U);
  ASSERT_EQ(g_list_length(region->params), 2U);
  const GstStructure* best = gst_video_region_of_interest_meta_get_param(region, "classification");
  ASSERT_NE(best, nullptr);
  EXPECT_STREQ(gst_structure_get_string(best, "label"), "cat");
  EXPECT_STREQ(gst_structure_get_string(best, "model_name"), "mobilenet");
  double confidence = 0;
  gint label = 0;
  guint64 timestamp = 0;
  ASSERT_TRUE(gst_structure_get(best, "confidence", G_TYPE_DOUBLE, &confidence, "label_id", G_TYPE_INT, &label,
                                "timestamp", G_TYPE_UINT64, &timestamp, nullptr));
  EXPECT_EQ(confidence, 0.75);
  EXPECT_EQ(label, 281);
  EXPECT_EQ(timestamp, 10U);
  const auto* second = static_cast<const GstStructure*>(region->params->next->data);
  EXPECT_STREQ(gst_structure_get_string(second, "label"), "dog");
}

TEST_F(Results, ArePostedAsMessages) {
  GstElement* element = gst_element_factory_make("identity", nullptr);
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  InferenceResults results = some_results();
  results.objects[1].label = "caf\xE9";  // invalid UTF-8, which label files may contain
  results.classifications = classified().classifications;
  post_results(element, results);
  GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT);
  ASSERT_NE(message, nullptr);
  const GstStructure* structure = gst_message_get_structure(message);
  EXPECT_STREQ(gst_structure_get_name(structure), "sightglass-results");
  guint64 timestamp = 0, stream_time = 0, running_time = 0, frame = 0;
  ASSERT_TRUE(gst_structure_get(structure, "timestamp", G_TYPE_UINT64, &timestamp, "stream-time", G_TYPE_UINT64,
                                &stream_time, "running-time", G_TYPE_UINT64, &running_time, "frame", G_TYPE_UINT64,
                                &frame, nullptr));
  EXPECT_EQ(timestamp, 20 * GST_MSECOND);
  EXPECT_EQ(stream_time, 21 * GST_MSECOND);
  EXPECT_EQ(running_time, 22 * GST_MSECOND);
  EXPECT_EQ(frame, 5U);
  const GValue* objects = gst_structure_get_value(structure, "objects");
  ASSERT_EQ(gst_value_list_get_size(objects), 2U);
  const GstStructure* person = gst_value_get_structure(gst_value_list_get_value(objects, 0));
  EXPECT_STREQ(gst_structure_get_string(person, "label"), "person");
  ASSERT_EQ(gst_value_list_get_size(gst_structure_get_value(person, "points")), 17U);
  const GstStructure* nose =
      gst_value_get_structure(gst_value_list_get_value(gst_structure_get_value(person, "points"), 0));
  EXPECT_STREQ(gst_structure_get_string(nose, "name"), "nose");
  const GstStructure* other = gst_value_get_structure(gst_value_list_get_value(objects, 1));
  EXPECT_TRUE(g_utf8_validate(gst_structure_get_string(other, "label"), -1, nullptr));
  EXPECT_EQ(gst_value_list_get_size(gst_structure_get_value(structure, "classifications")), 2U);
  // Applications log messages, and send them to other processes.
  gchar* text = gst_structure_to_string(structure);
  EXPECT_NE(text, nullptr);
  g_free(text);
  gst_message_unref(message);
  gst_element_set_bus(element, nullptr);
  gst_object_unref(bus);
  gst_object_unref(element);
}

TEST(DecodeResults, PeopleAreObjectsWithKeypoints) {
  Persons persons;
  persons.count = 3;
  persons.persons[0].points_count = 17;
  persons.persons[0].points[16].x = 0.5F;
  persons.persons[0].id = 4;
  persons.persons[0].box = {0.1F, 0.2F, 0.3F, 0.4F};
  persons.persons[2].points_count = 1000;
  persons.persons[3].points_count = 17;
  const auto objects = persons_of(std::as_bytes(std::span(&persons, 1)), blazepose_skeleton());
  ASSERT_EQ(objects.size(), 2U);
  EXPECT_EQ(objects[0].label, "person");
  EXPECT_EQ(objects[0].id, 4);
  EXPECT_EQ(objects[0].box, persons.persons[0].box);
  ASSERT_EQ(objects[0].points.size(), 17U);
  EXPECT_EQ(objects[0].points[16].x, 0.5F);
  EXPECT_EQ(objects[1].points.size(), 33U) << "limited to the available ones";
  persons.count = 1000;
  EXPECT_EQ(persons_of(std::as_bytes(std::span(&persons, 1)), blazepose_skeleton()).size(), 3U);
  persons.count = -1;
  EXPECT_TRUE(persons_of(std::as_bytes(std::span(&persons, 1)), blazepose_skeleton()).empty());
  EXPECT_TRUE(persons_of({}, blazepose_skeleton()).empty());
}

TEST(DecodeResults, DetectionsHaveLabels) {
  Detections detections;
  detections.count = 3;
  detections.detections[0] = {{0.1F, 0.2F, 0.3F, 0.4F}, 0.75F, 1, 2, 0, 9, 0, 0, 0, {{{0.5F, 0.6F}, {0.7F, 0.8F}}}};
  detections.detections[1].class_id = 7;
  detections.detections[2].class_id = -5;
  const std::string labels[] = {"cat", "dog"};
  const auto objects = detections_of(std::as_bytes(std::span(&detections, 1)), labels, {});
  ASSERT_EQ(objects.size(), 3U);
  EXPECT_EQ(objects[0].label, "dog");
  EXPECT_EQ(objects[0].score, 0.75F);
  EXPECT_EQ(objects[0].id, 9);
  ASSERT_EQ(objects[0].points.size(), 2U);
  EXPECT_EQ(objects[0].points[1].y, 0.8F);
  EXPECT_EQ(objects[1].label, "");
  EXPECT_EQ(objects[1].class_id, 7);
  EXPECT_EQ(objects[2].label, "");
}

// A box of 80 x 20 pixels, rotated by 30 degrees in a frame of 200 x 100 pixels.
Detections rotated_detection() {
  Detections detections;
  detections.count = 1;
  Detection& detection = detections.detections[0];
  detection.corners_count = 4;
  detection.score = 0.75F;
  const double c = std::cos(M_PI / 6), s = std::sin(M_PI / 6);
  for (size_t k = 0; k < 4; ++k) {
    const double right = k == 1 || k == 2 ? 40 : -40, below = k >= 2 ? 10 : -10;
    detection.points[k] = {static_cast<float>((100 + c * right - s * below) / 200),
                           static_cast<float>((60 + s * right + c * below) / 100)};
  }
  detection.box = {detection.points[3][0], detection.points[0][1], detection.points[1][0], detection.points[2][1]};
  return detections;
}

TEST_F(Results, RotatedBoxesHaveTheirSides) {
  const Detections detections = rotated_detection();
  FrameStamp frame;
  frame.width = 200;
  frame.height = 100;
  InferenceResults results{"model", frame, detections_of(std::as_bytes(std::span(&detections, 1)), {}, frame), {}};
  ASSERT_EQ(results.objects.size(), 1U);
  const ResultObject& object = results.objects[0];
  EXPECT_NEAR(object.rotation, M_PI / 6, 1e-5);
  const std::array<float, 4> box{0.3F, 0.5F, 0.7F, 0.7F};
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(object.box[k], box[k], 1e-5) << k;
  EXPECT_EQ(object.bounds, detections.detections[0].box);
  EXPECT_TRUE(object.points.empty()) << "corners are no keypoints";
  const OwnedBuffer buffer = new_buffer();
  ASSERT_TRUE(attach_results(buffer.get(), shared(results), 200, 100));
  // Consumers of regions do not rotate: theirs enclose the box.
  const GstVideoRegionOfInterestMeta* region = gst_buffer_get_video_region_of_interest_meta(buffer.get());
  ASSERT_NE(region, nullptr);
  EXPECT_EQ(region->x, 60U);
  EXPECT_EQ(region->w, 80U);
  EXPECT_EQ(region->y, 31U);
  EXPECT_EQ(region->h, 58U);
  gdouble rotation = 0, left = 0;
  const GstStructure* detection =
      gst_video_region_of_interest_meta_get_param(const_cast<GstVideoRegionOfInterestMeta*>(region), "detection");
  ASSERT_NE(detection, nullptr);
  EXPECT_TRUE(
      gst_structure_get(detection, "rotation", G_TYPE_DOUBLE, &rotation, "x_min", G_TYPE_DOUBLE, &left, nullptr));
  EXPECT_NEAR(rotation, M_PI / 6, 1e-5);
  EXPECT_NEAR(left, 0.3, 1e-5);
  const SightglassResults* seen = first_results(buffer.get());
  ASSERT_NE(seen, nullptr);
  EXPECT_NEAR(seen->objects[0].rotation, M_PI / 6, 1e-5);
  EXPECT_NEAR(seen->objects[0].width, 0.4, 1e-5);
}

TEST_F(Results, TimesAreThoseOfTheSegment) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = 10 * GST_MSECOND;
  segment.time = 500 * GST_MSECOND;
  segment.base = 3 * GST_MSECOND;
  const OwnedBuffer buffer = new_buffer();
  const FrameStamp stamp = frame_stamp(buffer.get(), segment, 7, 64, 48);
  EXPECT_EQ(stamp.timestamp, 40 * GST_MSECOND);
  EXPECT_EQ(stamp.stream_time, 530 * GST_MSECOND);
  EXPECT_EQ(stamp.running_time, 33 * GST_MSECOND);
  EXPECT_EQ(stamp.number, 7U);
  GST_BUFFER_PTS(buffer.get()) = GST_CLOCK_TIME_NONE;
  EXPECT_EQ(frame_stamp(buffer.get(), segment, 7, 64, 48).running_time, kNoTime);
}

// An element that runs a model forwards results from upstream, unless it rotates the frame.
TEST_F(Results, PassElementsThatDoNotRotateFrames) {
  TestPipeline pipeline("identity name=before ! glsegment name=segment model=" + red_model());
  replace_buffers(part_of(pipeline.pipeline(), "before"), "src", [](GstBuffer* frame) {
    GstBuffer* buffer = gst_buffer_make_writable(frame);
    EXPECT_TRUE(attach_results(buffer, shared(some_results()), 64, 48));
    return buffer;
  });
  GstBuffer* last = nullptr;
  on_buffers(pipeline.element(), "src", [&last](GstBuffer* frame) { gst_buffer_replace(&last, frame); });
  ASSERT_TRUE(pipeline.set_state(GST_STATE_PLAYING));
  for (const char* direction : {"identity", "180"}) {
    gst_util_set_object_arg(G_OBJECT(pipeline.element()), "video-direction", direction);
    ASSERT_TRUE(pipeline.pass(Rgba(64, 48))) << pipeline.error(1);
    const bool kept = std::string(direction) == "identity";
    EXPECT_EQ(first_results(last) != nullptr, kept) << direction;
    EXPECT_EQ(gst_buffer_get_video_region_of_interest_meta(last) != nullptr, kept) << direction;
  }
  gst_clear_buffer(&last);
}

#ifdef SIGHTGLASS_ANALYTICS

TEST_F(Results, AreAnalyticsMetadata) {
  const OwnedBuffer buffer = new_buffer();
  InferenceResults results = some_results();
  results.classifications = classified().classifications;
  ASSERT_TRUE(attach_results(buffer.get(), shared(results), 200, 100));
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(buffer.get());
  ASSERT_NE(meta, nullptr);
  gpointer state = nullptr;
  GstAnalyticsODMtd detection;
  ASSERT_TRUE(gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_od_mtd_get_mtd_type(),
                                                  reinterpret_cast<GstAnalyticsMtd*>(&detection)));
  gint x = 0, y = 0, width = 0, height = 0;
  gfloat confidence = 0;
  ASSERT_TRUE(gst_analytics_od_mtd_get_location(&detection, &x, &y, &width, &height, &confidence));
  EXPECT_EQ(x, 50);
  EXPECT_EQ(height, 90);
  EXPECT_FLOAT_EQ(confidence, 0.875F);
  EXPECT_STREQ(g_quark_to_string(gst_analytics_od_mtd_get_obj_type(&detection)), "person");
  GstAnalyticsTrackingMtd tracking;
  gpointer related = nullptr;
  ASSERT_TRUE(gst_analytics_relation_meta_get_direct_related(meta, detection.id, GST_ANALYTICS_REL_TYPE_RELATE_TO,
                                                             gst_analytics_tracking_mtd_get_mtd_type(), &related,
                                                             reinterpret_cast<GstAnalyticsMtd*>(&tracking)));
  guint64 id = 0;
  GstClockTime first = 0, last = 0;
  gboolean lost = TRUE;
  ASSERT_TRUE(gst_analytics_tracking_mtd_get_info(&tracking, &id, &first, &last, &lost));
  EXPECT_EQ(id, 3U);
  GstAnalyticsClsMtd classification;
  state = nullptr;
  ASSERT_TRUE(gst_analytics_relation_meta_iterate(meta, &state, gst_analytics_cls_mtd_get_mtd_type(),
                                                  reinterpret_cast<GstAnalyticsMtd*>(&classification)));
  EXPECT_EQ(gst_analytics_cls_mtd_get_length(&classification), 2U);
  EXPECT_STREQ(g_quark_to_string(gst_analytics_cls_mtd_get_quark(&classification, 0)), "cat");
}

#endif

}  // namespace
}  // namespace sightglass::test
