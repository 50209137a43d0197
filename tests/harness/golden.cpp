#include "harness/golden.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/golden_archive.h"
#include "harness/golden_sample.h"
#include "model/picture_input.h"
#include "model_store.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A function, because tests may call before the objects of this file are constructed.
fs::path sample_folder() { return source_folder() / "tests/golden"; }

Shape shape_of(const json& dims) {
  const auto list = dims.get<std::vector<int32_t>>();
  return Shape(std::span<const int32_t>(list));
}

// tests/golden/cases.json is part of the source tree: a parse error is an exception, which ends the test.
const json& all_cases() {
  static const json cases = json::parse(std::ifstream(sample_folder() / "cases.json"));
  return cases;
}

const json* find_case(const GoldenCase& golden) {
  for (const json& entry : all_cases()) {
    if (entry.at("model") == golden.model && entry.at("case") == golden.name) return &entry;
  }
  return nullptr;
}

fs::path find_model(const std::string& name) {
  if (name == "figure") return source_folder() / "models/figure/figure.tflite";
  if (const auto shared = shared_dir()) {
    if (fs::path file = *shared / "models" / (name + ".tflite"); fs::exists(file)) return file;
  }
  const auto entry = std::ranges::find_if(all_cases(), [&](const json& one) { return one.at("model") == name; });
  if (entry == all_cases().end()) return {};
  // The directory that `./dev test-models` fills.
  return downloaded_model(source_folder() / "build/test-models/sightglass/models",
                          entry->at("sha256").get<std::string>());
}

bool has_pictures(const GoldenCase& golden) {
  const auto data = describe_case(golden);
  if (!data.ok()) return true;  // loading it reports the reason
  return std::ranges::all_of(data->inputs, [&](const GoldenInput& input) {
    return input.source == "random" || fs::exists(golden.directory / input.source);
  });
}

// The bytes of an output in samples.bin.
size_t sample_bytes(const json& output) {
  const auto type = archived_type(output.at("dtype").get<std::string>());
  if (!type) return 0;
  const Shape shape = shape_of(output.at("shape"));
  const int64_t numbers =
      is_sampled_whole(shape)
          ? shape.elements()
          : rows_of(shape).length * std::ssize(sampled_rows(shape, output.at("extremes").get<std::vector<int64_t>>()));
  return static_cast<size_t>(numbers) * size_of(*type);
}

// The position of the first value of a case.
size_t sample_offset(const json& wanted) {
  size_t offset = 0;
  for (const json& entry : all_cases()) {
    if (&entry == &wanted) break;
    for (const json& output : entry.value("outputs", json::array())) offset += sample_bytes(output);
  }
  return offset;
}

bool is_archived(const GoldenCase& golden) {
  return fs::exists(archived_output(shared_dir().value_or(""), golden.model, golden.name, 0));
}

}  // namespace

fs::path source_folder() {
  const char* const files = std::getenv("SIGHTGLASS_TEST_FILES");
  return files != nullptr && *files != '\0' ? files : SIGHTGLASS_SOURCE_DIR;
}

std::optional<fs::path> shared_dir() {
  fs::path dir = source_folder().parent_path() / "shared";
  if (!fs::is_directory(dir)) return std::nullopt;
  return dir;
}

fs::path downloaded_model(const fs::path& folder, const std::string& sha256) {
  const ModelStore store(folder.string());
  for (const KnownModel& model : known_models()) {
    const bool published = model.published.name != nullptr && !is_shipped(model);
    if (published && sha256 == model.sha256 && store.state_of(model) == StoredState::kVerified) {
      return store.path_of(model);
    }
  }
  return {};
}

fs::path real_model(const std::string& name) {
  static std::map<std::string, fs::path> found;  // checksums are slow
  const auto known = found.find(name);
  return known != found.end() ? known->second : found.emplace(name, find_model(name)).first->second;
}

std::string no_model(const std::string& name) {
  return "the model " + name + " is neither in ../shared/models nor downloaded by ./dev test-models";
}

std::vector<GoldenCase> list_golden_cases() {
  std::vector<GoldenCase> cases;
  const auto shared = shared_dir();
  for (const json& entry : all_cases()) {
    GoldenCase golden;
    golden.model = entry.at("model").get<std::string>();
    golden.name = entry.at("case").get<std::string>();
    golden.error = entry.value("error", std::string());
    golden.model_file = real_model(golden.model);
    golden.directory = golden.model == "figure" ? sample_folder() / "figure"
                       : shared                 ? *shared / "golden" / golden.model / golden.name
                                                : fs::path();
    cases.push_back(std::move(golden));
  }
  return cases;
}

std::vector<GoldenCase> golden_cases_of(const std::string& model) {
  std::vector<GoldenCase> cases = list_golden_cases();
  std::erase_if(cases, [&](const GoldenCase& golden) {
    return golden.model != model || !golden.error.empty() || golden.model_file.empty() || !has_pictures(golden);
  });
  return cases;
}

std::string no_case(const std::string& model) {
  return real_model(model).empty() ? no_model(model)
                                   : "the input images of " + model + " are missing: ../shared/golden has them";
}

Result<GoldenData> describe_case(const GoldenCase& golden) {
  const std::string what = golden.model + ", case " + golden.name;
  const json* root = find_case(golden);
  if (root == nullptr || !root->contains("outputs")) return not_found("no reference outputs of " + what);
  GoldenData data;
  for (const json& in : root->at("inputs")) {
    const auto type = archived_type(in.at("dtype").get<std::string>());
    if (!type) return unsupported(what + ": input of type " + in.at("dtype").get<std::string>());
    data.inputs.push_back({in.value("name", std::string()), *type, shape_of(in.at("shape")),
                           in.at("source").get<std::string>(), static_cast<float>(in.value("scale_", 1.0)),
                           static_cast<float>(in.value("offset_", 0.0))});
  }
  for (const json& out : root->at("outputs")) {
    const auto type = archived_type(out.at("dtype").get<std::string>());
    if (!type) return unsupported(what + ": output of type " + out.at("dtype").get<std::string>());
    GoldenOutput output{out.value("name", std::string()), *type, shape_of(out.at("shape")), {}, {}, {}};
    if (const double scale = out.value("scale", 0.0); scale != 0.0) {
      output.quantization.scale = {static_cast<float>(scale)};
      output.quantization.zero_point = {out.value("zero_point", int64_t{0})};
    }
    if (out.contains("xnnpack_rel_l2")) output.own_deviation = out.at("xnnpack_rel_l2").get<double>();
    output.extremes = out.value("extremes", std::vector<int64_t>());
    data.outputs.push_back(std::move(output));
  }
  return data;
}

constexpr int32_t kLargestPicture = 4096;

Result<std::vector<HostTensor>> load_inputs(const GoldenCase& golden) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const GoldenData data, describe_case(golden));
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
      SIGHTGLASS_ASSIGN_OR_RETURN(const Picture picture,
                                  load_picture((golden.directory / input.source).string(), kLargestPicture));
      SIGHTGLASS_ASSIGN_OR_RETURN(HostTensor tensor,
                                  picture_to_tensor(picture, input.type, input.shape, {input.scale, input.offset}));
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

HostTensor Reference::part_of(const HostTensor& computed) const {
  // Another shape is left unchanged: it compares as infinitely far.
  return rows.empty() || computed.shape != shape ? computed : take_rows(computed, rows);
}

Result<std::vector<Reference>> load_samples(const GoldenCase& golden) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const GoldenData data, describe_case(golden));
  std::ifstream file(sample_folder() / "samples.bin", std::ios::binary);
  file.seekg(static_cast<std::streamoff>(sample_offset(*find_case(golden))));
  std::vector<Reference> references;
  for (const GoldenOutput& output : data.outputs) {
    Reference reference{{}, output.shape, {}};
    if (is_sampled_whole(output.shape)) {
      reference.numbers = HostTensor(output.type, output.shape);
    } else {
      reference.rows = sampled_rows(output.shape, output.extremes);
      reference.numbers = HostTensor(output.type, Shape{static_cast<int32_t>(reference.rows.size()),
                                                        static_cast<int32_t>(rows_of(output.shape).length)});
    }
    std::vector<std::byte>& bytes = reference.numbers.data;
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file) return invalid_argument((sample_folder() / "samples.bin").string() + " ends too early");
    references.push_back(std::move(reference));
  }
  return references;
}

bool has_whole_outputs(const GoldenCase& golden) {
  const auto data = describe_case(golden);
  if (!data.ok()) return false;
  return is_archived(golden) ||
         std::ranges::all_of(data->outputs, [](const GoldenOutput& out) { return is_sampled_whole(out.shape); });
}

Result<std::vector<HostTensor>> load_outputs(const GoldenCase& golden) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const GoldenData data, describe_case(golden));
  std::vector<HostTensor> tensors;
  if (!is_archived(golden)) {
    if (!has_whole_outputs(golden)) {
      return not_found("the whole outputs of " + golden.model + " are missing: ../shared/golden has them");
    }
    SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<Reference> samples, load_samples(golden));
    for (Reference& sample : samples) tensors.push_back(std::move(sample.numbers));
    return tensors;
  }
  for (size_t i = 0; i < data.outputs.size(); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(HostTensor tensor,
                                read_archived(archived_output(shared_dir().value_or(""), golden.model, golden.name, i),
                                              data.outputs[i].type, data.outputs[i].shape));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Result<std::vector<Reference>> load_references(const GoldenCase& golden) {
  if (!is_archived(golden)) return load_samples(golden);
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<HostTensor> outputs, load_outputs(golden));
  std::vector<Reference> references;
  for (HostTensor& output : outputs) {
    const Shape shape = output.shape;
    references.push_back({std::move(output), shape, {}});
  }
  return references;
}

}  // namespace sightglass::test
