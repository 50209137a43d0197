// make_golden_samples SHARED FOLDER: writes the samples of reference outputs that tests/golden/README.md describes.
#include <cstdio>

#include "harness/golden_writer.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "Usage: make_golden_samples SHARED FOLDER\n");
    return 2;
  }
  const sightglass::Status written = sightglass::test::write_golden_samples(argv[1], argv[2]);
  if (!written.ok()) std::fprintf(stderr, "make_golden_samples: %s\n", written.message().c_str());
  return written.ok() ? 0 : 1;
}
