// Compares the reference outputs in the repository with the whole ones, if those are available.
#include "harness/golden.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

#include "harness/compare.h"
#include "harness/golden_sample.h"
#include "harness/golden_writer.h"
#include "harness/scratch_folder.h"
#include "harness/value_of.h"

namespace sightglass::test {
namespace {

namespace fs = std::filesystem;

HostTensor counting(const Shape& shape) {
  HostTensor tensor(DataType::kFloat32, shape);
  for (size_t i = 0; i < tensor.as<float>().size(); ++i) tensor.as<float>()[i] = static_cast<float>(i);
  return tensor;
}

TEST(GoldenSample, RowsStayTogether) {
  EXPECT_EQ(rows_of(Shape{1, 64, 64, 17}).length, 17);
  EXPECT_EQ(rows_of(Shape{1, 64, 64, 17}).count, 64 * 64);
  EXPECT_EQ(rows_of(Shape{1, 513, 513}).length, 1) << "labels of places";
  EXPECT_EQ(rows_of(Shape{1, 513, 513}).count, 513 * 513);
  EXPECT_TRUE(is_sampled_whole(Shape{1, 1404}));
  EXPECT_TRUE(is_sampled_whole(Shape{64, 64}));
  EXPECT_FALSE(is_sampled_whole(Shape{1, 896, 16}));
}

TEST(GoldenSample, FollowsTheReadme) {
  const HostTensor whole = counting(Shape{1, 100, 100, 3});
  EXPECT_EQ(rows_of_extremes(whole), (std::vector<int64_t>{0, 9999}));
  const std::vector<int64_t> rows = sampled_rows(whole.shape, std::vector<int64_t>{0, 9999});
  EXPECT_LE(rows.size(), 1365u);
  EXPECT_GE(rows.size(), 1363u);
  EXPECT_EQ(rows.front(), 0);
  EXPECT_EQ(rows.back(), 9999);
  EXPECT_EQ(std::set<int64_t>(rows.begin(), rows.end()).size(), rows.size());
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  // The rows are spread over the whole tensor.
  for (int64_t tenth = 0; tenth < 10; ++tenth) {
    const auto here = std::ranges::count_if(rows, [&](int64_t row) { return row / 1000 == tenth; });
    EXPECT_NEAR(static_cast<double>(here), 136, 50) << tenth;
  }
  const HostTensor part = take_rows(whole, rows);
  EXPECT_EQ(part.shape, (Shape{static_cast<int32_t>(rows.size()), 3}));
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(part.as<float>()[3 * i + 2], static_cast<float>(3 * rows[i] + 2));
  EXPECT_EQ(compare(whole, whole).range, compare(part, part).range);
}

TEST(GoldenSample, ShowsErrorsInsideButNotOutside) {
  const HostTensor whole = counting(Shape{1, 100, 100, 1});
  Reference reference{{}, whole.shape, sampled_rows(whole.shape, rows_of_extremes(whole))};
  reference.numbers = take_rows(whole, reference.rows);
  HostTensor computed = whole;
  EXPECT_TRUE(compare(reference.numbers, reference.part_of(computed)).identical);
  computed.as<float>()[static_cast<size_t>(reference.rows[7])] += 1;
  EXPECT_EQ(compare(reference.numbers, reference.part_of(computed)).worst, 7u);
  EXPECT_TRUE(std::isinf(compare(reference.numbers, reference.part_of(counting(Shape{1, 100, 50, 2}))).max_abs));
}

// In every clone: each case has its sample, and the cases of the bundled model also have their images.
TEST(Golden, EveryCaseHasASample) {
  size_t numbers = 0, refused = 0, cases = 0;
  for (const GoldenCase& golden : list_golden_cases()) {
    SCOPED_TRACE(golden.model + " " + golden.name);
    const auto data = describe_case(golden);
    if (!data.ok()) {
      ++refused;  // TensorFlow Lite made no output, or no numbers
      continue;
    }
    const auto samples = value_of(load_samples(golden));
    ASSERT_EQ(samples.size(), data->outputs.size());
    for (const Reference& sample : samples) {
      EXPECT_LE(sample.numbers.shape.elements(), kSampleNumbers);
      numbers += sample.numbers.data.size();
    }
    ++cases;
  }
  std::printf("%zu cases, %zu without outputs, %zu bytes of numbers\n", cases, refused, numbers);
  EXPECT_EQ(cases, 80u);
  EXPECT_EQ(refused, 9u);
  const fs::path folder = SIGHTGLASS_SOURCE_DIR "/tests/golden";
  constexpr uintmax_t kBesideStrings = 8;  // number of values in a case that also has strings
  EXPECT_EQ(fs::file_size(folder / "samples.bin"), numbers + kBesideStrings);
  uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LE(bytes, 3'000'000u);

  const std::vector<GoldenCase> figure = golden_cases_of("figure");
  ASSERT_EQ(figure.size(), 5u);
  for (const GoldenCase& golden : figure) {
    const auto inputs = value_of(load_inputs(golden));
    EXPECT_TRUE(fs::exists(golden.model_file)) << golden.model_file;
  }
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Golden, SamplesMatchTheWholeOutputs) {
  const auto shared = shared_dir();
  if (!shared || !fs::exists(*shared / "golden/index.json")) GTEST_SKIP() << "no whole outputs in ../shared/golden";
  const fs::path folder = SIGHTGLASS_SOURCE_DIR "/tests/golden", made = scratch_folder() / "golden";
  const Status written = write_golden_samples(*shared, made);
  ASSERT_TRUE(written.ok()) << written.message();
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(made)) {
    if (!entry.is_regular_file()) continue;
    const fs::path name = fs::relative(entry.path(), made);
    EXPECT_TRUE(read(entry.path()) == read(folder / name))
        << name << " differs; tests/golden/README.md explains how to regenerate it";
    ++files;
  }
  EXPECT_EQ(files, 6u);
  // No file is left out of the comparison because it is missing.
  for (const GoldenCase& golden : list_golden_cases()) {
    EXPECT_FALSE(golden.model_file.empty()) << golden.model;
    if (!describe_case(golden).ok()) continue;
    EXPECT_TRUE(has_whole_outputs(golden)) << golden.model;
    const auto inputs = value_of(load_inputs(golden));
  }
}

}  // namespace
}  // namespace sightglass::test
