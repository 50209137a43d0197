// The libFuzzer targets of exercise_files.h: EXERCISE is the function that takes the bytes.
#include <cstdint>

#include "exercise_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  sightglass::test::EXERCISE(std::as_bytes(std::span(data, size)));
  return 0;
}
