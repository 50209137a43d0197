// Custom operators with options in a flexbuffer, and the MediaPipe operators on landmarks, in both versions.
#include <flatbuffers/flexbuffers.h>

#include <functional>
#include <limits>

#include "graph/posenet.h"
#include "import_test.h"

namespace sightglass::test {
namespace {

using Fill = std::function<void(flexbuffers::Builder&)>;

void detection_options(flexbuffers::Builder& b) {
  b.Int("max_detections", 3);
  b.Int("max_classes_per_detection", 1);
  b.Int("num_classes", 2);
  b.Float("nms_score_threshold", 0.25f);
  b.Float("nms_iou_threshold", 0.5f);
  for (const char* key : {"y_scale", "x_scale"}) b.Float(key, 10);
  for (const char* key : {"h_scale", "w_scale"}) b.Int(key, 5);  // some converters write integers
}

ModelBuilder detector(const std::vector<uint8_t>& options, size_t outputs = 4) {
  ModelBuilder builder;
  const int boxes = builder.add_input({1, 6, 4}), scores = builder.add_input({1, 6, 3});
  const int anchors = builder.add_filled({6, 4}, 1);
  builder.add_output(builder.add_custom_op("TFLite_Detection_PostProcess", {boxes, scores, anchors}, {}, options));
  while (builder.last_op().outputs.size() < outputs) {
    builder.last_op().outputs.push_back(builder.add_tensor({}));
    builder.add_output(builder.last_op().outputs.back());
  }
  return builder;
}

TEST(ImportCustom, DetectionPostprocess) {
  const Graph graph = imported(detector(flex_options(detection_options)));
  ASSERT_EQ(graph.order().size(), 1u);
  const Node& node = graph.node(graph.order()[0]);
  EXPECT_EQ(node.op, OpType::kDetectionPostprocess);
  const auto& attr = std::get<DetectionAttr>(node.attributes);
  EXPECT_EQ(attr.max_detections, 3);
  EXPECT_EQ(attr.per_class, 100);
  EXPECT_FALSE(attr.regular);
  EXPECT_EQ(attr.w_scale, 5);
  EXPECT_EQ(graph.value(graph.outputs[detection::kOutBoxes]).shape, (Shape{1, 3, 4}));
  EXPECT_EQ(graph.value(graph.outputs[detection::kOutScores]).shape, (Shape{1, 3}));
  EXPECT_EQ(graph.value(graph.outputs[detection::kOutNumber]).shape, Shape{1});
}

void posenet_options(flexbuffers::Builder& b) {
  b.Int("max_detections", 7);
  b.Float("score_threshold", 0.25f);
  b.Int("stride", 16);
  b.Float("nms_radius", 10);
}

ModelBuilder posenet(const Fill& options = posenet_options, bool masks = false, size_t outputs = 4,
                     const std::function<void(ModelBuilder&, std::vector<int32_t>&)>& change = {}) {
  ModelBuilder builder;
  std::vector<int32_t> inputs;
  for (size_t i = 0; i < (masks ? 4u : 3u); ++i) inputs.push_back(builder.add_input({1, 5, 6, posenet::kChannels[i]}));
  if (change) change(builder, inputs);
  builder.add_output(builder.add_custom_op("PosenetDecoderOp", inputs, {}, flex_options(options)));
  while (builder.last_op().outputs.size() < outputs) {
    builder.last_op().outputs.push_back(builder.add_tensor({}));
    builder.add_output(builder.last_op().outputs.back());
  }
  return builder;
}

TEST(ImportCustom, PosenetDecoder) {
  const Graph graph = imported(posenet());
  const auto& attr = std::get<PosenetDecoderAttr>(graph.node(graph.order()[0]).attributes);
  EXPECT_EQ(attr.max_detections, 7);
  EXPECT_EQ(attr.score_threshold, 0.25f);
  EXPECT_EQ(attr.stride, 16);
  EXPECT_EQ(attr.nms_radius, 10);
  EXPECT_EQ(graph.value(graph.outputs[posenet::kOutKeypoints]).shape, (Shape{1, 7, 17, 2}));
  EXPECT_EQ(graph.value(graph.outputs[posenet::kOutKeypointScores]).shape, (Shape{1, 7, 17}));
  EXPECT_EQ(graph.value(graph.outputs[posenet::kOutPoseScores]).shape, (Shape{1, 7}));
  EXPECT_EQ(graph.value(graph.outputs[posenet::kOutCount]).shape, Shape{1});
  const Graph with_masks = imported(posenet(posenet_options, true, 5));
  EXPECT_EQ(with_masks.value(with_masks.outputs[posenet::kOutMasks]).shape, (Shape{1, 7, 5, 6}));
}

TEST(ImportCustom, WrongPosenetDecoders) {
  const auto invalid = [](const ModelBuilder& builder, const std::vector<std::string>& parts) {
    expect_refused(builder, ErrorCode::kInvalidModel, parts);
  };
  for (const char* key : {"max_detections", "score_threshold", "stride", "nms_radius"}) {
    invalid(posenet([key](auto& b) {
              for (const char* other : {"max_detections", "score_threshold", "stride", "nms_radius"}) {
                if (other != std::string(key)) b.Int(other, 3);
              }
            }),
            {std::string("'") + key + "' is missing"});
  }
  const auto with = [](const char* key, int value) {
    return [key, value](flexbuffers::Builder& b) {
      for (const char* other : {"max_detections", "score_threshold", "stride", "nms_radius"}) {
        b.Int(other, other == std::string(key) ? value : 3);
      }
    };
  };
  invalid(posenet(with("max_detections", 0)), {"it is to find 0 poses"});
  invalid(posenet(with("max_detections", 1 << 30)), {"1073741824 poses"});
  invalid(posenet(with("stride", 0)), {"cells of 0 pixels"});
  invalid(posenet(posenet_options, true, 4), {"4 inputs and 4 outputs"});
  invalid(posenet(posenet_options, false, 5), {"3 inputs and 5 outputs"});
  const auto changed = [](size_t input, const Dims& dims) {
    return posenet(posenet_options, false, 4,
                   [&](ModelBuilder& b, std::vector<int32_t>& inputs) { b.tensor(inputs[input]).shape = dims; });
  };
  invalid(changed(0, {1, 5, 6, 18}), {"is 1x5x6x18, not 1 x rows x columns x 17"});
  invalid(changed(1, {1, 5, 7, 34}), {"1x5x7x34"});
  invalid(changed(2, {2, 5, 6, 64}), {"2x5x6x64"});
  invalid(changed(0, {5, 6, 17}), {"is 5x6x17"});
}

TEST(ImportCustom, DetectionPostprocessByClass) {
  const Graph graph = imported(detector(flex_options([](auto& b) {
    detection_options(b);
    b.Bool("use_regular_nms", true);
    b.Int("detections_per_class", 7);
  })));
  const auto& attr = std::get<DetectionAttr>(graph.node(graph.order()[0]).attributes);
  EXPECT_TRUE(attr.regular);
  EXPECT_EQ(attr.per_class, 7);
}

TEST(ImportCustom, WrongOptionsOfDetectionPostprocess) {
  const auto refused = [](const std::vector<uint8_t>& options, const std::string& part) {
    expect_refused(detector(options), ErrorCode::kInvalidModel, {"TFLite_Detection_PostProcess", part});
  };
  refused({}, "it has no options");
  refused({1, 2, 3}, "its options are damaged");
  refused(std::vector<uint8_t>(40, 0xff), "its options are damaged");
  refused(flex_options([](auto&) {}), "'max_detections' is missing");
  flexbuffers::Builder list;
  list.Vector([&] { list.Int(1); });
  list.Finish();
  refused(list.GetBuffer(), "not a map");
  const auto changed = [&](const std::string& key, const Fill& value) {
    return flex_options([&](flexbuffers::Builder& b) {
      const auto number = [&](const char* name, double x) {
        if (key != name) b.Double(name, x);
      };
      const auto integer = [&](const char* name, int x) {
        if (key != name) b.Int(name, x);
      };
      integer("max_detections", 3);
      integer("max_classes_per_detection", 1);
      integer("num_classes", 2);
      number("nms_score_threshold", 0.25);
      number("nms_iou_threshold", 0.5);
      for (const char* name : {"y_scale", "x_scale", "h_scale", "w_scale"}) number(name, 10);
      value(b);
    });
  };
  refused(changed("max_detections", [](auto& b) { b.String("max_detections", "many"); }), "'max_detections'");
  refused(changed("max_detections", [](auto& b) { b.Int("max_detections", int64_t{1} << 40); }), "'max_detections' is");
  refused(changed("max_detections", [](auto& b) { b.Int("max_detections", 1 << 30); }), "numbers of detections");
  refused(changed("max_detections", [](auto& b) { b.Int("max_detections", 0); }), "numbers of detections");
  refused(changed("num_classes", [](auto& b) { b.Int("num_classes", 5); }), "it has 5 classes");
  refused(changed("nms_iou_threshold", [](auto& b) { b.Float("nms_iou_threshold", 0); }), "overlap threshold");
  refused(changed("x_scale", [](auto& b) { b.Float("x_scale", 0); }), "one of its scales");
  refused(changed("y_scale", [](auto& b) { b.Float("y_scale", std::numeric_limits<float>::infinity()); }),
          "'y_scale' is not finite");
}

TEST(ImportCustom, DamagedFlexbuffersAreHarmless) {
  const std::vector<uint8_t> whole = flex_options(detection_options);
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const uint8_t bits : {0xff, 0x80, 0x01, 0x10}) {
      std::vector<uint8_t> damaged = whole;
      damaged[i] = static_cast<uint8_t>(damaged[i] ^ bits);
      const Result<Graph> graph = import_bytes(detector(damaged).build());
      if (!graph.ok()) continue;
      EXPECT_TRUE(verify(*graph).ok()) << verify(*graph).message();
    }
    const std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(import_bytes(detector(cut).build()).ok()) << "truncated to " << i << " bytes";
  }
}

TEST(ImportCustom, DetectionPostprocessNeedsFourOutputs) {
  expect_refused(detector(flex_options(detection_options), 3), ErrorCode::kInvalidModel, {"3 outputs, not 4"});
  expect_refused(detector(flex_options(detection_options), 5), ErrorCode::kInvalidModel, {"5 outputs"});
}

using Options = flexbuffers::Builder;

struct Custom {
  std::string name;
  int32_t version = 1;
  std::vector<Dims> inputs;
  std::vector<uint8_t> options;
};

ModelBuilder model_of(const Custom& custom) {
  ModelBuilder m;
  std::vector<int32_t> inputs;
  for (const Dims& dims : custom.inputs) inputs.push_back(m.add_input(dims));
  m.add_output(m.add_custom_op(custom.name, inputs, {}, custom.options));
  m.model().operator_codes.back()->version = custom.version;
  return m;
}

template <typename Attr>
Attr imported_attributes(const Custom& custom, const Shape& out) {
  const Graph graph = imported(model_of(custom));
  EXPECT_EQ(graph.order().size(), 1u);
  EXPECT_EQ(graph.value(graph.outputs[0]).shape, out);
  return std::get<Attr>(graph.node(graph.order()[0]).attributes);
}

void add_list(Options& b, const char* key, const std::vector<int32_t>& numbers) {
  b.Vector(key, numbers.data(), numbers.size());
}

struct FirstVersion {
  std::vector<int32_t> input_hw{101, 201}, output_hw{11, 21}, subset{0, 2, 1};
  int32_t dimensions = 3, range = 50, left = 1;
  float multiplier = 1.5f;

  Custom custom() const {
    return {"Landmarks2TransformMatrix", 1, {{1, 1, 1, 9}}, flex_options([this](Options& b) {
              add_list(b, "input_hw", input_hw);
              add_list(b, "output_hw", output_hw);
              add_list(b, "subset", subset);
              b.Int("dimensions", dimensions);
              b.Int("landmarks_range", range);
              b.Int("left_rotation_idx", left);
              b.Int("right_rotation_idx", 2);
              b.Float("bbox_size_multiplier", multiplier);
            })};
  }
};

struct SecondVersion {
  std::vector<int32_t> subset{0, 2, 1};
  int32_t height = 16, width = 32, version = 2;
  float scale_x = 1.5f;

  Custom custom() const {
    return {"Landmarks2TransformMatrix", version, {{1, 3, 3}}, flex_options([this](Options& b) {
              add_list(b, "subset_idxs", subset);
              b.Int("left_rotation_idx", 1);
              b.Int("right_rotation_idx", 2);
              b.Float("target_rotation_radians", 0.25f);
              b.Int("output_height", height);
              b.Int("output_width", width);
              b.Float("scale_x", scale_x);
              b.Float("scale_y", 2);
            })};
  }
};

TEST(ImportLandmarksToMatrix, FirstVersionCountsBetweenCenters) {
  const auto attr = imported_attributes<LandmarksToMatrixAttr>(FirstVersion().custom(), {1, 4, 4});
  EXPECT_EQ(attr.left, 1);
  EXPECT_EQ(attr.right, 2);
  EXPECT_FALSE(attr.directed);
  EXPECT_EQ(attr.subset, (std::vector<int32_t>{0, 2, 1}));
  EXPECT_EQ(attr.rows, 10);
  EXPECT_EQ(attr.columns, 20);
  EXPECT_EQ(attr.pixels_y, 2);
  EXPECT_EQ(attr.pixels_x, 4);
  EXPECT_EQ(attr.scale_y, 1.5f);
}

TEST(ImportLandmarksToMatrix, SecondVersion) {
  const auto attr = imported_attributes<LandmarksToMatrixAttr>(SecondVersion().custom(), {1, 4, 4});
  EXPECT_TRUE(attr.directed);
  EXPECT_EQ(attr.rows, 16);
  EXPECT_EQ(attr.columns, 32);
  EXPECT_EQ(attr.pixels_x, 1);
  EXPECT_EQ(attr.scale_y, 2);
  EXPECT_EQ(attr.target_rotation, 0.25f);
}

TEST(ImportLandmarksToMatrix, Rejections) {
  const auto refused = [](const Custom& custom, const std::string& part, ErrorCode code = ErrorCode::kInvalidModel) {
    expect_refused(model_of(custom), code, {"Landmarks2TransformMatrix", part});
  };
  refused(FirstVersion{.output_hw = {1, 5}}.custom(), "'output_hw' is 1");
  refused(FirstVersion{.input_hw = {7}}.custom(), "'input_hw' is not a height and a width");
  refused(FirstVersion{.dimensions = 2}.custom(), "2 dimensions");
  refused(FirstVersion{.range = 0}.custom(), "'landmarks_range' is 0");
  refused(FirstVersion{.multiplier = 0}.custom(), "bbox_size_multiplier");
  refused(FirstVersion{.left = -1}.custom(), "landmark -1 of 3");
  refused(FirstVersion{.subset = {3}}.custom(), "landmark 3 of 3");
  refused(SecondVersion{.subset = {}}.custom(), "no landmarks");
  refused(SecondVersion{.height = 0}.custom(), "'output_height' is 0");
  refused(SecondVersion{.scale_x = -1}.custom(), "scales are -1");
  refused(SecondVersion{.version = 3}.custom(), "version is 3", ErrorCode::kUnsupported);
  refused(SecondVersion{.version = 1}.custom(), "'input_hw' is missing");
  refused({"Landmarks2TransformMatrix", 2, {{1, 3, 3}}, {}}, "no options");
}

TEST(ImportTransformLandmarks, BothVersions) {
  const Custom first{"TransformLandmarks", 1, {{1, 1, 1, 8}, {1, 4, 4}}, flex_options([](Options& b) {
                       b.Int("dimensions", 2);
                       b.Float("scale", 0.5f);
                     })};
  const auto attr = imported_attributes<TransformLandmarksAttr>(first, {1, 1, 1, 8});
  EXPECT_EQ(attr.dimensions, 2);
  EXPECT_EQ(attr.scale, 0.5f);
  const Custom second{"TransformLandmarks", 2, {{1, 5, 2}, {1, 4, 4}}, {}};
  EXPECT_EQ(imported_attributes<TransformLandmarksAttr>(second, {1, 5, 2}).dimensions, 2);
}

TEST(ImportTransformLandmarks, Rejections) {
  const auto refused = [](const Custom& custom, const std::string& part, ErrorCode code = ErrorCode::kInvalidModel) {
    expect_refused(model_of(custom), code, {"TransformLandmarks", part});
  };
  const auto scaled = flex_options([](Options& b) { b.Float("scale", 0); });
  refused({"TransformLandmarks", 1, {{1, 1, 1, 6}, {1, 4, 4}}, scaled}, "'scale' is 0");
  refused({"TransformLandmarks", 2, {{1, 5, 4}, {1, 4, 4}}, {}}, "4 dimensions");
  refused({"TransformLandmarks", 2, {{1, 5, 3}, {1, 3, 4}}, {}}, "not a 4 x 4 matrix");
  refused({"TransformLandmarks", 9, {{1, 5, 3}, {1, 4, 4}}, {}}, "version is 9", ErrorCode::kUnsupported);
}

std::vector<uint8_t> first_size(const std::string& mode, const std::vector<int32_t>& size) {
  return flex_options([&](Options& b) {
    b.String("mode", mode);
    add_list(b, "output_size", size);
  });
}

std::vector<uint8_t> second_size(int32_t height, int32_t width) {
  return flex_options([&](Options& b) {
    b.Int("output_height", height);
    b.Int("output_width", width);
  });
}

const std::vector<Dims> kPictureAndMatrix{{1, 4, 6, 3}, {1, 4, 4}};

TEST(ImportTransformImage, BothVersions) {
  for (const char* name : {"TransformTensor", "TransformTensorBilinear"}) {
    const Custom first{name, 1, kPictureAndMatrix, first_size("bilinear", {5, 7})};
    EXPECT_FALSE(imported_attributes<TransformImageAttr>(first, {1, 5, 7, 3}).half_pixel_centers);
    const Custom second{name, 2, kPictureAndMatrix, second_size(5, 7)};
    EXPECT_TRUE(imported_attributes<TransformImageAttr>(second, {1, 5, 7, 3}).half_pixel_centers);
  }
}

TEST(ImportTransformImage, Rejections) {
  const auto refused = [](const Custom& custom, const std::string& part, ErrorCode code = ErrorCode::kInvalidModel) {
    expect_refused(model_of(custom), code, {custom.name, part});
  };
  const std::string name = "TransformTensorBilinear";
  refused({name, 1, kPictureAndMatrix, first_size("nearest", {5, 7})}, "not bilinear", ErrorCode::kUnsupported);
  refused({name, 1, kPictureAndMatrix, first_size("bilinear", {5})}, "'output_size'");
  refused({name, 2, kPictureAndMatrix, second_size(0, 7)}, "0 high and 7 wide");
  refused({name, 2, kPictureAndMatrix, second_size(INT32_MAX, INT32_MAX)}, "a side of 2147483647");
  refused({name, 2, {{2, 4, 6, 3}, {1, 4, 4}}, second_size(5, 7)}, "2 images");
  refused({name, 2, {{4, 6, 3}, {1, 4, 4}}, second_size(5, 7)}, "4 dimensions");
  refused({name, 3, kPictureAndMatrix, second_size(5, 7)}, "version is 3", ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace sightglass::test
