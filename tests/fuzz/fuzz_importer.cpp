// The libFuzzer target.
#include <algorithm>

#include "exercise_model.h"
#include "model_mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)sightglass::test::exercise_model(std::as_bytes(std::span(data, size)));
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Half of the changes are to the bytes, and half to the model that they encode.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::vector<uint8_t> changed = sightglass::test::mutate_model({data, size}, seed / 2);
  if (changed.empty() || changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::ranges::copy(changed, data);
  return changed.size();
}
