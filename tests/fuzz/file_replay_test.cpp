// File fuzzing without a fuzzer: every sample unchanged, truncated at every length, and with bytes changed.
#include <gtest/gtest.h>

#include <random>

#include "exercise_files.h"
#include "sample_files.h"

namespace sightglass::test {
namespace {

struct Kind {
  const char* name;
  void (*exercise)(Bytes);
  std::vector<SampleFile> (*samples)();
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class FileReplay : public testing::TestWithParam<Kind> {};

TEST_P(FileReplay, WholeFilesAreHandled) {
  for (const SampleFile& sample : GetParam().samples()) GetParam().exercise(sample.bytes);
}

TEST_P(FileReplay, EveryTruncationIsHandled) {
  for (const SampleFile& sample : GetParam().samples()) {
    for (size_t size = 0; size < sample.bytes.size(); ++size) GetParam().exercise(Bytes(sample.bytes).first(size));
  }
}

TEST_P(FileReplay, ChangedBytesAreHandled) {
  constexpr unsigned kRounds = 400;
  std::minstd_rand numbers(1);
  for (SampleFile sample : GetParam().samples()) {
    for (unsigned round = 0; round < kRounds; ++round) {
      std::vector<std::byte> changed = sample.bytes;
      for (unsigned i = 0; i <= round % 3; ++i)
        changed[numbers() % changed.size()] = static_cast<std::byte>(numbers() >> 8);
      GetParam().exercise(changed);
    }
  }
}

TEST(ChangingFiles, AreReadOrRefused) {
  constexpr int kRounds = 20;
  for (const SampleFile& sample : sample_changing_files()) {
    for (int round = 0; round < kRounds; ++round) exercise_changing(sample.bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FileReplay,
                         testing::Values(Kind{"archives", exercise_archive, sample_archives},
                                         Kind{"bundles", exercise_bundle, sample_bundles},
                                         Kind{"labels", exercise_labels, sample_labels},
                                         Kind{"packages", exercise_package, sample_packages},
                                         Kind{"pictures", exercise_picture, sample_pictures},
                                         Kind{"reports", exercise_report, sample_named_models}),
                         [](const auto& info) { return info.param.name; });

#ifdef SIGHTGLASS_SERVE
INSTANTIATE_TEST_SUITE_P(Requests, FileReplay,
                         testing::Values(Kind{"heads", exercise_http, sample_heads},
                                         Kind{"offers", exercise_offer, sample_offers},
                                         Kind{"addresses", exercise_address, sample_addresses}),
                         [](const auto& info) { return info.param.name; });
#endif

}  // namespace
}  // namespace sightglass::test
