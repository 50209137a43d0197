// The libFuzzer target for one function of exercises.h, which the build selects.
#include "exercises.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sightglass::test::SIGHTGLASS_FUZZ_TARGET({data, size});
  return 0;
}
