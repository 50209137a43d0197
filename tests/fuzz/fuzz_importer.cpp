// The libFuzzer target.
#include "exercise_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)sightglass::test::exercise_model(std::as_bytes(std::span(data, size)));
  return 0;
}
