#include "harness/golden_writer.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/golden_archive.h"
#include "harness/golden_sample.h"
#include "known_models.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFigureFile = SIGHTGLASS_SOURCE_DIR "/models/figure/figure.tflite";

Result<json> read_json(const fs::path& path) {
  std::ifstream file(path);
  json parsed = json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return not_found("cannot read " + path.string());
  return parsed;
}

ordered_json picked(const json& from, std::initializer_list<const char*> keys) {
  ordered_json to;
  for (const char* key : keys) {
    if (from.contains(key)) to[key] = from.at(key);
  }
  return to;
}

// The cases of the bundled model have no separate description.
json figure_case(const std::string& name) {
  json input{{"name", "image"}, {"dtype", "FLOAT32"}, {"shape", {1, 256, 256, 3}}, {"source", "random"}};
  if (name != "random") {
    input["source"] = name + ".png";
    input["scale_"] = 1.0 / 255;
    input["offset_"] = 0.0;
  }
  return {{"inputs", json::array({input})},
          {"outputs",
           {{{"name", "person_mask"}, {"dtype", "FLOAT32"}, {"shape", {1, 256, 256, 1}}},
            {{"name", "key_point_heat_maps"}, {"dtype", "FLOAT32"}, {"shape", {1, 64, 64, 17}}}}}};
}

class SampleWriter {
 public:
  SampleWriter(fs::path shared, const fs::path& folder)
      : shared_(std::move(shared)), cases_(folder / "cases.json"), samples_(folder / "samples.bin", std::ios::binary) {
    cases_ << "[";
  }

  // `description` is the content of case.json; null if TensorFlow Lite made no output.
  Status add(const std::string& model, const std::string& name, const fs::path& model_file, const json& description,
             const std::string& error) {
    ordered_json entry{{"model", model}, {"sha256", sha256_of_file(model_file.string())}, {"case", name}};
    if (!error.empty()) entry["error"] = error;
    if (description.is_object()) {
      entry["inputs"] = json::array();
      for (const json& input : description.at("inputs")) {
        entry["inputs"].push_back(picked(input, {"name", "dtype", "shape", "source", "scale_", "offset_"}));
      }
      entry["outputs"] = json::array();
      const json own = description.value("tflite_own_deviation", json::object()).value("xnnpack", json::object());
      const json deviations = own.value("deviation", json::array());
      for (const json& output : description.at("outputs")) {
        const size_t i = entry.at("outputs").size();
        ordered_json listed = picked(output, {"name", "dtype", "shape", "scale", "zero_point"});
        if (i < deviations.size()) listed["xnnpack_rel_l2"] = deviations[i].value("rel_l2", 0.0);
        SIGHTGLASS_RETURN_IF_ERROR(add_numbers(archived_output(shared_, model, name, i), listed));
        entry["outputs"].push_back(listed);
      }
    }
    cases_ << (first_ ? "\n" : ",\n") << entry.dump();
    first_ = false;
    return {};
  }

  Status finish() {
    cases_ << "\n]\n";
    cases_.close();
    samples_.close();
    return cases_ && samples_ ? Status() : internal_error("cannot write the samples");
  }

 private:
  Status add_numbers(const fs::path& whole_file, ordered_json& output) {
    const auto type = archived_type(output.at("dtype").get<std::string>());
    if (!type) return {};  // strings are not sampled
    const auto dims = output.at("shape").get<std::vector<int32_t>>();
    const Shape shape{std::span<const int32_t>(dims)};
    SIGHTGLASS_ASSIGN_OR_RETURN(HostTensor numbers, read_archived(whole_file, *type, shape));
    if (!is_sampled_whole(shape)) {
      const std::vector<int64_t> extremes = rows_of_extremes(numbers);
      output["extremes"] = extremes;
      numbers = take_rows(numbers, sampled_rows(shape, extremes));
    }
    samples_.write(reinterpret_cast<const char*>(numbers.data.data()),
                   static_cast<std::streamsize>(numbers.data.size()));
    return {};
  }

  const fs::path shared_;
  std::ofstream cases_, samples_;
  bool first_ = true;
};

}  // namespace

Status write_golden_samples(const fs::path& shared, const fs::path& folder) {
  fs::create_directories(folder / "figure");
  SampleWriter writer(shared, folder);
  for (const std::string name : {"random", "seed100", "seed101", "seed102", "seed103"}) {
    SIGHTGLASS_RETURN_IF_ERROR(writer.add("figure", name, kFigureFile, figure_case(name), ""));
    if (name == "random") continue;
    std::ifstream from(shared / "second/golden/figure" / (name + ".in0.png"), std::ios::binary);
    std::ofstream to(folder / "figure" / (name + ".png"), std::ios::binary);
    if (!(to << from.rdbuf())) return not_found("cannot copy " + name + ".in0.png");
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const json index, read_json(shared / "golden/index.json"));
  for (const json& entry : index) {
    const auto model = entry.at("model").get<std::string>(), name = entry.at("case").get<std::string>();
    const std::string error = entry.value("error", std::string());
    json description;
    if (error.empty()) {
      SIGHTGLASS_ASSIGN_OR_RETURN(description, read_json(shared / "golden" / model / name / "case.json"));
    }
    SIGHTGLASS_RETURN_IF_ERROR(writer.add(model, name, shared / "models" / (model + ".tflite"), description, error));
  }
  return writer.finish();
}

}  // namespace sightglass::test
