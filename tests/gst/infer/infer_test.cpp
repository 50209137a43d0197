// The GL part of glinfer: compares recognition, decoding, and drawing with decoded TensorFlow Lite outputs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "detect/detect_reference.h"
#include "gl/shaders.h"
#include "gl_pictures.h"
#include "harness/gl_test.h"
#include "harness/golden.h"
#include "harness/read_buffer.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"
#include "infer/infer_model.h"
#include "infer/inferencer_case.h"
#include "infer/landmarks.h"

namespace sightglass::test {
namespace {

Result<InferModel> load_infer_model(const std::string& path, const InferModelOptions& options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, Model::load(path));
  return describe_infer_model(std::move(model), recognize_model(path), options);
}

constexpr const char* kNoModels = "no models next to the source tree";

class InferTest : public GlTest {
 protected:
  struct Running : RunningInferencer {
    explicit Running(InferModel described) : model(std::move(described)) {}
    InferModel model;
  };
  Running make(const std::string& model, const InferModelOptions& options = {},
               Precision precision = Precision::kFp32) {
    Running running(value_of(load_infer_model((*shared_dir() / "models" / (model + ".tflite")).string(), options)));
    running.model.plan_options.precision = precision;
    const auto plan = value_of(Plan::build(running.model.model, device().limits, running.model.plan_options));
    const GlTarget target{nullptr,          ShareGroup::create(gl(), nullptr, element_shaders()),
                          device(),         FrameKind::kRgba,
                          TuningMode::kOff, ""};
    static_cast<RunningInferencer&>(running) = {target, value_of(Inferencer::create(target, plan, running.model))};
    return running;
  }
  // Processes one frame, and returns the output image.
  Rgba process(Running& running, const Rgba& picture, const InferLook& look, Fit fit = Fit::kStretch) {
    return running.process(gl(), picture, look, fit);
  }
  std::vector<Detection> detections(const Running& running) {
    return read_detections(gl(), running.inferencer->traits().found.buffer);
  }
  // Of an output of floats.
  std::vector<float> tensor_values(const Running& running, size_t output) {
    return read_buffer<float>(gl(), value_of(running.inferencer->tensor(output)));
  }
  // Of the first face.
  Landmarks landmarks(const Running& running) {
    const GLuint buffer = running.inferencer->traits().found.buffer;
    return read_buffer<LandmarkObjects>(gl(), {buffer, 0, sizeof(LandmarkObjects)}).at(0).objects[0];
  }
  // The input image of TensorFlow Lite, and its output.
  struct Reference {
    Rgba picture;
    std::vector<HostTensor> outputs;
  };
  static std::optional<Reference> reference(const std::string& model) {
    for (const GoldenCase& golden : golden_cases_of(model)) {
      if (golden.name != "picture") continue;
      Reference result{load_picture((golden.directory / "in0.png").string()), {}};
      result.outputs = value_of(load_outputs(golden));
      return result;
    }
    return std::nullopt;
  }
  // Written for inspection, on request.
  static void keep(const Rgba& picture, const std::string& name) {
    if (const char* folder = std::getenv("SIGHTGLASS_KEEP_PICTURES"))
      save_png(picture, std::string(folder) + "/" + name);
  }
  static int changed_pixels(const Rgba& a, const Rgba& b) {
    int changed = 0;
    for (size_t i = 0; i < a.pixels.size(); i += 4) {
      changed += std::memcmp(&a.pixels[i], &b.pixels[i], 3) == 0 ? 0 : 1;
    }
    return changed;
  }
};

TEST_F(InferTest, ModelsAreRecognized) {
  if (!shared_dir()) GTEST_SKIP() << kNoModels;
  const std::pair<const char*, InferTask> expected[] = {
      {"face/face_detection_short_range", InferTask::kDetection},
      {"face/face_detection_full_range_sparse", InferTask::kDetection},
      {"face/face_landmark_468_f32", InferTask::kLandmarks},
      {"face/face_landmark_468_f16", InferTask::kLandmarks},
      {"classify_detect/mobilenet_v1_0.25_224_float", InferTask::kClassification},
      {"classify_detect/mobilenet_v1_0.25_224_quant", InferTask::kClassification},
      {"classify_detect/tf2_mobilenet_v2_1.0_224_ptq", InferTask::kClassification},
      {"classify_detect/ssd_mobilenet_v2_fpnlite_320_custom", InferTask::kDetection},
      {"other/style_transfer_f16_384", InferTask::kPicture},
      {"pose/blazepose_detection_224", InferTask::kDetection},
      {"segmentation/deeplabv3_257_mv_gpu", InferTask::kTensors}};
  for (const auto& [file, task] : expected) {
    const auto model =
        value_of(load_infer_model((*shared_dir() / "models" / (std::string(file) + ".tflite")).string(), {}));
    EXPECT_STREQ(to_string(model.task), to_string(task)) << file;
    std::printf("%s: %s, %zu labels\n", file, to_string(model.task), model.labels.size());
  }
  InferModelOptions options;
  options.task = InferTask::kLandmarks;
  expect_failure(
      load_infer_model((*shared_dir() / "models/segmentation/deeplabv3_257_mv_gpu.tflite").string(), options),
      {"task=landmarks"});
}

// Without a catalog entry, detectors are recognized by the input size and the output shapes.
TEST_F(InferTest, DetectorsAreRecognizedByShape) {
  if (!shared_dir()) GTEST_SKIP() << kNoModels;
  struct Case {
    const char* file;
    const char* label;
    int32_t boxes, points;
    const char* picture;
    size_t found;
  };
  for (const auto& [file, label, boxes, points, picture, found] :
       {Case{"face_detection_back", "face", 896, 6, "media/mp_portrait.jpg", 1},
        Case{"palm_detection_full_192", "palm", 2016, 7, "media/mp_hands.jpg", 2},
        Case{"palm_detection_128_2020", "palm", 896, 7, "media/mp_hands.jpg", 2},
        Case{"palm_detection_builtin_256_int8", "palm", 2944, 7, "media/mp_hands.jpg", 2}}) {
    SCOPED_TRACE(file);
    Running running = make(std::string("../second/models/") + file);
    ASSERT_NE(running.runner, nullptr);
    ASSERT_STREQ(to_string(running.model.task), "detection");
    ASSERT_EQ(running.model.labels, std::vector<std::string>{label});
    EXPECT_EQ(std::ssize(running.model.raw_detector->layout.anchors), boxes);
    EXPECT_EQ(running.model.raw_detector->layout.points, points);
    const Rgba photograph = load_picture((*shared_dir() / picture).string());
    keep(process(running, photograph, {}, Fit::kLetterbox), std::string(file) + ".png");
    EXPECT_EQ(detections(running).size(), found);
  }
}

// Published detectors of the family: the layout, and the person in a photograph, at the same place.
TEST_F(InferTest, YoloFilesFindThePerson) {
  struct Case {
    const char* file;
    DecoderKind decoder;
    int32_t boxes;
    size_t classes;
    const char* label;
  };
  for (const auto& [file, decoder, boxes, classes, label] :
       {Case{"yolo11n_int8", DecoderKind::kYolo, 2100, 80, "person"},
        Case{"openmv_yolov8n_192", DecoderKind::kYolo, 756, 1, ""},
        Case{"yolov5n_fp16", DecoderKind::kYoloObjectness, 25200, 80, "person"}}) {
    SCOPED_TRACE(file);
    const std::string path = std::string("../third/models/") + file;
    if (!shared_dir() || !std::filesystem::exists(*shared_dir() / "models" / (path + ".tflite"))) {
      GTEST_SKIP() << "no YOLO models next to the source tree";
    }
    Running running = make(path);
    ASSERT_NE(running.runner, nullptr);
    EXPECT_EQ(running.model.decoder, decoder);
    EXPECT_TRUE(running.model.letterbox);
    EXPECT_EQ(running.model.classes, classes);
    EXPECT_EQ(running.model.yolo->layout.boxes, boxes);
    const Rgba photograph = load_picture((*shared_dir() / "media/mp_pose.jpg").string());
    keep(process(running, photograph, {}, Fit::kLetterbox), std::string(file) + ".png");
    const std::vector<Detection> found = detections(running);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(running.model.labels.empty() ? "" : running.model.labels[static_cast<size_t>(found[0].class_id)], label);
    std::printf("%s: score %.3f, box %.3f %.3f %.3f %.3f\n", file, found[0].score, found[0].box[0], found[0].box[1],
                found[0].box[2], found[0].box[3]);
    const std::array<float, 4> seen{0.25f, 0.355f, 0.76f, 0.965f};
    for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[0].box[k], seen[k], 0.04) << k;
    // The same from the output of this run.
    const std::vector<float> numbers = tensor_values(running, running.model.yolo->output);
    const auto truth = reference_yolo(running.model.yolo->layout, numbers, {}, {0.5f, 0.45f, false, 10});
    ASSERT_EQ(truth.size(), 1u);
    EXPECT_EQ(truth[0].row, found[0].row);
    EXPECT_EQ(truth[0].class_id, found[0].class_id);
  }
}

// A grid with anchors that the file does not name. It wants the stretched frame.
TEST_F(InferTest, YoloV2FindsThreePeople) {
  const std::string path = "../third/models/st_yolo_lc_v1_256";
  if (!shared_dir() || !std::filesystem::exists(*shared_dir() / "models" / (path + ".tflite"))) {
    GTEST_SKIP() << "no YOLO v2 in ../shared/third/models";
  }
  InferModelOptions options;
  options.anchors = "sizes=0.0252x0.06,0.0772x0.1829,0.1696x0.4167,0.3339x0.6559,0.7226x0.7348";
  Running running = make(path, options);
  ASSERT_EQ(running.model.decoder, DecoderKind::kYoloV2);
  const Rgba photograph = load_picture((*shared_dir() / "second/media/mp_three_people.jpg").string());
  InferLook look;
  look.threshold = 0.9F;
  look.max_results = 3;
  look.iou_threshold = kYoloOverlap;
  keep(process(running, photograph, look), "yolov2.png");
  const std::vector<Detection> found = detections(running);
  ASSERT_EQ(found.size(), 3u);
  const std::array<float, 4> middles[] = {{0.84F, 0.53F}, {0.34F, 0.66F}, {0.16F, 0.47F}};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto& box = found[i].box;
    EXPECT_NEAR((box[0] + box[2]) / 2, middles[i][0], 0.04) << i;
    EXPECT_NEAR((box[1] + box[3]) / 2, middles[i][1], 0.04) << i;
  }
  const std::vector<float> numbers = tensor_values(running, running.model.yolo->output);
  const auto truth = reference_cell_anchors(running.model.yolo->layout, numbers, {}, {0.9F, kYoloOverlap, false, 3});
  EXPECT_TRUE(std::ranges::equal(truth, found, {}, &Detection::row, &Detection::row));
}

// Anchors of another table. They are not in the file.
TEST_F(InferTest, UltraFaceFindsTheFace) {
  const std::string path = "../third/models/ultraface_slim_320";
  if (!shared_dir() || !std::filesystem::exists(*shared_dir() / "models" / (path + ".tflite"))) {
    GTEST_SKIP() << "no UltraFace next to the source tree";
  }
  Running running = make(path);
  ASSERT_NE(running.runner, nullptr);
  ASSERT_EQ(running.model.decoder, DecoderKind::kAnchors);
  const std::vector<Anchor>& anchors = running.model.raw_detector->layout.anchors;
  ASSERT_EQ(anchors.size(), 4420u);
  EXPECT_EQ(anchors[1], (Anchor{4.0f / 320, 4.0f / 240, 16.0f / 320, 16.0f / 240}));
  EXPECT_EQ(anchors.back(), (Anchor{288.0f / 320, 224.0f / 240, 256.0f / 320, 1})) << "clamped";
  const Rgba portrait = load_picture((*shared_dir() / "media/mp_portrait.jpg").string());
  keep(process(running, portrait, {}), "ultraface.png");
  const std::vector<Detection> found = detections(running);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(running.model.labels[static_cast<size_t>(found[0].class_id)], "face");
  std::printf("score %.3f, box %.3f %.3f %.3f %.3f\n", found[0].score, found[0].box[0], found[0].box[1],
              found[0].box[2], found[0].box[3]);
  const std::array<float, 4> seen{0.36f, 0.09f, 0.63f, 0.35f};
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[0].box[k], seen[k], 0.04) << k;
}

// Outputs in any order, as lists and as images.
TEST_F(InferTest, FaceDetectorsOfSeveralOutputs) {
  struct Case {
    const char* decoder;
    std::vector<Shape> outputs;
    int32_t points;
  };
  const std::vector<Case> cases{
      {"scrfd",
       {{1, 128, 1}, {1, 32, 1}, {1, 8, 1}, {1, 128, 4}, {1, 32, 4}, {1, 8, 4}, {1, 128, 10}, {1, 32, 10}, {1, 8, 10}},
       5},
      {"scrfd", {{1, 8, 8, 8}, {1, 4, 4, 8}, {1, 2, 2, 8}, {1, 8, 8, 2}, {1, 4, 4, 2}, {1, 2, 2, 2}}, 0},
      {"yunet",
       {{1, 64, 10},
        {1, 16, 10},
        {1, 4, 10},
        {1, 64, 1},
        {1, 16, 1},
        {1, 4, 1},
        {1, 64, 1},
        {1, 16, 1},
        {1, 4, 1},
        {1, 64, 4},
        {1, 16, 4},
        {1, 4, 4}},
       5},
      {"retinaface", {{1, 168, 4}, {1, 168, 10}, {1, 168, 2}}, 5},
      {"dbface", {{1, 16, 16, 4}, {1, 16, 16, 1}, {1, 16, 16, 10}}, 5}};
  uint32_t random = 5;
  for (const auto& [name, outputs, points] : cases) {
    InferModelOptions options;
    options.normalization = {.scale = 3.0123, .offset = -1};  // boxes without a size are up to rounding
    Running running(value_of(describe_infer_model(pixels_as(outputs), std::nullopt, options)));
    EXPECT_STREQ(row_of(running.model.decoder).name, name);
    ASSERT_TRUE(running.model.faces);
    EXPECT_TRUE(running.model.letterbox);
    EXPECT_EQ(running.model.labels, std::vector<std::string>{"face"});
    const FaceModel& faces = *running.model.faces;
    EXPECT_EQ(faces.layout.points, points);
    const auto plan = value_of(Plan::build(running.model.model, device().limits, running.model.plan_options));
    const GlTarget target{nullptr,          ShareGroup::create(gl(), nullptr, element_shaders()),
                          device(),         FrameKind::kRgba,
                          TuningMode::kOff, ""};
    static_cast<RunningInferencer&>(running) = {target, value_of(Inferencer::create(target, plan, running.model))};
    const Rgba picture = painted(64, 64, [&](int32_t, int32_t) {
      std::array<uint8_t, 3> color{};
      for (uint8_t& c : color) c = static_cast<uint8_t>((random = random * 1664525 + 1013904223) >> 24);
      return color;
    });
    InferLook look;
    look.threshold = 0.70317F;  // no quotient of bytes, which rounding would decide
    look.max_results = 50;
    process(running, picture, look);
    const auto rows_of = [&](size_t output, size_t first, size_t count) {
      const std::vector<float> all = tensor_values(running, output);
      return std::vector<float>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                all.begin() + static_cast<std::ptrdiff_t>(first + count));
    };
    std::array<FaceRows, kMostFaceLayers> layers;
    size_t before = 0;
    for (size_t l = 0; l < layers.size() && faces.layout.strides[l] > 0; ++l) {
      const auto count = static_cast<size_t>(faces.layout.boxes_of(faces.layout.strides[l]));
      const auto of = [&](size_t output, size_t values) { return rows_of(output, before * values, count * values); };
      const auto scores = static_cast<size_t>(faces.layout.score_values());
      layers[l] = {of(faces.outputs[l].score, scores), of(faces.outputs[l].other_score, scores),
                   of(faces.outputs[l].box, 4), points > 0 ? of(faces.outputs[l].points, 10) : std::vector<float>()};
      if (faces.layout.kind == FaceKind::kRetinaFace) before += count;
    }
    const auto expected = reference_faces(faces.layout, layers, {}, {look.threshold, look.iou_threshold, false, 50});
    const std::vector<Detection> found = detections(running);
    ASSERT_EQ(found.size(), expected.size()) << name;
    double worst = 0;
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].score, expected[i].score, 1e-5F) << name;
      for (size_t k = 0; k < 4; ++k) worst = std::max(worst, 64.0 * std::abs(found[i].box[k] - expected[i].box[k]));
    }
    std::printf("%s: %zu faces, off by %.5f pixels at most\n", name, found.size(), worst);
    EXPECT_GT(found.size(), 5U) << name;
    EXPECT_LE(worst, 0.05);
  }
  // An output more, or other numbers of rows, are those of another model.
  EXPECT_FALSE(find_faces(*pixels_as({{1, 168, 4}, {1, 168, 10}, {1, 168, 2}, {1, 7}}), FaceKind::kRetinaFace));
  EXPECT_FALSE(find_faces(*pixels_as({{1, 167, 4}, {1, 167, 10}, {1, 167, 2}}), FaceKind::kRetinaFace));
  EXPECT_FALSE(find_faces(*pixels_as({{1, 168, 4}, {1, 168, 2}, {1, 168, 10}}), FaceKind::kScrfd));
}

// Only if asked for: the shape is also that of a YOLO with more classes.
TEST_F(InferTest, NanoDetNeedsItsDecoder) {
  const auto model = pixels_as({{1, 84, 35}});  // strides of 8, 16, and 32; three classes
  InferModelOptions options;
  EXPECT_EQ(value_of(describe_infer_model(model, std::nullopt, options)).decoder, DecoderKind::kYolo);
  options.decoder = DecoderKind::kNanoDet;
  const InferModel described = value_of(describe_infer_model(model, std::nullopt, options));
  EXPECT_EQ(described.classes, 3U);
  EXPECT_EQ(described.yolo->layout.bins, 8);
  EXPECT_EQ(described.yolo->layout.strides, (std::array<int32_t, 4>{8, 16, 32, 0}));
  EXPECT_EQ(value_of(describe_infer_model(pixels_as({{1, 85, 33}}), std::nullopt, options)).yolo->layout.strides[3],
            64);
  EXPECT_FALSE(describe_infer_model(pixels_as({{1, 84, 32}}), std::nullopt, options).ok()) << "no class";
  EXPECT_FALSE(describe_infer_model(pixels_as({{1, 83, 35}}), std::nullopt, options).ok()) << "not all cells";
}

// Labels come from the model, or else from the data set with this number of classes.
TEST_F(InferTest, ClassesHaveNames) {
  if (!shared_dir()) GTEST_SKIP() << kNoModels;
  const Rgba burger = load_picture((*shared_dir() / "media/burger.jpg").string());
  Running running = make("classify_detect/mobilenet_v1_0.25_224_float");
  ASSERT_NE(running.runner, nullptr);
  const std::vector<std::string>& labels = running.model.labels;
  ASSERT_EQ(labels.size(), 1001U);
  EXPECT_EQ(labels[0], "background");
  EXPECT_EQ(labels[282], "tabby");
  EXPECT_EQ(labels[1000], "toilet tissue");
  InferLook look;
  look.threshold = 0;
  look.max_results = 5;
  keep(process(running, burger, look), "burger.png");
  EXPECT_EQ(labels[static_cast<size_t>(detections(running)[0].class_id)], "cheeseburger");
  // The 8-bit model contains the same labels. A labels file precedes both.
  Running carried = make("classify_detect/mobilenet_v1_0.25_224_quant");
  EXPECT_EQ(carried.model.labels, labels);
  InferModelOptions options;
  options.labels_file = scratch_folder() / "own_labels";
  std::ofstream(options.labels_file) << "nothing\nfish\n";
  EXPECT_EQ(make("classify_detect/mobilenet_v1_0.25_224_float", options).model.labels,
            (std::vector<std::string>{"nothing", "fish"}));
}

// Sorted scores from TensorFlow Lite.
TEST_F(InferTest, ClassesMatchTensorFlowLite) {
  for (const char* name : {"classify_detect/mobilenet_v1_0.25_224_float", "classify_detect/mobilenet_v1_0.25_224_quant",
                           "classify_detect/tf2_mobilenet_v2_1.0_224_ptq"}) {
    const auto expected = reference(name);
    if (!expected) GTEST_SKIP() << kNoModels;
    Running running = make(name);
    ASSERT_NE(running.runner, nullptr);
    InferLook look;
    look.threshold = 0;
    look.max_results = 5;
    const Rgba shown = process(running, expected->picture, look);
    keep(shown, std::string(name).substr(16) + ".png");
    const HostTensor& tensor = expected->outputs[0];
    std::vector<double> scores;
    const double quantum = running.model.model->outputs()[0].quantization.empty()
                               ? 1
                               : running.model.model->outputs()[0].quantization.scale[0];
    for (int64_t i = 0; i < tensor.shape.elements(); ++i) {
      const auto at = static_cast<size_t>(i);
      scores.push_back(tensor.type == DataType::kFloat32 ? tensor.as<float>()[at] : tensor.as<uint8_t>()[at] * quantum);
    }
    const auto best = static_cast<int>(std::ranges::max_element(scores) - scores.begin());
    const std::vector<Detection> found = detections(running);
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(found[0].class_id, best) << name;
    for (size_t i = 0; i < found.size(); ++i) {
      const auto id = static_cast<size_t>(found[i].class_id);
      if (i > 0) {
        EXPECT_LE(found[i].score, found[i - 1].score);
      }
      EXPECT_NEAR(found[i].score, scores[id], tensor.type == DataType::kFloat32 ? 1e-4 : 1.01 * quantum) << name;
      std::printf("%s: %d %s %.3f\n", name, found[i].class_id,
                  id < running.model.labels.size() ? running.model.labels[id].c_str() : "", found[i].score);
    }
    EXPECT_GT(changed_pixels(shown, expected->picture), 200) << "the class labels are drawn";
    look.draw = false;
    EXPECT_EQ(process(running, expected->picture, look).pixels, expected->picture.pixels);
  }
}

TEST_F(InferTest, BoxesMatchTensorFlowLite) {
  const char* name = "classify_detect/ssd_mobilenet_v2_fpnlite_320_custom";
  const auto expected = reference(name);
  if (!expected) GTEST_SKIP() << kNoModels;
  Running running = make(name);
  ASSERT_NE(running.runner, nullptr);
  InferLook look;
  look.threshold = 0.2f;
  keep(process(running, expected->picture, look), "ssd.png");
  const auto& processed = running.model.processed;
  const auto boxes = expected->outputs[processed[0]].as<float>(), classes = expected->outputs[processed[1]].as<float>(),
             scores = expected->outputs[processed[2]].as<float>();
  const std::vector<Detection> found = detections(running);
  size_t n = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] < look.threshold) continue;
    ASSERT_LT(n, found.size());
    std::printf("class %g score %.3f (TensorFlow Lite %.3f)\n", classes[i], found[n].score, scores[i]);
    EXPECT_EQ(found[n].class_id, static_cast<int>(classes[i]));
    EXPECT_NEAR(found[n].score, scores[i], 0.02);
    const std::array<float, 4> box{boxes[4 * i + 1], boxes[4 * i], boxes[4 * i + 3], boxes[4 * i + 2]};
    for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[n].box[k], box[k], 0.01);
    ++n;
  }
  EXPECT_EQ(n, found.size());
}

// A face in a photograph: the box around it, and the same face decoded from the TensorFlow Lite outputs for these
// pixels.
TEST_F(InferTest, FacesAreFound) {
  if (!shared_dir()) GTEST_SKIP() << kNoModels;
  const Rgba portrait = load_picture((*shared_dir() / "media/mp_portrait.jpg").string());
  ASSERT_GT(portrait.width, 0);
  for (const char* name : {"face/face_detection_short_range", "face/face_detection_full_range_sparse"}) {
    Running running = make(name);
    ASSERT_NE(running.runner, nullptr);
    EXPECT_TRUE(running.model.letterbox);
    const InferLook look;
    const Rgba shown = process(running, portrait, look, Fit::kLetterbox);
    keep(shown, std::string(name).substr(5) + ".png");
    const std::vector<Detection> found = detections(running);
    ASSERT_EQ(found.size(), 1u) << name;
    std::printf("%s: %.3f %.3f %.3f %.3f score %.3f\n", name, found[0].box[0], found[0].box[1], found[0].box[2],
                found[0].box[3], found[0].score);
    EXPECT_GT(found[0].score, 0.8);
    EXPECT_EQ(found[0].points_count, 6);
    // Eyes, nose, and mouth are in the box, in order from the top.
    const auto& points = found[0].points;
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_GT(points[i][0], found[0].box[0]);
      EXPECT_LT(points[i][0], found[0].box[2]);
      EXPECT_GT(points[i][1], found[0].box[1] - 0.05);
      EXPECT_LT(points[i][1], found[0].box[3]);
    }
    EXPECT_LT(points[0][0], points[1][0]);
    EXPECT_LT(points[1][1], points[2][1]);
    EXPECT_LT(points[2][1], points[3][1]);
    const Fit fit = Fit::kStretch;
    const auto expected = reference(name);
    ASSERT_TRUE(expected);
    process(running, expected->picture, look, fit);
    const auto detector = find_raw_detector(*running.model.model);
    ASSERT_TRUE(detector);
    const auto numbers = [&](size_t output) {
      const auto values = expected->outputs[output].as<float>();
      return std::vector<float>(values.begin(), values.end());
    };
    const auto truth = reference_ssd(detector->detector.layout, numbers(detector->detector.boxes),
                                     numbers(detector->detector.scores), {}, {0.5f, 0.3f, true, 10});
    const std::vector<Detection> same = detections(running);
    ASSERT_EQ(same.size(), truth.size());
    const double pixels = running.model.width;
    for (size_t i = 0; i < truth.size(); ++i) {
      for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(same[i].box[k] * pixels, truth[i].box[k] * pixels, 0.05);
      for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(same[i].points[k][0] * pixels, truth[i].points[k][0] * pixels, 0.05);
    }
  }
}

TEST_F(InferTest, LandmarksMatchTensorFlowLite) {
  for (const char* name : {"face/face_landmark_468_f32", "face/face_landmark_468_f16"}) {
    const auto expected = reference(name);
    if (!expected) GTEST_SKIP() << kNoModels;
    for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
      Running running = make(name, {}, precision);
      ASSERT_NE(running.runner, nullptr);
      process(running, expected->picture, {});
      const Landmarks got = landmarks(running);
      ASSERT_EQ(got.count, 468);
      const auto truth = expected->outputs[0].as<float>();
      double worst = 0, worst_depth = 0;
      for (size_t i = 0; i < 468; ++i) {
        worst = std::max({worst, std::abs(got.points[i][0] * 192.0 - truth[3 * i]),
                          std::abs(got.points[i][1] * 192.0 - truth[3 * i + 1])});
        worst_depth = std::max(worst_depth, std::abs(got.points[i][2] * 192.0 - truth[3 * i + 2]));
      }
      const double logit = expected->outputs[1].as<float>()[0];
      std::printf("%s: landmarks off by %.4f pixels at most, depth by %.4f, presence %.4f\n", name, worst, worst_depth,
                  got.score);
      EXPECT_LE(worst, precision == Precision::kFp32 ? 0.05 : 0.5);
      EXPECT_LE(worst_depth, precision == Precision::kFp32 ? 0.05 : 0.5);
      EXPECT_NEAR(got.score, 1 / (1 + std::exp(-logit)), 1e-3);
    }
  }
}

// The square part of an image around a position, in fractions.
Rgba square_round(const Rgba& picture, float x, float y, float size) {
  const auto pixels = static_cast<int32_t>(size * static_cast<float>(picture.width));
  const auto left = static_cast<int32_t>(x * static_cast<float>(picture.width)) - pixels / 2;
  const auto top = static_cast<int32_t>(y * static_cast<float>(picture.height)) - pixels / 2;
  Rgba part(pixels, pixels);
  for (int32_t row = 0; row < pixels; ++row) {
    for (int32_t column = 0; column < pixels; ++column) {
      std::memcpy(
          part.at(column, row),
          picture.at(std::clamp(left + column, 0, picture.width - 1), std::clamp(top + row, 0, picture.height - 1)), 4);
    }
  }
  return part;
}

TEST_F(InferTest, ContoursAreDrawnOnlyOnFaces) {
  if (!shared_dir()) GTEST_SKIP() << kNoModels;
  const Rgba portrait = load_picture((*shared_dir() / "media/mp_portrait.jpg").string());
  ASSERT_GT(portrait.width, 0);
  const Rgba face = square_round(portrait, 0.49f, 0.225f, 0.45f), sky = square_round(portrait, 0.1f, 0.1f, 0.15f);
  Running running = make("face/face_landmark_468_f32");
  ASSERT_NE(running.runner, nullptr);
  const Rgba shown = process(running, face, {});
  keep(shown, "face_mesh.png");
  EXPECT_GT(landmarks(running).score, 0.9);
  EXPECT_GT(changed_pixels(shown, face), 1000);
  // The oval encloses the eyes, and the lips are between the chin and the nose.
  const auto& points = landmarks(running).points;
  EXPECT_LT(points[10][1], points[33][1]);
  EXPECT_LT(points[33][1], points[1][1]);
  EXPECT_LT(points[1][1], points[13][1]);
  EXPECT_LT(points[13][1], points[152][1]);
  EXPECT_LT(points[33][0], points[263][0]);
  EXPECT_EQ(process(running, sky, {}).pixels, sky.pixels) << "no face, no contours";
  InferLook strict;
  strict.threshold = 1.01f;
  EXPECT_EQ(process(running, face, strict).pixels, face.pixels);
}

// The shown image equals the model output, value by value. The frame has the size of the model image.
TEST_F(InferTest, ImagesMatchTheModelOutput) {
  if (!shared_dir()) GTEST_SKIP() << kNoModels;
  const Rgba portrait = load_picture((*shared_dir() / "media/mp_portrait.jpg").string());
  ASSERT_GT(portrait.width, 0);
  Rgba frame(384, 384);
  for (int32_t y = 0; y < frame.height; ++y) {
    for (int32_t x = 0; x < frame.width; ++x) std::memcpy(frame.at(x, y), portrait.at(2 * x, 2 * y), 4);
  }
  Running running = make("other/style_transfer_f16_384");
  ASSERT_NE(running.runner, nullptr);
  const TensorInfo& style = running.model.model->inputs()[1];
  std::vector<float> numbers(static_cast<size_t>(style.shape.elements()));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<float>(7 * i)) * 0.5f;
  ASSERT_TRUE(running.inferencer->write_input(1, std::as_bytes(std::span(numbers))).ok());
  const Rgba shown = process(running, frame, {});
  keep(shown, "style.png");
  const std::vector<float> truth = tensor_values(running, 0);
  double worst = 0;
  for (size_t i = 0; i < truth.size(); ++i) {
    const double expected = std::clamp(truth[i], 0.0f, 1.0f) * 255;
    worst = std::max(worst, std::abs(shown.pixels[i / 3 * 4 + i % 3] - expected));
  }
  std::printf("the shown picture is off by %.2f of 255 at most\n", worst);
  EXPECT_LE(worst, 1.01);
  EXPECT_GT(changed_pixels(shown, frame), 384 * 384 / 2);
}

TEST(Contours, NameExistingLandmarks) {
  const auto mesh = face_contours(468), irises = face_contours(478);
  EXPECT_EQ(mesh.size(), 124u);
  EXPECT_EQ(irises.size(), mesh.size() + 8);
  for (const ContourLine& line : mesh) EXPECT_LT(std::max(line.from, line.to), 468);
  EXPECT_TRUE(face_contours(21).empty());
}

// It would read the alpha of frames as its previous mask.
TEST(InferModel, AModelWithItsOwnPreviousMaskIsRefused) {
  expect_failure(load_infer_model(source_folder() / "models/figure/figure_recurrent.tflite", {}), {"glsegment"});
}

}  // namespace
}  // namespace sightglass::test
