// The MediaPipe operators on landmarks, in both versions.
#include <flatbuffers/flexbuffers.h>

#include "import_test.h"

namespace sightglass::test {
namespace {

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
  refused({name, 2, {{2, 4, 6, 3}, {1, 4, 4}}, second_size(5, 7)}, "2 pictures");
  refused({name, 2, {{4, 6, 3}, {1, 4, 4}}, second_size(5, 7)}, "4 dimensions");
  refused({name, 3, kPictureAndMatrix, second_size(5, 7)}, "version is 3", ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace sightglass::test
