// Runs the corpus of findings of each target, and a few hundred random inputs. No input may crash, or take 5 s of CPU
// time or 1 GB.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "exercise_files.h"
#include "exercise_model.h"
#include "exercises.h"
#include "harness/sanitizers.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

struct Target {
  const char* name;
  void (*exercise)(std::span<const uint8_t>);
};

void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

void exercise_importer(std::span<const uint8_t> file) { (void)exercise_model(std::as_bytes(file)); }
template <void (*kExercise)(Bytes)>
void exercise_bytes(std::span<const uint8_t> file) {
  kExercise(std::as_bytes(file));
}

int64_t most_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void run(const Target& target, std::span<const uint8_t> input) {
  constexpr double kMostSeconds = 5;
  constexpr int64_t kMostKilobytes = int64_t{1} << 20;
  const std::clock_t begin = std::clock();
  target.exercise(input);
  if (kSanitized) return;  // sanitizers need several times the time, and more memory
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, kMostSeconds);
  EXPECT_LT(most_kilobytes(), kMostKilobytes);
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, FindingsStayFixed) {
  const fs::path folder = fs::path(SIGHTGLASS_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam().name;
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    run(GetParam(), {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    ++count;
  }
  EXPECT_GT(count, 0) << "nothing in " << folder;
}

TEST_P(Corpus, RandomInputsAreHandled) {
  constexpr int kInputs = 400;
  constexpr size_t kMostBytes = 200;
  std::mt19937 random(28);
  std::vector<uint8_t> input;
  for (int i = 0; i < kInputs; ++i) {
    input.resize(random() % kMostBytes);
    for (uint8_t& byte : input) byte = static_cast<uint8_t>(random());
    run(GetParam(), input);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, Corpus,
                         testing::Values(Target{"importer", exercise_importer}, Target{"weights", exercise_weights},
                                         Target{"metadata", exercise_metadata},
                                         Target{"tuning_file", exercise_tuning_file},
                                         Target{"program_cache", exercise_program_cache},
                                         Target{"labels", exercise_bytes<exercise_labels>},
                                         Target{"picture", exercise_bytes<exercise_picture>}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sightglass::test
