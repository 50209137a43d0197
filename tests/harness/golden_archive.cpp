#include "harness/golden_archive.h"

#include <zlib.h>

#include <memory>
#include <utility>

#include "harness/golden.h"

namespace sightglass::test {

namespace fs = std::filesystem;

fs::path archived_output(const fs::path& shared, const std::string& model, const std::string& name, size_t output) {
  const std::string file = "out" + std::to_string(output) + ".raw.gz";
  const fs::path renewed = source_folder() / "tests/golden/renewed" / model / name / file;
  if (fs::exists(renewed)) return renewed;
  if (model != "figure") return shared / "golden" / model / name / file;
  return shared / "second/golden/figure" / ((name == "random" ? "random1" : name) + "." + file);
}

std::optional<DataType> archived_type(const std::string& name) {
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

Result<HostTensor> read_archived(const fs::path& path, DataType type, const Shape& shape) {
  HostTensor tensor(type, shape);
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (file == nullptr) return not_found("cannot open " + path.string());
  const size_t bytes = tensor.data.size();
  tensor.data.resize(bytes + 1);  // one more, to check that the file ends where it must
  const int read = gzread(file.get(), tensor.data.data(), static_cast<unsigned>(tensor.data.size()));
  if (read < 0 || static_cast<size_t>(read) != bytes) {
    return invalid_argument(path.string() + " holds " + std::to_string(read) + " bytes; its shape requires " +
                            std::to_string(bytes));
  }
  tensor.data.pop_back();
  return tensor;
}

}  // namespace sightglass::test
