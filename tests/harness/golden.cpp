#include "harness/golden.h"

#include <zlib.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "picture_input.h"
#include "random_input.h"

namespace sightglass::test {
namespace {

using nlohmann::json;

// Reference outputs are fixed data: what cannot be parsed is a null value here and an error at the caller.
json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return json::parse(file, nullptr, /*allow_exceptions=*/false);
}

std::optional<DataType> data_type(const std::string& name) {
  static constexpr std::pair<const char*, DataType> kNames[] = {
      {"FLOAT32", DataType::kFloat32}, {"FLOAT16", DataType::kFloat16}, {"INT8", DataType::kInt8},
      {"UINT8", DataType::kUInt8},     {"INT16", DataType::kInt16},     {"INT32", DataType::kInt32},
      {"INT64", DataType::kInt64},     {"BOOL", DataType::kBool},
  };
  for (const auto& [text, type] : kNames) {
    if (name == text) return type;
  }
  return std::nullopt;
}

Shape shape_of(const json& dims) {
  const auto list = dims.get<std::vector<int32_t>>();
  return Shape(std::span<const int32_t>(list));
}

Result<std::vector<std::byte>> read_gzip(const std::filesystem::path& path, size_t bytes) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) return not_found("cannot open " + path.string());
  std::vector<std::byte> data(bytes + 1);  // one more, to see that the file ends where it should
  const int read = gzread(file.get(), data.data(), static_cast<unsigned>(data.size()));
  if (read < 0 || static_cast<size_t>(read) != bytes) {
    return invalid_argument(path.string() + " holds " + std::to_string(read) + " bytes; its shape asks for " +
                            std::to_string(bytes));
  }
  data.pop_back();
  return data;
}

}  // namespace

std::optional<std::filesystem::path> shared_dir() {
  std::filesystem::path dir = std::filesystem::path(SIGHTGLASS_SOURCE_DIR).parent_path() / "shared";
  if (!std::filesystem::is_directory(dir / "golden")) return std::nullopt;
  return dir;
}

std::vector<GoldenCase> list_golden_cases() {
  std::vector<GoldenCase> cases;
  const auto shared = shared_dir();
  if (!shared) return cases;
  for (const json& entry : read_json(*shared / "golden" / "index.json")) {
    GoldenCase golden;
    golden.model = entry.at("model").get<std::string>();
    golden.name = entry.at("case").get<std::string>();
    golden.error = entry.value("error", std::string());
    golden.model_file = *shared / "models" / (golden.model + ".tflite");
    golden.directory = *shared / "golden" / golden.model / golden.name;
    cases.push_back(std::move(golden));
  }
  return cases;
}

std::vector<GoldenCase> golden_cases_of(const std::string& model) {
  std::vector<GoldenCase> cases = list_golden_cases();
  std::erase_if(cases, [&](const GoldenCase& golden) { return golden.model != model || !golden.error.empty(); });
  return cases;
}

Result<GoldenData> describe_case(const GoldenCase& golden) {
  const std::filesystem::path path = golden.directory / "case.json";
  const json root = read_json(path);
  if (!root.is_object()) return not_found("cannot read " + path.string());
  GoldenData data;
  for (const json& in : root.at("inputs")) {
    const auto type = data_type(in.at("dtype").get<std::string>());
    if (!type) return unsupported(path.string() + ": input of type " + in.at("dtype").get<std::string>());
    data.inputs.push_back({in.value("name", std::string()), *type, shape_of(in.at("shape")),
                           in.at("source").get<std::string>(), static_cast<float>(in.value("scale_", 1.0)),
                           static_cast<float>(in.value("offset_", 0.0))});
  }
  for (const json& out : root.at("outputs")) {
    const auto type = data_type(out.at("dtype").get<std::string>());
    if (!type) return unsupported(path.string() + ": output of type " + out.at("dtype").get<std::string>());
    GoldenOutput output{out.value("name", std::string()), *type, shape_of(out.at("shape")), {}, {}};
    if (const double scale = out.value("scale", 0.0); scale != 0.0) {
      output.quantization.scale = {static_cast<float>(scale)};
      output.quantization.zero_point = {out.value("zero_point", int64_t{0})};
    }
    data.outputs.push_back(std::move(output));
  }
  const json own = root.value("tflite_own_deviation", json::object()).value("xnnpack", json::object());
  const json deviations = own.value("deviation", json::array());
  for (size_t i = 0; i < data.outputs.size() && i < deviations.size(); ++i) {
    data.outputs[i].own_deviation = deviations[i].value("rel_l2", 0.0);
  }
  return data;
}

Result<std::vector<HostTensor>> load_inputs(const GoldenCase& golden) {
  SG_ASSIGN_OR_RETURN(const GoldenData data, describe_case(golden));
  std::vector<HostTensor> tensors;
  RandomStream stream(1);
  for (const GoldenInput& input : data.inputs) {
    if (input.source == "random") {
      HostTensor tensor(input.type, input.shape);
      if (!stream.fill(input.type, tensor.data)) {
        return unsupported("no random input of type " + std::string(to_string(input.type)));
      }
      tensors.push_back(std::move(tensor));
    } else {
      SG_ASSIGN_OR_RETURN(const Picture picture, load_picture((golden.directory / input.source).string()));
      SG_ASSIGN_OR_RETURN(HostTensor tensor,
                          picture_to_tensor(picture, input.type, input.shape, {input.scale, input.offset}));
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

Result<std::vector<HostTensor>> load_outputs(const GoldenCase& golden) {
  SG_ASSIGN_OR_RETURN(const GoldenData data, describe_case(golden));
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < data.outputs.size(); ++i) {
    HostTensor tensor(data.outputs[i].type, data.outputs[i].shape);
    SG_ASSIGN_OR_RETURN(tensor.data,
                        read_gzip(golden.directory / ("out" + std::to_string(i) + ".raw.gz"), tensor.data.size()));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace sightglass::test
