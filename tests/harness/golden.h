// Reference outputs of TensorFlow Lite: the cases, their inputs, and their outputs. The repository has a sample of each
// output in tests/golden. ../shared/golden, if it exists, has the whole outputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sightglass/status.h"
#include "sightglass/tensor.h"

namespace sightglass::test {

// The source tree or, if the environment variable SIGHTGLASS_TEST_FILES is set, the directory that has tests/golden and
// models/figure in its place, for programs that run without the source tree.
std::filesystem::path source_folder();

// The directory of models, reference outputs, and media next to the source tree. Empty if it does not exist: tests that
// need it then report that they are skipped.
std::optional<std::filesystem::path> shared_dir();

// The file of a real model by its name in ../shared/models, such as "segmentation/deeplabv3_257_mv_gpu": the file
// there, else one with the same checksum that `./dev test-models` has downloaded. "figure" is the bundled model. Empty
// if no such file exists.
std::filesystem::path real_model(const std::string& name);
// The file with that checksum among those that `sightglass models fetch` has stored in `folder`; empty if none has it.
std::filesystem::path downloaded_model(const std::filesystem::path& folder, const std::string& sha256);
// The skip message of a test if real_model() is empty.
std::string no_model(const std::string& name);

struct GoldenInput {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  std::string source;                 // "random", or the file name of an image in the directory of the case
  float scale = 1.0f, offset = 0.0f;  // float32 from 8-bit samples
};

struct GoldenOutput {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  Quantization quantization;
  // The distance of the optimized CPU path of TensorFlow Lite from this output (relative L2 of the stored values), if
  // known.
  std::optional<double> own_deviation;
  std::vector<int64_t> extremes;  // rows_of_extremes(), if the sample is not the whole output
};

struct GoldenCase {
  std::string model;                 // "segmentation/deeplabv3_257_mv_gpu"
  std::string name;                  // "random"; otherwise the input is an image
  std::string error;                 // if not empty: why TensorFlow Lite itself made no output
  std::filesystem::path model_file;  // from real_model()
  std::filesystem::path directory;   // of the images of the case
};

// All cases in the order of the index, whether or not their models and images are available.
std::vector<GoldenCase> list_golden_cases();
// The cases of one model ("segmentation/deeplabv3_257_mv_gpu") with outputs whose model and images are available.
std::vector<GoldenCase> golden_cases_of(const std::string& model);
// The skip message of a test if golden_cases_of() is empty.
std::string no_case(const std::string& model);

struct GoldenData {
  std::vector<GoldenInput> inputs;
  std::vector<GoldenOutput> outputs;
};
Result<GoldenData> describe_case(const GoldenCase& golden);

// The inputs of the model, made by the rules in the README of the reference outputs.
Result<std::vector<HostTensor>> load_inputs(const GoldenCase& golden);

// A TensorFlow Lite output to compare with.
struct Reference {
  HostTensor numbers;         // the output, or the rows of its sample
  Shape shape;                // of the output
  std::vector<int64_t> rows;  // rows of the sample; empty if it is the whole output

  // Returns the same part of a computed output.
  HostTensor part_of(const HostTensor& computed) const;
};
// Whole outputs if they are available, otherwise samples.
Result<std::vector<Reference>> load_references(const GoldenCase& golden);
// Samples, which every clone has: the fallback of load_references().
Result<std::vector<Reference>> load_samples(const GoldenCase& golden);
// Whole outputs, for checks that a sample does not allow. Those of up to 4,096 values are in every clone.
Result<std::vector<HostTensor>> load_outputs(const GoldenCase& golden);
bool has_whole_outputs(const GoldenCase& golden);

}  // namespace sightglass::test
