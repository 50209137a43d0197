#include <string>
#include <string_view>

#include "kernel/tensors.h"

namespace sightglass {

namespace {

const char* storage_suffix(Storage storage) {
  switch (storage) {
    case Storage::kFloat32:
      return nullptr;
    case Storage::kFloat16:
      return "_F16";
    case Storage::kInt32:
      return "_I32";
    case Storage::kInt8:
      return "_I8";
  }
  return nullptr;
}

}  // namespace

void add_storage_define(ShaderKey& key, const char* binding, Storage storage) {
  if (const char* suffix = storage_suffix(storage)) key.defines.push_back({std::string(binding) + suffix, "1"});
}

std::vector<ShaderKey> storage_variants(const std::vector<ShaderKey>& keys, const char* bindings, bool integers) {
  std::vector<ShaderKey> result;
  std::vector<Storage> storages{Storage::kFloat32, Storage::kFloat16};
  if (integers) storages.push_back(Storage::kInt32);
  const std::string_view used = bindings;
  for (const ShaderKey& base : keys) {
    if (used.find('W') != used.npos) {
      for (const Storage weights : {Storage::kFloat16, Storage::kInt8}) {
        result.push_back(base);
        add_storage_define(result.back(), "WEIGHTS", weights);
      }
    }
    for (const Storage storage : storages) {
      ShaderKey key = base;
      if (used.find('A') != used.npos) add_storage_define(key, "A", storage);
      if (used.find('B') != used.npos) add_storage_define(key, "B", storage);
      if (used.find('O') != used.npos) add_storage_define(key, "OUT", storage);
      if (used.find('W') != used.npos) add_storage_define(key, "WEIGHTS", storage);
      result.push_back(std::move(key));
      if (used.find('W') != used.npos && storage == Storage::kFloat16) {
        result.push_back(result.back());
        result.back().defines.push_back({kHalfProducts, "1"});
      }
    }
  }
  return result;
}

}  // namespace sightglass
