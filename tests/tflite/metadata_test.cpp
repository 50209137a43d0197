// Model metadata: normalization, labels from attached files, and all kinds of defects.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "harness/value_of.h"
#include "metadata_builder.h"
#include "sightglass/model.h"

namespace sightglass::test {
namespace {

// One image in, one mask out.
schema::ModelDescriptionT description() {
  schema::ModelDescriptionT model;
  model.name = "Finder";
  model.license = "Apache-2.0";
  auto& subgraph = *model.subgraph_metadata.emplace_back(std::make_unique<schema::SubGraphDescriptionT>());
  auto& input = *subgraph.input_tensor_metadata.emplace_back(std::make_unique<schema::TensorDescriptionT>());
  input.name = "picture";
  schema::NormalizationOptionsT normalization;
  normalization.mean = {127.5f};
  normalization.std = {63.75f};
  input.process_units.push_back(std::make_unique<schema::ProcessUnitT>());
  input.process_units.back()->options.Set(normalization);
  auto& output = *subgraph.output_tensor_metadata.emplace_back(std::make_unique<schema::TensorDescriptionT>());
  output.name = "mask";
  for (const auto& [name, locale] : {std::pair{"labels_de.txt", "de"}, {"labels.txt", ""}}) {
    auto& file = *output.associated_files.emplace_back(std::make_unique<schema::AssociatedFileT>());
    file.name = name;
    file.locale = locale;
    file.type = schema::AssociatedFileType::TENSOR_AXIS_LABELS;
  }
  return model;
}

std::vector<std::byte> file_with(const std::vector<uint8_t>& metadata) {
  ModelBuilder m;
  m.add_output(m.add_op(schema::BuiltinOperator::RELU, {m.add_input({1, 4, 4, 3})}, {1, 4, 4, 3}));
  add_metadata(m, metadata);
  return m.build();
}

// The model loads, whatever its metadata.
ModelMetadata metadata_of(const std::vector<std::byte>& file) {
  const auto model = value_of(Model::load(file, "m.tflite"));
  return model->metadata();
}

void expect_problem(const std::vector<std::byte>& file, const std::string& part) {
  const ModelMetadata metadata = metadata_of(file);
  ASSERT_EQ(metadata.problems.size(), 1u);
  EXPECT_NE(metadata.problems[0].find(part), std::string::npos) << metadata.problems[0];
}

const std::vector<Attached> kLabels{{"labels_de.txt", "Hintergrund\nMensch"}, {"labels.txt", "background\r\nperson\n"}};

TEST(Metadata, NormalizationAndLabels) {
  for (const bool from_archive : {false, true}) {
    std::vector<std::byte> file = file_with(packed(description()));
    attach(file, kLabels, from_archive);
    const ModelMetadata metadata = metadata_of(file);
    EXPECT_TRUE(metadata.problems.empty());
    EXPECT_EQ(metadata.name, "Finder");
    EXPECT_EQ(metadata.license, "Apache-2.0");
    ASSERT_EQ(metadata.inputs.size(), 1u);
    EXPECT_EQ(metadata.inputs[0].name, "picture");
    EXPECT_EQ(metadata.inputs[0].mean, std::vector<float>{127.5f});
    EXPECT_EQ(metadata.inputs[0].deviation, std::vector<float>{63.75f});
    ASSERT_EQ(metadata.outputs.size(), 1u);
    EXPECT_EQ(metadata.outputs[0].labels(), (std::vector<std::string>{"background", "person"}));
  }
}

TEST(Metadata, AbsentMetadataIsValid) {
  ModelBuilder m;
  m.add_output(m.add_op(schema::BuiltinOperator::RELU, {m.add_input({1, 2})}, {1, 2}));
  const ModelMetadata metadata = metadata_of(m.build());
  EXPECT_TRUE(metadata.name.empty() && metadata.inputs.empty() && metadata.problems.empty());
}

constexpr const char* kJson = R"({
  "description": "YOLO11n, trained on {coco}", "stride": 32, "task": "detect", "batch": 1, "imgsz": [320, 640],
  "names": {"0": "person", "1": "caf\u00e9 \"table\"", "3": "a, b"},
  "args": {"batch": 1, "names": {"7": "no"}}, "end2end": false})";
constexpr const char* kPython =
    "{'description': \"a model's words\", 'stride': 32, 'task': 'segment', 'imgsz': (320, 640), "
    "'names': {0: 'person', 1: \"driver's seat\", 3: 'it\\'s'}, 'kpt_shape': [17, 3]}";
constexpr const char* kYaml = R"(description: 'x: y'
stride: 32
task: pose
imgsz:
- 320
- 640
names:
  0: person
  1: 'traffic light'
  3: a, b
kpt_shape: [17, 3]
)";

// Texts of the Ultralytics exporter, in the three forms of its versions, stored or compressed.
TEST(Metadata, NotesOfTheExporter) {
  struct Case {
    const char *file, *text, *task, *second, *fourth;
    int32_t points;
  };
  for (const auto& [name, text, task, second, fourth, points] :
       {Case{"metadata.json", kJson, "detect", "caf\xc3\xa9 \"table\"", "a, b", 0},
        {"temp_meta.txt", kPython, "segment", "driver's seat", "it's", 17},
        {"metadata.yaml", kYaml, "pose", "traffic light", "a, b", 17}}) {
    for (const bool deflates : {false, true}) {
      SCOPED_TRACE(std::string(name) + (deflates ? " compressed" : " stored"));
      std::vector<std::byte> file = file_with({});
      attach(file, {{name, text, static_cast<uint16_t>(deflates ? 8 : 0), deflates}});
      const ModelMetadata metadata = metadata_of(file);
      const ExporterNotes& notes = metadata.exporter;
      EXPECT_EQ(notes.task, task);
      EXPECT_EQ(notes.class_names, (std::vector<std::string>{"person", second, "", fourth}));
      EXPECT_EQ(notes.height, 320);
      EXPECT_EQ(notes.width, 640);
      EXPECT_EQ(notes.stride, 32);
      EXPECT_EQ(notes.points, points);
    }
  }
}

// Its models name them as the labels of an output.
TEST(Metadata, NotesAreNoLabels) {
  schema::ModelDescriptionT model = description();
  auto& files = model.subgraph_metadata[0]->output_tensor_metadata[0]->associated_files;
  files.resize(1);
  files[0]->name = "temp_meta.txt";
  std::vector<std::byte> file = file_with(packed(model));
  attach(file, {{"temp_meta.txt", kPython}});
  const ModelMetadata metadata = metadata_of(file);
  EXPECT_EQ(metadata.exporter.class_names.size(), 4u);
  ASSERT_EQ(metadata.outputs.size(), 1u);
  EXPECT_TRUE(metadata.outputs[0].labels().empty());
  EXPECT_TRUE(metadata.problems.empty());
}

// Long enough for codes of their own and for repeats, and damaged everywhere.
TEST(Metadata, DamagedNotesDoNotPreventLoading) {
  std::string text = "{'task': 'detect', 'names': {";
  for (int i = 0; i < 300; ++i) text += std::to_string(i) + ": 'class " + std::to_string(i * i) + "', ";
  text += "}}";
  std::vector<std::byte> file = file_with({});
  const size_t archive = file.size();
  attach(file, {{"temp_meta.txt", text, 8, true}});
  ASSERT_EQ(metadata_of(file).exporter.class_names.size(), 300u);
  EXPECT_EQ(metadata_of(file).exporter.class_names[299], "class 89401");
  EXPECT_LT(file.size() - archive, text.size()) << "compressed";
  for (size_t i = archive; i < file.size(); ++i) {
    std::vector<std::byte> changed = file;
    changed[i] ^= std::byte{static_cast<unsigned char>(1 + i % 255)};
    metadata_of(changed);
  }
  for (size_t length = 0; length < text.size(); length += 7) {
    std::vector<std::byte> part = file_with({});
    attach(part, {{"temp_meta.txt", text.substr(0, length)}});
    metadata_of(part);
  }
  for (const char* bad :
       {"{", "{[(", "{'names': {99999999: 'x', -1: 'y', 3}}", "{{{{{{{{{{{{{{{{{{{{{{{{", "{:}", "- a\n-"}) {
    std::vector<std::byte> part = file_with({});
    attach(part, {{"metadata.json", bad}});
    EXPECT_TRUE(metadata_of(part).exporter.class_names.empty()) << bad;
  }
}

TEST(Metadata, InvalidArchives) {
  const std::vector<std::byte> file = file_with(packed(description()));
  expect_problem(file, "'labels.txt' is missing: nothing is attached");
  std::vector<std::byte> other = file, compressed = file, outside = file, moved = file;
  attach(other, {{"other.txt", "x"}});
  expect_problem(other, "'labels.txt' is missing");
  attach(compressed, {{"labels.txt", "x", 8}});
  expect_problem(compressed, "zip -0");
  // The size in the only directory entry, and its offset.
  constexpr size_t kEnd = 22, kEntry = 46 + 10;
  attach(outside, {{"labels.txt", "x"}});
  outside[outside.size() - kEnd - kEntry + 26] = std::byte{1};
  expect_problem(outside, "outside the file");
  attach(moved, {{"labels.txt", "x"}});
  moved[moved.size() - kEnd - kEntry + 42] ^= std::byte{1};
  expect_problem(moved, "not at its offset");
}

TEST(Metadata, InvalidNumbers) {
  const auto with = [](const std::vector<float>& mean, const std::vector<float>& deviation) {
    schema::ModelDescriptionT model = description();
    schema::SubGraphDescriptionT& subgraph = *model.subgraph_metadata[0];
    subgraph.output_tensor_metadata.clear();
    auto& options = *subgraph.input_tensor_metadata[0]->process_units[0]->options.AsNormalizationOptions();
    options.mean = mean;
    options.std = deviation;
    return file_with(packed(model));
  };
  EXPECT_EQ(metadata_of(with({1, 2, 3}, {4, 5, 6})).inputs[0].deviation, (std::vector<float>{4, 5, 6}));
  expect_problem(with({1}, {0}), "not finite");
  expect_problem(with({NAN}, {1}), "not finite");
  expect_problem(with({1, 2, 3}, {1}), "a deviation for every mean");
  expect_problem(with({}, {}), "a deviation for every mean");
}

// Anchors and decoding as MediaPipe attaches them.
std::vector<uint8_t> detector_bytes(const schema::DetectorDescriptionT& detector, const char* identifier = "V001") {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::DetectorDescription::Pack(builder, &detector), identifier);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

schema::DetectorDescriptionT detector_notes() {
  schema::DetectorDescriptionT detector;
  detector.anchors = std::make_unique<schema::AnchorOptionsT>();
  detector.anchors->fixed = std::make_unique<schema::FixedAnchorsT>();
  for (const float x : {0.25F, 0.75F}) {
    auto& anchor = *detector.anchors->fixed->anchors.emplace_back(std::make_unique<schema::FixedAnchorT>());
    anchor.x_center = x;
    anchor.y_center = 0.5F;
    anchor.width = 0.125F;
    anchor.height = 0.375F;
  }
  detector.decoding = std::make_unique<schema::DecodingOptionsT>();
  auto& decoding = *detector.decoding;
  decoding.num_classes = 3;
  decoding.num_boxes = 2;
  decoding.num_coords = 8;
  decoding.num_keypoints = 2;
  decoding.keypoint_coord_offset = 4;
  decoding.num_values_per_keypoint = 2;
  decoding.x_scale = decoding.y_scale = 10;
  decoding.w_scale = decoding.h_scale = 5;
  decoding.apply_exponential_on_box_size = true;
  return detector;
}

std::vector<std::byte> file_with_detector(const std::vector<uint8_t>& data) {
  schema::ModelDescriptionT model = description();
  auto& custom =
      *model.subgraph_metadata[0]->custom_metadata.emplace_back(std::make_unique<schema::CustomDescriptionT>());
  custom.name = "DETECTOR_METADATA";
  custom.data = data;
  model.subgraph_metadata[0]->output_tensor_metadata.clear();
  return file_with(packed(model));
}

TEST(Metadata, AnchorsOfDetectors) {
  const ModelMetadata metadata = metadata_of(file_with_detector(detector_bytes(detector_notes())));
  EXPECT_TRUE(metadata.problems.empty());
  const DetectorNotes& notes = metadata.detector;
  ASSERT_EQ(notes.anchors.size(), 2U);
  EXPECT_EQ(notes.anchors[1], (std::array<float, 4>{0.75F, 0.5F, 0.125F, 0.375F}));
  EXPECT_EQ(notes.classes, 3);
  EXPECT_EQ(notes.values, 8);
  EXPECT_EQ(notes.points, 2);
  EXPECT_EQ(notes.first_point, 4);
  EXPECT_EQ(notes.height_scale, 5);
  EXPECT_TRUE(notes.exponential_sizes);
  EXPECT_FALSE(notes.sigmoid_scores);
  expect_problem(file_with_detector(detector_bytes(detector_notes(), "V002")), "DETECTOR_METADATA is damaged");
  schema::DetectorDescriptionT flat = detector_notes();
  flat.decoding->h_scale = 0;
  expect_problem(file_with_detector(detector_bytes(flat)), "a scale of its DETECTOR_METADATA");
  flat.decoding.reset();
  EXPECT_TRUE(metadata_of(file_with_detector(detector_bytes(flat))).detector.anchors.empty());
  const std::vector<uint8_t> whole = detector_bytes(detector_notes());
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const uint8_t value : {0x00, 0x7f, 0xff}) {
      std::vector<uint8_t> changed = whole;
      changed[i] = value;
      metadata_of(file_with_detector(changed));
    }
    metadata_of(file_with_detector({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(i)}));
  }
}

// Nothing may be read beyond the end, whatever is truncated or changed. Sanitizers detect it.
TEST(Metadata, DamagedMetadataDoesNotPreventLoading) {
  const std::vector<uint8_t> whole = packed(description());
  expect_problem(file_with({whole.begin(), whole.begin() + 40}), "damaged");
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const uint8_t value : {0x00, 0x7f, 0xff}) {
      std::vector<uint8_t> changed = whole;
      changed[i] = value;
      std::vector<std::byte> file = file_with(changed);
      attach(file, kLabels);
      metadata_of(file);
    }
  }
  std::vector<std::byte> file = file_with(whole);
  const size_t archive = file.size();
  attach(file, kLabels);
  for (size_t i = archive; i < file.size(); ++i) {
    for (const uint8_t value : {0x00, 0x01, 0x7f, 0xff}) {
      std::vector<std::byte> changed = file;
      changed[i] = std::byte{value};
      metadata_of(changed);
    }
    metadata_of({file.begin(), file.begin() + static_cast<ptrdiff_t>(i)});
  }
}

}  // namespace
}  // namespace sightglass::test
