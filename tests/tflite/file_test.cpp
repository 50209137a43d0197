// The file as a container: data after the flatbuffer, shared parts, quantization tables.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include "harness/value_of.h"
#include "import_test.h"

namespace sightglass::test {
namespace {

using Op = schema::BuiltinOperator;

// input + {1, 2, 3}, with the three values after the flatbuffer. `move` shifts their offset in the file.
std::vector<std::byte> with_data_behind(int64_t move, uint64_t size) {
  const std::vector<float> numbers{1, 2, 3};
  std::vector<std::byte> bytes;
  size_t place = 2;  // any offset above 1, to determine the length of the flatbuffer
  for (int pass = 0; pass < 2; ++pass) {
    ModelBuilder m;
    const int input = m.add_input({3}, schema::TensorType::FLOAT32, "input");
    const int constant = m.add_floats({3}, numbers, "numbers");
    schema::BufferT& buffer = *m.model().buffers[m.tensor(constant).buffer];
    buffer.data.clear();
    buffer.offset = place + static_cast<uint64_t>(pass == 0 ? 0 : move);
    buffer.size = size;
    m.add_output(m.add_op(Op::ADD, {input, constant}, {3}, "sum"));
    bytes = m.build();
    place = (bytes.size() + 15) / 16 * 16;
  }
  bytes.resize(place + numbers.size() * sizeof(float));
  std::memcpy(bytes.data() + place, numbers.data(), numbers.size() * sizeof(float));
  return bytes;
}

TEST(FileData, AfterTheFlatbuffer) {
  const Result<Graph> graph = import_bytes(with_data_behind(0, 12));
  ASSERT_TRUE(graph.ok()) << graph.status().message();
  const Node& add = graph->node(graph->order().at(0));
  EXPECT_EQ(graph->floats(add.inputs.at(1)), (std::vector<float>{1, 2, 3}));
}

TEST(FileData, OutsideTheFile) {
  for (const auto& [move, size] : std::vector<std::pair<int64_t, uint64_t>>{
           {16, 12}, {0, 16}, {0, UINT64_MAX}, {INT64_MAX - 4096, 12}, {int64_t{1} << 40, 12}}) {
    const Result<Graph> graph = import_bytes(with_data_behind(move, size));
    ASSERT_FALSE(graph.ok()) << move << ", " << size;
    EXPECT_EQ(graph.status().code(), ErrorCode::kInvalidModel);
    EXPECT_NE(graph.status().message().find("outside the file"), std::string::npos) << graph.status().message();
  }
}

TEST(FileData, AtAnOddAddress) { expect_failure(import_bytes(with_data_behind(-2, 12)), {"odd address"}); }

TEST(FileData, AddressOfTheWholeFile) {
  const auto bytes = std::make_shared<std::vector<std::byte>>(1);
  const std::vector<std::byte> model = with_data_behind(0, 12);
  bytes->insert(bytes->end(), model.begin(), model.end());
  expect_failure(tflite::import(std::span(*bytes).subspan(1), bytes, "m.tflite"), {}, ErrorCode::kInvalidArgument);
}

// Files that are passed as models by mistake.
TEST(FileData, OtherFilesAreNamedByKind) {
  using namespace std::string_literals;
  const std::pair<std::string, const char*> files[] = {
      {"\xff\xd8\xff\xe0\0\x10JFIF\0"s, "a JPEG image"},
      {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s, "a PNG image"},
      {"RIFF\x24\0\0\0WEBPVP8 "s, "a WebP image"},
      {"\0\0\0\x20"
       "ftypisom"s,
       "an MP4 video"},
      {"PK\x03\x04\x14\0\0\0\x08\0"s, ".task bundle"},
      {"\x1f\x8b\x08\0\0\0\0\0"s, "gzip"},
      {"\x89HDF\r\n\x1a\n"s, "Keras"},
      {"version https://git-lfs.github.com/spec/v1\n"s, "git lfs pull"},
      {"\r\n<!DOCTYPE HTML><html>"s, "a web page"},
      {"<html lang=en>"s, "a web page"},
      {"something else"s, "'thin', not 'TFL3'"},
  };
  for (const auto& [content, words] : files) {
    const auto bytes = std::make_shared<std::vector<std::byte>>(content.size());
    std::memcpy(bytes->data(), content.data(), content.size());
    const Result<Graph> graph = tflite::import(*bytes, bytes, "m.tflite");
    ASSERT_FALSE(graph.ok()) << words;
    EXPECT_EQ(graph.status().code(), ErrorCode::kInvalidModel);
    EXPECT_NE(graph.status().message().find(words), std::string::npos) << graph.status().message();
  }
}

// A thousand tensors that share one name of 100 kB: a small file that would expand to 100 MB.
TEST(FileData, PartsThatOverlap) {
  flatbuffers::FlatBufferBuilder b;
  const auto name = b.CreateString(std::string(100000, 'n'));
  const auto shape = b.CreateVector(std::vector<int32_t>{1});
  std::vector<flatbuffers::Offset<schema::Tensor>> tensors;
  tensors.reserve(1000);
  for (int i = 0; i < 1000; ++i) {
    tensors.push_back(schema::CreateTensor(b, shape, schema::TensorType::FLOAT32, 0, name));
  }
  const auto inputs = b.CreateVector(std::vector<int32_t>{0});
  const auto list = b.CreateVector(tensors);
  const auto graph = schema::CreateSubGraph(b, list, inputs, inputs);
  const auto graphs = b.CreateVector(&graph, 1);
  const auto buffer = schema::CreateBuffer(b);
  const auto buffers = b.CreateVector(&buffer, 1);
  schema::FinishModelBuffer(b, schema::CreateModel(b, 3, 0, graphs, 0, buffers));
  const auto bytes = std::as_bytes(std::span(b.GetBufferPointer(), b.GetSize()));

  const Result<Graph> result = import_bytes({bytes.begin(), bytes.end()});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::kInvalidModel);
  EXPECT_NE(result.status().message().find("overlap"), std::string::npos) << result.status().message().substr(0, 500);
}

struct QuantizationCase {
  const char* what;
  std::vector<float> scale;
  std::vector<int64_t> zero_point;
  int32_t axis;
  const char* message;  // empty: valid
};

TEST(FileQuantization, ScalesAndZeroPointsMustFitTheTensor) {
  const QuantizationCase cases[] = {
      {"per tensor", {0.5f}, {3}, 0, ""},
      {"without zero points", {0.5f}, {}, 0, ""},
      {"per channel", {0.5f, 1, 2}, {0, 0, 0}, 1, ""},
      {"per tensor, with a dimension", {0.5f}, {3}, -2, ""},
      {"per tensor, with a dimension beyond the last", {0.5f}, {3}, 7, ""},
      {"no scale, hence none", {}, {}, 0, ""},
      {"as many zero points as scales", {0.5f, 1, 2}, {0, 0}, 1, "3 scales, but 2 zero points"},
      {"as many scales as channels", {0.5f, 1, 2}, {0, 0, 0}, 0, "3 scales along dimension 0 of shape 2x3"},
      {"axis of the tensor", {0.5f, 1, 2}, {0, 0, 0}, 2, "along dimension 2"},
      {"axis from the front", {0.5f, 1, 2}, {0, 0, 0}, -1, "along dimension -1"},
      {"finite", {INFINITY}, {0}, 0, "not finite"},
  };
  for (const QuantizationCase& c : cases) {
    SCOPED_TRACE(c.what);
    ModelBuilder m;
    const int input = m.add_input({2, 3}, schema::TensorType::FLOAT32, "input");
    auto quantization = std::make_unique<schema::QuantizationParametersT>();
    quantization->scale = c.scale;
    quantization->zero_point = c.zero_point;
    quantization->quantized_dimension = c.axis;
    m.tensor(input).quantization = std::move(quantization);
    m.add_output(m.add_op(Op::RELU, {input}, {2, 3}, "output"));
    if (*c.message != '\0') {
      expect_refused(m, ErrorCode::kInvalidModel, {"tensor 0 'input'", c.message});
      continue;
    }
    const Graph graph = imported(m);
    ASSERT_EQ(graph.inputs.size(), 1u);
    const Quantization& read = graph.value(graph.inputs[0]).quantization;
    EXPECT_EQ(read.scale, c.scale);
    EXPECT_EQ(read.axis, c.scale.size() > 1 ? c.axis : 0) << "a single scale has no axis";
    if (!c.zero_point.empty()) {
      EXPECT_EQ(read.zero_point, c.zero_point);
    }
  }
}

}  // namespace
}  // namespace sightglass::test
