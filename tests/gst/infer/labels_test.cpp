// Label files and .modelinfo files as people write them.
#include "infer/labels.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "element/model_picture.h"
#include "harness/scratch_folder.h"
#include "harness/special_files.h"
#include "harness/value_of.h"
#include "infer/decoder.h"
#include "inferencer_case.h"
#include "known_models.h"
#include "pose/pose_model.h"
#include "segment/mask_model.h"
#include "tflite/metadata_builder.h"
#include "tiny_model.h"
#include "zip_builder.h"

namespace sightglass::test {
namespace {

TEST(Labels, DataSetsHaveTheirClasses) {
  EXPECT_EQ(split_labels(kImageNetLabels).size(), 1000U);
  const std::vector<std::string> coco = split_labels(kCocoLabels);
  std::vector<std::string> by_category = split_labels(kCoco90Labels);
  EXPECT_EQ(coco.size(), 80U);
  ASSERT_EQ(by_category.size(), 90U);
  EXPECT_EQ(by_category[17], "dog") << "category 18";
  EXPECT_EQ(by_category[89], "toothbrush");
  std::erase(by_category, "");
  EXPECT_EQ(by_category, coco);
  EXPECT_EQ(split_labels("a,,b"), (std::vector<std::string>{"a", "", "b"}));
}

constexpr const char* kNotes =
    "[modelinfo]\nversion=1.0\ngroup-id=detector\n\n"
    "[images]\ndir=input\ntype=float32\ndims=1,-1,-1,3\nranges=-1.0,1.0;0,1;0, 255.5;\n\n"
    "[boxes]\nid=boxes\ndir=output\ndims=1,84,8400\ndims-order=row-major\n"
    "[sightglass]\ndecoder=yolo\nlabels=names.txt\n";

const DecoderRow& row_for(const std::vector<Shape>& outputs, const InferModelOptions& options = {}) {
  return row_of(value_of(describe_infer_model(pixels_as(outputs), std::nullopt, options)).decoder);
}

// Detectors by the shapes of their outputs, for an input of 64 x 64 pixels.
TEST(Detectors, AreRecognizedByShape) {
  const auto describe = [](const std::vector<Shape>& outputs, const InferModelOptions& options) {
    return value_of(describe_infer_model(pixels_as(outputs), std::nullopt, options));
  };
  // 8x8, 4x4, 2x2, and 1x1 twice: 9 anchors per cell of EfficientDet, 6 of SSD with a feature pyramid.
  const InferModel efficient = describe({{1, 774, 4}, {1, 774, 5}}, {});
  EXPECT_STREQ(row_of(efficient.decoder).name, "anchors");
  EXPECT_EQ(efficient.raw_detector->layout.background, 0);
  EXPECT_EQ(efficient.raw_detector->layout.x_scale, 1);
  EXPECT_TRUE(efficient.raw_detector->layout.y_first);
  EXPECT_FALSE(efficient.letterbox);
  EXPECT_EQ(efficient.plan_options.inputs[0].offset[0], -1);
  const InferModel pyramid = describe({{1, 516, 7}, {1, 516, 4}}, {});
  EXPECT_EQ(pyramid.raw_detector->boxes, 1U);
  EXPECT_EQ(pyramid.raw_detector->layout.background, 1);
  EXPECT_EQ(pyramid.raw_detector->layout.x_scale, 10);
  // SSD with six layers of 4x4, 2x2, and 1x1 four times.
  EXPECT_STREQ(row_for({{1, 96, 4}, {1, 96, 5}}).name, "anchors");
  EXPECT_STREQ(row_for({{1, 97, 4}, {1, 97, 5}}).name, "tensors");
  // Anchors of the application.
  InferModelOptions options;
  options.anchors = "strides=32;scales=0.5,0.5;ratios=1,2;interpolated=0;order=xy";
  const InferModel own = describe({{1, 8, 4}, {1, 8, 5}}, options);
  EXPECT_EQ(own.raw_detector->layout.anchors.size(), 8U);
  EXPECT_EQ(own.raw_detector->layout.anchors[0], (Anchor{0.25F, 0.25F, 0.5F, 0.5F}));
  EXPECT_FALSE(own.raw_detector->layout.y_first);
  options.anchors = "strides=16,32";
  const InferModel points = describe({{1, 40, 1}, {1, 40, 16}}, options);
  EXPECT_EQ(points.raw_detector->layout.points, 6);
  EXPECT_EQ(points.raw_detector->layout.x_scale, 64);
  EXPECT_TRUE(points.letterbox);
  const auto wrong = describe_infer_model(pixels_as({{1, 41, 4}, {1, 41, 5}}), std::nullopt, options);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.status().message().find("these are 40 anchors, but the outputs of"), std::string::npos)
      << wrong.status().message();
  // CenterNet, with outputs in any order; a model with other cells is none.
  const InferModel centers = describe({{1, 16, 16, 2}, {1, 16, 16, 3}, {1, 16, 16, 2}}, {});
  EXPECT_STREQ(row_of(centers.decoder).name, "centernet");
  EXPECT_EQ(centers.yolo->output, 1U);
  EXPECT_EQ(centers.yolo->sizes, 0U);
  EXPECT_EQ(centers.yolo->offsets, 2U);
  EXPECT_EQ(centers.classes, 3U);
  EXPECT_TRUE(centers.yolo->layout.logits);
  EXPECT_STRNE(row_for({{1, 8, 8, 2}, {1, 8, 8, 3}, {1, 8, 8, 2}}).name, "centernet");
  // Boxes that the model has chosen.
  const InferModel chosen = describe({{1}, {1, 10}, {1, 10, 4}, {1, 10}}, {});
  EXPECT_STREQ(row_of(chosen.decoder).name, "postprocess");
  EXPECT_EQ(chosen.processed, (std::array<size_t, 4>{2, 1, 3, 0}));
}

// Anchors in the metadata precede those of known detectors, if they fit the outputs.
TEST(Detectors, AnchorsOfTheFile) {
  constexpr size_t kBoxes = 48;
  tflite::schema::DetectorDescriptionT detector;
  detector.anchors = std::make_unique<tflite::schema::AnchorOptionsT>();
  detector.anchors->fixed = std::make_unique<tflite::schema::FixedAnchorsT>();
  for (size_t i = 0; i < kBoxes; ++i) {
    auto& anchor = *detector.anchors->fixed->anchors.emplace_back(std::make_unique<tflite::schema::FixedAnchorT>());
    anchor.x_center = static_cast<float>(i) / kBoxes;
    anchor.y_center = 0.5F;
    anchor.width = anchor.height = 0.25F;
  }
  detector.decoding = std::make_unique<tflite::schema::DecodingOptionsT>();
  detector.decoding->num_classes = 1;
  detector.decoding->num_coords = 4;
  detector.decoding->x_scale = detector.decoding->y_scale = 10;
  detector.decoding->w_scale = detector.decoding->h_scale = 5;
  detector.decoding->apply_exponential_on_box_size = detector.decoding->sigmoid_score = true;
  for (const bool fits : {true, false}) {
    if (!fits) detector.anchors->fixed->anchors.pop_back();
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(tflite::schema::DetectorDescription::Pack(builder, &detector), "V001");
    tflite::schema::ModelDescriptionT description;
    auto& subgraph =
        *description.subgraph_metadata.emplace_back(std::make_unique<tflite::schema::SubGraphDescriptionT>());
    auto& custom = *subgraph.custom_metadata.emplace_back(std::make_unique<tflite::schema::CustomDescriptionT>());
    custom.name = "DETECTOR_METADATA";
    custom.data.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
    ModelBuilder file;
    const int boxes = file.add_op(tflite::schema::BuiltinOperator::RESHAPE,
                                  {file.add_input({1, 8, 8, 3}), file.add_ints({3}, {1, kBoxes, 4})}, {1, kBoxes, 4},
                                  tflite::schema::ReshapeOptionsT());
    tflite::schema::ReducerOptionsT keep;
    keep.keep_dims = true;
    file.add_output(
        file.add_op(tflite::schema::BuiltinOperator::MEAN, {boxes, file.add_ints({1}, {2})}, {1, kBoxes, 1}, keep));
    file.add_output(boxes);
    add_metadata(file, packed(description));
    const auto model = value_of(Model::load(file.build(), "noted.tflite"));
    const InferModel described = value_of(describe_infer_model(model, std::nullopt, {}));
    EXPECT_STREQ(row_of(described.decoder).name, fits ? "anchors" : "tensors");
    if (!fits) continue;
    const InferModel::RawDetector& found = *described.raw_detector;
    EXPECT_EQ(found.boxes, 1U);
    EXPECT_EQ(found.layout.anchors[12], (Anchor{0.25F, 0.5F, 0.25F, 0.25F}));
    EXPECT_EQ(found.layout.width_scale, 5);
    EXPECT_TRUE(found.layout.exponential_sizes && found.layout.y_first && found.layout.logits);
  }
}

// Their shapes are also those of one class more, so the notes or the application decide.
TEST(Detectors, RotatedBoxesOfTheExporter) {
  using Rows = YoloFile::Rows;
  for (const Rows rows : {Rows::kRotatedLast, Rows::kRotatedFirst, Rows::kRankedRotated}) {
    SCOPED_TRACE(static_cast<int>(rows));
    const std::string path = yolo_model({.rows = rows});
    std::ifstream stream(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    const auto plain = std::as_bytes(std::span(text));
    std::vector<std::byte> file(plain.begin(), plain.end());
    attach(file, {{"metadata.json", R"({"task": "obb", "names": {"0": "plane", "1": "ship"}})"}});
    const std::string noted = scratch_folder() / "obb.tflite";
    std::ofstream(noted, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    const auto model = value_of(Model::load(noted));
    const InferModel described = value_of(describe_infer_model(model, std::nullopt, {}));
    EXPECT_STREQ(row_of(described.decoder).name, "yolo-obb");
    EXPECT_EQ(described.labels, (std::vector<std::string>{"plane", "ship"}));
    EXPECT_TRUE(described.letterbox);
    ASSERT_TRUE(described.yolo);
    const YoloLayout& layout = described.yolo->layout;
    const bool is_ranked = rows == Rows::kRankedRotated;
    EXPECT_TRUE(layout.rotated);
    EXPECT_EQ(layout.ranked, is_ranked);
    EXPECT_EQ(layout.classes, is_ranked ? 0 : 2);
    EXPECT_EQ(layout.boxes, is_ranked ? 300 : 21);
    EXPECT_EQ(layout.boxes_last, rows == Rows::kRotatedLast);
    EXPECT_EQ(layout.first_further(), 6) << "the angle";
    // Other decoders and elements reject it.
    for (const YoloHead head : {YoloHead::kPlain, YoloHead::kObjectness, YoloHead::kRanked}) {
      const YoloSearch search = find_yolo(*model, head);
      EXPECT_FALSE(search.found);
      EXPECT_NE(search.reason.find("its boxes are rotated"), std::string::npos) << search.reason;
    }
    InferModelOptions options;
    options.decoder = DecoderKind::kYolo;
    const auto wrong = describe_infer_model(model, std::nullopt, options);
    ASSERT_FALSE(wrong.ok());
    EXPECT_NE(wrong.status().message().find("decoder=yolo-obb"), std::string::npos) << wrong.status().message();
    for (const Status& status :
         {describe_pose_model(model, {}).status(), describe_mask_model(*model, {}, {}).status()}) {
      EXPECT_NE(status.message().find(".tflite: its boxes are rotated"), std::string::npos) << status.message();
      EXPECT_NE(status.message().find("run it as a detector"), std::string::npos) << status.message();
    }
    // Without notes, only if asked for.
    const auto unnoted = value_of(Model::load(path));
    const InferModel other = value_of(describe_infer_model(unnoted, std::nullopt, {}));
    EXPECT_STRNE(row_of(other.decoder).name, "yolo-obb");
    options.decoder = DecoderKind::kYoloRotated;
    const InferModel asked = value_of(describe_infer_model(unnoted, std::nullopt, options));
    EXPECT_EQ(asked.yolo->layout.ranked, is_ranked);
    EXPECT_EQ(asked.yolo->layout.classes, layout.classes);
    EXPECT_EQ(asked.yolo->layout.boxes_last, layout.boxes_last);
  }
  InferModelOptions options;
  options.decoder = DecoderKind::kYoloRotated;
  const auto few = describe_infer_model(pixels_as({{1, 84, 5}}), std::nullopt, options);
  ASSERT_FALSE(few.ok()) << "no class";
  EXPECT_NE(few.status().message().find("no value for a class"), std::string::npos) << few.status().message();
  EXPECT_TRUE(value_of(describe_infer_model(pixels_as({{1, 100, 7}}), std::nullopt, options)).yolo->layout.ranked)
      << "fewer rows that the model has chosen";
  EXPECT_EQ(value_of(describe_infer_model(pixels_as({{1, 84, 7}}), std::nullopt, options)).yolo->layout.classes, 2);
}

TEST(ModelInfo, IsRead) {
  const ModelNotes notes = value_of(parse_model_notes("model.tflite.modelinfo", kNotes));
  ASSERT_EQ(notes.tensors.size(), 2U);
  EXPECT_EQ(notes.tensors[0].name, "images");
  EXPECT_TRUE(notes.tensors[0].is_input);
  EXPECT_EQ(notes.tensors[0].type, "float32");
  EXPECT_EQ(notes.tensors[0].dims, (std::vector<int32_t>{1, -1, -1, 3}));
  EXPECT_EQ(notes.tensors[0].ranges, (std::vector<std::array<float, 2>>{{-1, 1}, {0, 1}, {0, 255.5F}}));
  EXPECT_FALSE(notes.tensors[1].is_input);
  EXPECT_EQ(notes.own.at("decoder"), "yolo");
  EXPECT_EQ(notes.own.at("labels"), "names.txt");
  EXPECT_EQ(value_of(read_model_notes(scratch_folder() / "nothing.tflite")).file, "");
  EXPECT_TRUE(value_of(parse_model_notes("empty", "")).tensors.empty());
}

TEST(ModelInfo, ErrorsNameTheKey) {
  struct Case {
    const char* text;
    const char* expected;
  };
  for (const Case& c : {
           Case{"key=1", "m.modelinfo is not a key file: "},
           {"[modelinfo]\nversion=2.0", "m.modelinfo, group [modelinfo], version=2.0: expected 1.0"},
           {"[a]\ntype=float32", "m.modelinfo, group [a], dir=: expected input or output"},
           {"[a]\ndir=inputs", "dir=inputs: expected input or output"},
           {"[a]\ndir=input\ndims=1,0,3", "group [a], dims=1,0,3: expected up to 8 numbers from 1 on"},
           {"[a]\ndir=input\ndims=1,,3", "dims=1,,3: "},
           {"[a]\ndir=input\ndims=1,99999999999", "dims=1,99999999999: "},
           {"[a]\ndir=input\ndims=1,1,1,1,1,1,1,1,1", "dims=1,1,1,1,1,1,1,1,1: "},
           {"[a]\ndir=input\ndims-order=col-major", "dims-order=col-major: expected row-major"},
           {"[a]\ndir=input\nranges=1", "ranges=1: expected a minimum and a maximum"},
           {"[a]\ndir=input\nranges=1,0", "ranges=1,0: "},
           {"[a]\ndir=input\nranges=0,inf", "ranges=0,inf: "},
           {"[a]\ndir=input\nranges=0,nan", "ranges=0,nan: "},
           {"[a]\ndir=input\nranges=0,1;0,1;0,1;0,1;0,1", "ranges=0,1;0,1;"},
           {"[a]\ndir=input\nranges=0,1,2", "ranges=0,1,2: "},
           {"[sightglass]\ndecoders=yolo",
            "group [sightglass], decoders: unknown key; use task, decoder, labels, or anchors for glinfer"},
       }) {
    const auto notes = parse_model_notes("m.modelinfo", c.text);
    ASSERT_FALSE(notes.ok()) << c.text;
    EXPECT_NE(notes.status().message().find(c.expected), std::string::npos)
        << c.text << ": " << notes.status().message();
  }
}

// Every prefix, and bytes replaced at every place, are read or refused with the name of the file.
TEST(ModelInfo, SurvivesBrokenFiles) {
  const std::string text = kNotes;
  int refused = 0;
  const auto expect_no_harm = [&](const std::string& broken) {
    const auto notes = parse_model_notes("broken.modelinfo", broken);
    if (notes.ok()) return;
    ++refused;
    EXPECT_NE(notes.status().message().find("broken.modelinfo"), std::string::npos) << notes.status().message();
  };
  for (size_t i = 0; i <= text.size(); ++i) {
    expect_no_harm(text.substr(0, i));
    for (const char byte : {'\0', '\n', '[', ']', '=', ';', ',', '9', '-', '\xff'}) {
      std::string broken = text;
      if (i < broken.size()) broken[i] = byte;
      expect_no_harm(broken);
    }
  }
  expect_no_harm(std::string(60000, '['));
  expect_no_harm("[a]\ndir=input\ndims=" + std::string(50000, ','));
  expect_no_harm("[a]\ndir=input\nranges=" + std::string(50000, ';'));
  EXPECT_GT(refused, 500);
}

TEST(Labels, FilesOfSeveralForms) {
  const std::filesystem::path folder = scratch_folder();
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  };
  using Names = std::vector<std::string>;
  const auto labels_of = [&](const std::string& text, size_t classes) {
    const auto file = value_of(load_labels(write("labels", text)));
    return fit_labels(file, classes);
  };
  const Names colors{"red", "green", "blue"};
  const struct {
    const char* form;
    std::string text;
    size_t classes;
    Names expected;
    bool warns;
  } forms[] = {
      {"plain", "cat\n dog \r\n\nbird\n\n\n", 4, {"cat", "dog", "", "bird"}, false},
      {"numbered", "0 red\n1: green\n2 \tblue", 3, colors, false},
      {"from 1", "1 red\n2 green\n3 blue\n", 3, colors, false},
      {"from 1, classes unknown", "1 red\n2 green\n3 blue\n", 0, colors, false},
      {"from 1, behind a background", "1 red\n2 green\n3 blue\n", 4, {"", "red", "green", "blue"}, false},
      {"with a gap", "0 red\n2 blue\n", 3, {"red", "", "blue"}, false},
      {"with gaps, from 1", "1 red\n\n3 blue\n", 3, {"red", "", "blue"}, false},
      {"the last classes", "1 green\n2 blue\n", 3, {"", "green", "blue"}, false},
      {"labels that begin with numbers", "1 cent\n5 cent\n10 cent\n", 3, {"1 cent", "5 cent", "10 cent"}, false},
      {"not ascending", "2 red\n1 green\n3 blue\n", 3, {"2 red", "1 green", "3 blue"}, false},
      {"byte-order mark",
       "\xef\xbb\xbf"
       "0 red\n1 green\n2 blue\n",
       3, colors, false},
      {"CRLF", "red\r\ngreen\r\nblue\r\n", 3, colors, false},
      {"CR", "red\rgreen\rblue\r", 3, colors, false},
      {"UTF-16", std::string("\xff\xfer\0e\0d\0\n\0a\0", 12), 2, {"red", "a"}, false},
      {"Windows-1252", "gr\xfcn\nrot\n", 2, {"gr\xc3\xbcn", "rot"}, false},
      {"label map",
       "item {\n  id: 1\n  name: 'red'\n}\nitem {\n  id: 3\n  name: \"b\"\n  display_name: \"blue\"\n}\n",
       3,
       {"red", "", "blue"},
       false},
      {"too few", "red\n", 3, {"red"}, true},
      {"too many", "red\ngreen\n", 1, {"red", "green"}, true},
  };
  for (const auto& form : forms) {
    const FittedLabels fitted = labels_of(form.text, form.classes);
    EXPECT_EQ(fitted.labels, form.expected) << form.form;
    EXPECT_EQ(!fitted.warning.empty(), form.warns) << form.form << ": " << fitted.warning;
  }
  EXPECT_FALSE(load_labels(write("empty", "\n \n")).ok());
  EXPECT_FALSE(load_labels(write("lines", std::string(size_t{1} << 21, '\n') + "cat")).ok());
  EXPECT_FALSE(load_labels(write("mark twice", std::string("\xff\xfe\xff\xfe\x0e\0\0\0", 8))).ok());
  for (const char* id : {"1048577", "18446744073709551615"}) {
    expect_failure(load_labels(write("id", std::string("item {\n  id: ") + id + "\n  name: 'a'\n}\n")), {id});
  }
  EXPECT_FALSE(load_labels(write("binary", std::string("a\0b", 3))).ok());
  EXPECT_FALSE(load_labels((folder / "none").string()).ok());
  EXPECT_FALSE(load_labels(folder.string()).ok()) << "a folder";
  for (const auto& [path, kind] : make_special_files(folder / "special")) {
    const auto labels = load_labels(path);
    ASSERT_FALSE(labels.ok()) << path;
    expect_words(labels.status().message(), {"labels=" + path, kind});
  }
  const std::string large = write("large", "cat");
  std::filesystem::resize_file(large, uintmax_t{1} << 40);
  expect_words(load_labels(large).status().message(), {"1099511627776 bytes"});
}

}  // namespace
}  // namespace sightglass::test
