#include "packed_assets.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace sightglass {

namespace {

constexpr std::string_view kCall = "loadPackage(";

// The JSON object after the call, which ends where its braces balance. The table is the last call: before it, the
// script defines the function.
std::optional<std::string_view> table_text(std::string_view loader) {
  const size_t call = loader.rfind(kCall);
  if (call == loader.npos) return {};
  const std::string_view text = loader.substr(call + kCall.size());
  if (!text.starts_with('{')) return {};
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        quoted = false;
      continue;
    }
    if (text[i] == '"') quoted = true;
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return text.substr(0, i + 1);
  }
  return {};
}

std::optional<uint64_t> position(const nlohmann::json& file, const char* name) {
  const auto found = file.find(name);
  if (found == file.end() || !found->is_number_unsigned()) return {};
  return found->get<uint64_t>();
}

}  // namespace

std::string loader_of(std::string_view data_file) {
  constexpr std::string_view kData = ".data";
  if (data_file.ends_with(kData)) data_file.remove_suffix(kData.size());
  return std::string(data_file) + "_loader.js";
}

Result<std::span<const std::byte>> packed_asset(std::span<const std::byte> data, std::string_view loader,
                                                std::string_view asset) {
  const std::optional<std::string_view> text = table_text(loader);
  if (!text) return invalid_model("has no table of files");
  const nlohmann::json table = nlohmann::json::parse(*text, nullptr, false);
  const auto files = table.is_object() ? table.find("files") : table.end();
  if (files == table.end() || !files->is_array()) return invalid_model("has a table of files that is not valid JSON");
  for (const nlohmann::json& file : *files) {
    if (!file.is_object()) continue;
    const auto name = file.find("filename");
    if (name == file.end() || !name->is_string() || name->get_ref<const std::string&>() != asset) continue;
    const std::optional<uint64_t> start = position(file, "start"), end = position(file, "end");
    if (!start || !end || *start > *end || *end > data.size()) {
      return invalid_model("states a position of " + std::string(asset) + " that is outside the packed file");
    }
    return data.subspan(static_cast<size_t>(*start), static_cast<size_t>(*end - *start));
  }
  return not_found("does not list " + std::string(asset));
}

}  // namespace sightglass
