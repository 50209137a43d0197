#include "tflite/attached_files.h"

#include <algorithm>
#include <optional>
#include <string>

#include "gpu_engine/files.h"
#include "tflite/model_file.h"

namespace sightglass::tflite {
namespace {

Status wrong(std::string_view name, const std::string& what) {
  return invalid_model("its attached file " + quote(name) + " " + what);
}

}  // namespace

Result<std::span<const std::byte>> attached_file(std::span<const std::byte> file, std::string_view name) {
  const std::optional<ZipDirectory> directory = ZipDirectory::find(file);
  if (!directory) return wrong(name, "is missing: nothing is attached");
  const auto entry = std::ranges::find(directory->entries(), name, &ZipEntry::name);
  if (entry == directory->entries().end()) return wrong(name, "is missing");
  if (entry->method != ZipEntry::kStored) return wrong(name, "is compressed; attach it with `zip -0`");
  const auto contents = directory->contents(*entry, entry->bytes);
  if (!contents.ok()) return wrong(name, contents.status().message());
  return *contents;
}

}  // namespace sightglass::tflite
