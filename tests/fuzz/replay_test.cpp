// Fuzzing without a fuzzer: every sample model unchanged, truncated at every length, with bytes changed, and with its
// parts changed. Nothing may crash, hang, or violate the checks of exercise_model(). With sanitizers, the requirement
// is the same as that of the fuzzer.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "exercise_model.h"
#include "model_mutator.h"
#include "sample_models.h"

namespace sightglass::test {

void PrintTo(const SampleModel& sample, std::ostream* out) { *out << sample.name; }

namespace {

namespace fs = std::filesystem;

class Replay : public testing::TestWithParam<SampleModel> {};

TEST_P(Replay, WholeModelImports) {
  const Status status = exercise_model(GetParam().bytes);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_P(Replay, EveryTruncationIsHandled) {
  const std::vector<std::byte>& bytes = GetParam().bytes;
  size_t refused = 0;
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Status status = exercise_model(std::span(bytes).first(length));
    if (!status.ok()) ++refused;
  }
  // Required data is at the very end, except for the padding after the last value.
  constexpr size_t kMostFilling = 15;
  EXPECT_GE(refused + kMostFilling, bytes.size());
}

TEST_P(Replay, EveryChangedByteIsHandled) {
  std::vector<std::byte> bytes = GetParam().bytes;
  size_t accepted = 0, refused = 0;
  for (std::byte& byte : bytes) {
    const std::byte original = byte;
    for (const std::byte changed : {~original, original ^ std::byte{1}, original ^ std::byte{0x80}, std::byte{0x7f}}) {
      byte = changed;
      (exercise_model(bytes).ok() ? accepted : refused) += 1;
    }
    byte = original;
  }
  EXPECT_GT(refused, 0u) << "of " << accepted;
  EXPECT_GT(accepted, 0u) << "of " << refused;
}

TEST_P(Replay, ChangedModelsAreHandled) {
  constexpr unsigned kRounds = 300;
  const std::vector<std::byte>& whole = GetParam().bytes;
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(whole.data()), whole.size());
  unsigned accepted = 0;
  for (unsigned seed = 0; seed < kRounds; ++seed) {
    const std::vector<uint8_t> changed = mutate_model(bytes, seed);
    ASSERT_FALSE(changed.empty());
    if (exercise_model(std::as_bytes(std::span(changed))).ok()) ++accepted;
  }
  EXPECT_GT(accepted, 0u) << "of " << kRounds;
  EXPECT_LT(accepted, kRounds);
}

INSTANTIATE_TEST_SUITE_P(Samples, Replay, testing::ValuesIn(sample_models()),
                         [](const auto& info) { return info.param.name; });

// The bundled model, and small models of single operators if they are available.
TEST(ReplayFiles, RealModelsAreHandled) {
  const fs::path source = SIGHTGLASS_SOURCE_DIR, folder = source / "../shared/models/ops";
  std::vector<fs::directory_entry> entries{fs::directory_entry(source / "models/figure/figure.tflite")};
  std::error_code absent;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, absent)) entries.push_back(entry);
  for (const fs::directory_entry& entry : entries) {
    if (entry.path().extension() != ".tflite") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const Status status = exercise_model(std::as_bytes(std::span(bytes)));
    std::printf("%-55s %s\n", entry.path().filename().c_str(),
                status.ok() ? "imports" : status.message().substr(0, 200).c_str());
  }
}

}  // namespace
}  // namespace sightglass::test
