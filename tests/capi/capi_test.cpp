// The C API against the C++ one: results, errors, and structures of other versions.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "harness/gl_test.h"
#include "harness/value_of.h"
#include "sightglass/model.h"
#include "sightglass/plan.h"
#include "sightglass/session.h"
#include "sightglass/sightglass.h"

namespace sightglass::test {
namespace {

SightglassGlFunction resolve(const char* name, void* /*user_data*/) {
  return reinterpret_cast<SightglassGlFunction>(interop::Context::get_proc_address(name));
}

class CApiTest : public GlTest {
 protected:
  void SetUp() override {
    GlTest::SetUp();
    ASSERT_EQ(sightglass_device_create(resolve, nullptr, nullptr, &device_), SIGHTGLASS_OK) << sightglass_last_error();
    ASSERT_EQ(sightglass_model_load_file(SIGHTGLASS_MODEL, nullptr, &model_), SIGHTGLASS_OK) << sightglass_last_error();
  }
  void TearDown() override {
    sightglass_model_release(model_);
    sightglass_device_release(device_);
    GlTest::TearDown();
  }

  SightglassDevice* device_ = nullptr;
  SightglassModel* model_ = nullptr;
};

// Values without structure, so that a wrong byte changes every output.
std::vector<float> input_values(size_t count) {
  std::vector<float> values(count);
  uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<float>(state >> 8) / 16777216.0F;
  }
  return values;
}

TEST_F(CApiTest, ResultsAreThoseOfTheCppApi) {
  SightglassPlan* plan = nullptr;
  SightglassSession* session = nullptr;
  ASSERT_EQ(sightglass_plan_build(model_, device_, nullptr, &plan), SIGHTGLASS_OK) << sightglass_last_error();
  ASSERT_EQ(sightglass_session_create(device_, plan, &session), SIGHTGLASS_OK) << sightglass_last_error();
  SightglassTensorInfo input = SIGHTGLASS_TENSOR_INFO_INIT, output = SIGHTGLASS_TENSOR_INFO_INIT;
  ASSERT_EQ(sightglass_model_input(model_, 0, &input), SIGHTGLASS_OK);
  ASSERT_EQ(sightglass_model_output(model_, 0, &output), SIGHTGLASS_OK);
  const std::vector<float> values = input_values(input.bytes / sizeof(float));
  std::vector<float> from_c(output.bytes / sizeof(float));
  ASSERT_EQ(sightglass_session_write_input(session, 0, values.data(), input.bytes), SIGHTGLASS_OK);
  ASSERT_EQ(sightglass_session_run(session), SIGHTGLASS_OK);
  ASSERT_EQ(sightglass_session_read_output(session, 0, from_c.data(), output.bytes), SIGHTGLASS_OK);

  const auto model = value_of(Model::load(SIGHTGLASS_MODEL));
  const auto cpp_plan = value_of(Plan::build(model, device().limits));
  auto cpp = value_of(Session::create(gl(), cpp_plan));
  std::vector<float> from_cpp(from_c.size());
  ASSERT_TRUE(cpp->write_input(0, std::as_bytes(std::span(values))).ok());
  ASSERT_TRUE(cpp->run().ok());
  ASSERT_TRUE(cpp->read_output(0, std::as_writable_bytes(std::span(from_cpp))).ok());
  EXPECT_EQ(std::memcmp(from_c.data(), from_cpp.data(), output.bytes), 0);
  EXPECT_EQ(*std::max_element(from_c.begin(), from_c.end()) > *std::min_element(from_c.begin(), from_c.end()), true);

  SightglassPlanInfo info = SIGHTGLASS_PLAN_INFO_INIT;
  ASSERT_EQ(sightglass_plan_info(plan, &info), SIGHTGLASS_OK);
  EXPECT_EQ(info.dispatches, cpp_plan->dispatches());
  EXPECT_GT(info.gpu_bytes, 0);
  sightglass_session_release(session);
  sightglass_plan_release(plan);
}

TEST_F(CApiTest, DescribesTensors) {
  EXPECT_EQ(sightglass_model_input_count(model_), 1U);
  EXPECT_EQ(sightglass_model_output_count(model_), 2U);
  SightglassTensorInfo info = SIGHTGLASS_TENSOR_INFO_INIT;
  ASSERT_EQ(sightglass_model_input(model_, 0, &info), SIGHTGLASS_OK);
  EXPECT_STREQ(info.name, "input");
  EXPECT_EQ(info.type, SIGHTGLASS_FLOAT32);
  ASSERT_EQ(info.rank, 4);
  EXPECT_EQ((std::array{info.dims[0], info.dims[1], info.dims[2], info.dims[3]}), (std::array{1, 256, 256, 3}));
  EXPECT_EQ(info.bytes, 256U * 256 * 3 * 4);
  EXPECT_EQ(info.scale, 0);

  EXPECT_EQ(sightglass_model_output(model_, 2, &info), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_STREQ(sightglass_last_error(), "output 2 does not exist: the model has 2");
}

TEST_F(CApiTest, ObjectsOutliveTheHandlesOfTheirParts) {
  SightglassPlan* plan = nullptr;
  SightglassSession* session = nullptr;
  ASSERT_EQ(sightglass_plan_build(model_, device_, nullptr, &plan), SIGHTGLASS_OK);
  ASSERT_EQ(sightglass_session_create(device_, plan, &session), SIGHTGLASS_OK);
  sightglass_plan_release(plan);
  sightglass_model_release(model_);
  sightglass_device_release(device_);
  model_ = nullptr;
  device_ = nullptr;
  EXPECT_EQ(sightglass_session_run(session), SIGHTGLASS_OK) << sightglass_last_error();
  sightglass_session_release(session);
}

TEST_F(CApiTest, ReportsErrorsWithMessages) {
  SightglassModel* model = nullptr;
  EXPECT_EQ(sightglass_model_load_file("none.tflite", nullptr, &model), SIGHTGLASS_NOT_FOUND);
  EXPECT_NE(std::string(sightglass_last_error()).find("none.tflite"), std::string::npos) << sightglass_last_error();
  EXPECT_EQ(sightglass_model_load_memory("garbage", 7, "garbage", nullptr, &model), SIGHTGLASS_INVALID_MODEL);
  EXPECT_NE(std::string(sightglass_last_error()).find("garbage"), std::string::npos) << sightglass_last_error();
  EXPECT_EQ(model, nullptr);
  EXPECT_EQ(sightglass_model_load_file(nullptr, nullptr, &model), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_STREQ(sightglass_last_error(), "path is NULL");
  EXPECT_EQ(sightglass_session_run(nullptr), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_STREQ(sightglass_last_error(), "session is NULL");

  std::string elsewhere = "unset";
  std::thread([&] { elsewhere = sightglass_last_error(); }).join();
  EXPECT_EQ(elsewhere, "") << "messages of one thread are not those of another";

  SightglassDevice* device = nullptr;
  const auto nothing = [](const char* /*name*/, void* /*user_data*/) -> SightglassGlFunction { return nullptr; };
  EXPECT_NE(sightglass_device_create(nothing, nullptr, nullptr, &device), SIGHTGLASS_OK);
  EXPECT_EQ(device, nullptr);
}

TEST_F(CApiTest, RejectsUnusableOptions) {
  SightglassPlan* plan = nullptr;
  SightglassPlanOptions options = SIGHTGLASS_PLAN_OPTIONS_INIT;
  options.size = 0;
  EXPECT_EQ(sightglass_plan_build(model_, device_, &options, &plan), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_STREQ(sightglass_last_error(),
               "SightglassPlanOptions: size is 0; initialize the structure with its _INIT macro");

  options = SIGHTGLASS_PLAN_OPTIONS_INIT;
  const int unknown = 7;
  std::memcpy(&options.precision, &unknown, sizeof unknown);
  EXPECT_EQ(sightglass_plan_build(model_, device_, &options, &plan), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_STREQ(sightglass_last_error(), "precision is 7; give 0 to 1");

  options = SIGHTGLASS_PLAN_OPTIONS_INIT;
  options.input_count = 1;
  EXPECT_EQ(sightglass_plan_build(model_, device_, &options, &plan), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_STREQ(sightglass_last_error(), "SightglassInputOptions: the array is NULL, but its count is not 0");

  SightglassInputShape shape = SIGHTGLASS_INPUT_SHAPE_INIT;
  shape.input = "input";
  shape.rank = 9;
  SightglassModelOptions model_options = SIGHTGLASS_MODEL_OPTIONS_INIT;
  model_options.input_shapes = &shape;
  model_options.input_shape_count = 1;
  SightglassModel* model = nullptr;
  EXPECT_EQ(sightglass_model_load_file(SIGHTGLASS_MODEL, &model_options, &model), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_STREQ(sightglass_last_error(), "SightglassInputShape: rank is 9; give 0 to 8");
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(model, nullptr);
}

TEST_F(CApiTest, RejectsNullHandles) {
  EXPECT_STREQ(sightglass_device_name(nullptr), "");
  EXPECT_STREQ(sightglass_last_error(), "device is NULL");
  EXPECT_EQ(sightglass_model_input_count(nullptr), 0U);
  EXPECT_STREQ(sightglass_last_error(), "model is NULL");
  EXPECT_EQ(sightglass_model_output_count(nullptr), 0U);
  SightglassTensorInfo info = SIGHTGLASS_TENSOR_INFO_INIT;
  EXPECT_EQ(sightglass_model_input(nullptr, 0, &info), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_model_output(model_, 0, nullptr), SIGHTGLASS_INVALID_ARGUMENT);
  SightglassPlan* plan = nullptr;
  SightglassSession* session = nullptr;
  SightglassTexture texture = {};
  SightglassBufferRange range = {};
  double done = 0;
  float value = 0;
  EXPECT_EQ(sightglass_plan_build(nullptr, device_, nullptr, &plan), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_plan_build(model_, nullptr, nullptr, &plan), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_plan_build(model_, device_, nullptr, nullptr), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_plan_info(nullptr, nullptr), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_session_create(device_, nullptr, &session), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_session_set_input_frame(nullptr, 0, nullptr, nullptr), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_session_write_input(nullptr, 0, &value, sizeof value), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_session_run_part(nullptr, 1, &done), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_session_reset_state(nullptr), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_session_output_texture(nullptr, 0, &texture), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_session_output_buffer(nullptr, 0, &range), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(sightglass_session_read_output(nullptr, 0, &value, sizeof value), SIGHTGLASS_INVALID_ARGUMENT);
  sightglass_session_abandon(nullptr);
  sightglass_session_release(nullptr);
  sightglass_plan_release(nullptr);
  sightglass_model_release(nullptr);
  sightglass_device_release(nullptr);
}

TEST_F(CApiTest, RejectsFramesThatCannotBe) {
  SightglassInputOptions input = SIGHTGLASS_INPUT_OPTIONS_INIT;
  input.source = SIGHTGLASS_INPUT_TEXTURE;
  SightglassPlanOptions options = SIGHTGLASS_PLAN_OPTIONS_INIT;
  options.inputs = &input;
  options.input_count = 1;
  SightglassPlan* plan = nullptr;
  SightglassSession* session = nullptr;
  ASSERT_EQ(sightglass_plan_build(model_, device_, &options, &plan), SIGHTGLASS_OK) << sightglass_last_error();
  ASSERT_EQ(sightglass_session_create(device_, plan, &session), SIGHTGLASS_OK) << sightglass_last_error();
  SightglassFrame good = SIGHTGLASS_FRAME_INIT;
  good.textures[0] = 1;
  good.width = 640;
  good.height = 480;
  ASSERT_EQ(sightglass_session_set_input_frame(session, 0, &good, nullptr), SIGHTGLASS_OK) << sightglass_last_error();
  const auto expect_refused = [&](const SightglassFrame& frame, const SightglassTransform* transform,
                                  const std::string& reason) {
    EXPECT_EQ(sightglass_session_set_input_frame(session, 0, &frame, transform), SIGHTGLASS_INVALID_ARGUMENT) << reason;
    EXPECT_NE(std::string(sightglass_last_error()).find(reason), std::string::npos) << sightglass_last_error();
  };
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  SightglassFrame frame = good;
  frame.width = -640;
  expect_refused(frame, nullptr, "width is -640");
  frame = good;
  frame.height = 0;
  expect_refused(frame, nullptr, "height is 0");
  frame = good;
  frame.chroma_width = -1;
  expect_refused(frame, nullptr, "size of the chroma planes is -1x0");
  frame = good;
  frame.visible[2] = kNaN;
  expect_refused(frame, nullptr, "visible has a number that is infinite or NaN");
  frame = good;
  frame.visible[2] = 0;
  expect_refused(frame, nullptr, "visible is not a part of the frame");
  SightglassTransform transform = sightglass_fit_transform(640, 480, 256, 256, SIGHTGLASS_COVER);
  transform.m[5] = std::numeric_limits<float>::infinity();
  expect_refused(good, &transform, "transform has a number that is infinite or NaN");
  double done = 0;
  EXPECT_EQ(sightglass_session_run_part(session, static_cast<double>(kNaN), &done), SIGHTGLASS_INVALID_ARGUMENT);
  sightglass_session_release(session);
  sightglass_plan_release(plan);
  plan = nullptr;

  input.scale[1] = kNaN;
  EXPECT_EQ(sightglass_plan_build(model_, device_, &options, &plan), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_STREQ(sightglass_last_error(), "scale has a number that is infinite or NaN; give finite numbers");
  (void)sightglass_fit_transform(640, -480, 256, 256, SIGHTGLASS_COVER);
  EXPECT_STREQ(sightglass_last_error(), "a side of the frame or the input is -480; give a positive number");
}

TEST_F(CApiTest, LimitsWhatAModelTakes) {
  SightglassModelOptions small = SIGHTGLASS_MODEL_OPTIONS_INIT;
  small.memory_limit = 1 << 10;
  SightglassModel* model = nullptr;
  EXPECT_EQ(sightglass_model_load_file(SIGHTGLASS_MODEL, &small, &model), SIGHTGLASS_RESOURCE_EXHAUSTED);
  small.memory_limit = 0;
  EXPECT_EQ(sightglass_model_load_file(SIGHTGLASS_MODEL, &small, &model), SIGHTGLASS_INVALID_ARGUMENT);
  SightglassPlanOptions options = SIGHTGLASS_PLAN_OPTIONS_INIT;
  SightglassPlan* plan = nullptr;
  options.memory_limit = 1 << 20;
  EXPECT_EQ(sightglass_plan_build(model_, device_, &options, &plan), SIGHTGLASS_RESOURCE_EXHAUSTED);
  options = SIGHTGLASS_PLAN_OPTIONS_INIT;
  options.dispatch_limit = 1000;
  EXPECT_EQ(sightglass_plan_build(model_, device_, &options, &plan), SIGHTGLASS_RESOURCE_EXHAUSTED);
  EXPECT_NE(std::string(sightglass_last_error()).find("dispatch-limit"), std::string::npos) << sightglass_last_error();
  options = SIGHTGLASS_PLAN_OPTIONS_INIT;
  options.run_limit = -1;
  EXPECT_EQ(sightglass_plan_build(model_, device_, &options, &plan), SIGHTGLASS_INVALID_ARGUMENT);
  EXPECT_EQ(plan, nullptr);
}

// A program that was compiled with a newer header has larger structures; one with an older header has smaller ones.
TEST_F(CApiTest, ReadsStructuresOfOtherVersions) {
  struct Newer {
    SightglassPlanOptions known = SIGHTGLASS_PLAN_OPTIONS_INIT;
    uint64_t added = 0;
  } newer;
  newer.known.size = sizeof newer;
  SightglassPlan* plan = nullptr;
  ASSERT_EQ(sightglass_plan_build(model_, device_, &newer.known, &plan), SIGHTGLASS_OK) << sightglass_last_error();
  sightglass_plan_release(plan);
  plan = nullptr;
  newer.added = 1;
  EXPECT_EQ(sightglass_plan_build(model_, device_, &newer.known, &plan), SIGHTGLASS_UNSUPPORTED);
  EXPECT_NE(std::string(sightglass_last_error()).find(SIGHTGLASS_VERSION_STRING), std::string::npos);

  SightglassPlanOptions older = SIGHTGLASS_PLAN_OPTIONS_INIT;
  older.size = offsetof(SightglassPlanOptions, precision);
  const int unread = 7;
  std::memcpy(&older.precision, &unread, sizeof unread);
  ASSERT_EQ(sightglass_plan_build(model_, device_, &older, &plan), SIGHTGLASS_OK) << sightglass_last_error();

  std::array<SightglassPlanInfo, 2> infos = {SightglassPlanInfo SIGHTGLASS_PLAN_INFO_INIT,
                                             SightglassPlanInfo SIGHTGLASS_PLAN_INFO_INIT};
  infos[0].size = offsetof(SightglassPlanInfo, dispatches);
  infos[0].dispatches = -1;
  ASSERT_EQ(sightglass_plan_info(plan, infos.data()), SIGHTGLASS_OK);
  EXPECT_GT(infos[0].gpu_bytes, 0);
  EXPECT_EQ(infos[0].dispatches, -1) << "a field beyond the size of the caller was written";
  EXPECT_EQ(infos[0].size, offsetof(SightglassPlanInfo, dispatches));
  sightglass_plan_release(plan);
}

TEST_F(CApiTest, LogsUpToTheLevel) {
  std::vector<std::string> messages;
  SightglassModelOptions options = SIGHTGLASS_MODEL_OPTIONS_INIT;
  options.log.function = [](SightglassLogLevel /*level*/, const char* message, void* user_data) {
    static_cast<std::vector<std::string>*>(user_data)->emplace_back(message);
  };
  options.log.user_data = &messages;
  options.log.level = SIGHTGLASS_LOG_TRACE;
  SightglassModel* model = nullptr;
  ASSERT_EQ(sightglass_model_load_file(SIGHTGLASS_MODEL, &options, &model), SIGHTGLASS_OK);
  sightglass_model_release(model);
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0].find('\n'), std::string::npos);
}

TEST_F(CApiTest, RunsInParts) {
  SightglassPlan* plan = nullptr;
  SightglassSession* session = nullptr;
  ASSERT_EQ(sightglass_plan_build(model_, device_, nullptr, &plan), SIGHTGLASS_OK);
  ASSERT_EQ(sightglass_session_create(device_, plan, &session), SIGHTGLASS_OK);
  double done = 0;
  int parts = 0;
  while (done < 1 && parts < 1000) {
    const double before = done;
    ASSERT_EQ(sightglass_session_run_part(session, 0.25, &done), SIGHTGLASS_OK) << sightglass_last_error();
    ASSERT_GT(done, before);
    ++parts;
  }
  EXPECT_EQ(done, 1);
  EXPECT_GT(parts, 1);
  EXPECT_EQ(sightglass_session_run_part(session, 0, &done), SIGHTGLASS_INVALID_ARGUMENT);
  sightglass_session_release(session);
  sightglass_plan_release(plan);
}

TEST_F(CApiTest, ReturnsOutputsAsPlanned) {
  std::array<SightglassOutputOptions, 2> outputs = {SightglassOutputOptions SIGHTGLASS_OUTPUT_OPTIONS_INIT,
                                                    SightglassOutputOptions SIGHTGLASS_OUTPUT_OPTIONS_INIT};
  outputs[0].target = SIGHTGLASS_OUTPUT_TEXTURE;
  outputs[1].target = SIGHTGLASS_OUTPUT_BUFFER;
  SightglassPlanOptions options = SIGHTGLASS_PLAN_OPTIONS_INIT;
  options.outputs = outputs.data();
  options.output_count = outputs.size();
  SightglassPlan* plan = nullptr;
  SightglassSession* session = nullptr;
  ASSERT_EQ(sightglass_plan_build(model_, device_, &options, &plan), SIGHTGLASS_OK) << sightglass_last_error();
  ASSERT_EQ(sightglass_session_create(device_, plan, &session), SIGHTGLASS_OK) << sightglass_last_error();
  SightglassTexture texture = {};
  SightglassBufferRange range = {};
  ASSERT_EQ(sightglass_session_output_texture(session, 0, &texture), SIGHTGLASS_OK);
  ASSERT_EQ(sightglass_session_output_buffer(session, 1, &range), SIGHTGLASS_OK);
  EXPECT_NE(texture.texture, 0U);
  EXPECT_EQ(texture.width, 256);
  EXPECT_EQ(texture.height, 256);
  EXPECT_NE(range.buffer, 0U);
  EXPECT_EQ(range.offset % 256, 0);
  EXPECT_EQ(range.bytes, 64 * 64 * 17 * 4);
  EXPECT_NE(sightglass_session_output_texture(session, 1, &texture), SIGHTGLASS_OK);
  sightglass_session_abandon(session);  // deletes nothing: the buffer is still there
  EXPECT_EQ(gl().GetError(), 0U);
  sightglass_plan_release(plan);
}

TEST(CApi, FitsLikeTheCppApi) {
  const SightglassTransform transform = sightglass_fit_transform(640, 480, 256, 256, SIGHTGLASS_LETTERBOX);
  EXPECT_EQ(std::to_array(transform.m), make_input_transform(640, 480, 256, 256, Fit::kLetterbox).m);
  EXPECT_EQ(sightglass_version(), SIGHTGLASS_VERSION);
}

}  // namespace
}  // namespace sightglass::test
