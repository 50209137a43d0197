// Reference outputs of TensorFlow Lite: which cases there are, the inputs that they were made from, and the outputs.
// The repository has a sample of each output in tests/golden; ../shared/golden, where that folder is, has them whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu_engine/status.h"
#include "gpu_engine/tensor.h"

namespace sightglass::test {

// The folder of models, reference outputs and media next to the source tree; empty when there is none, in which case
// the tests that need it report themselves skipped.
std::optional<std::filesystem::path> shared_dir();

// The file of a real model by its name in ../shared/models: "segmentation/deeplabv3_257_mv_gpu". It is the file there,
// else one with the same checksum that `./dev test-models` has downloaded. "figure" is the one that comes along. Empty
// where there is none.
std::filesystem::path real_model(const std::string& name);
// The file with that checksum among those that `sightglass models fetch` has stored in `folder`; empty: there is none.
std::filesystem::path downloaded_model(const std::filesystem::path& folder, const std::string& sha256);
// What to say of a test that is skipped because real_model() is empty.
std::string no_model(const std::string& name);

struct GoldenInput {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  std::string source;                 // "random", or a picture's file name in the case's folder
  float scale = 1.0f, offset = 0.0f;  // float32 from 8-bit samples
};

struct GoldenOutput {
  std::string name;
  DataType type = DataType::kFloat32;
  Shape shape;
  Quantization quantization;
  // How far TensorFlow Lite's optimised CPU path is from this output (relative L2 of the stored numbers), if known.
  std::optional<double> own_deviation;
  std::vector<int64_t> extremes;  // rows_of_extremes(), where the sample is not the whole
};

struct GoldenCase {
  std::string model;                 // "segmentation/deeplabv3_257_mv_gpu"
  std::string name;                  // "random", else the inputs are a picture
  std::string error;                 // not empty: TensorFlow Lite itself made no output, for this reason
  std::filesystem::path model_file;  // as real_model() has it
  std::filesystem::path directory;   // of the case's pictures
};

// All cases in the order of the index, whether their models and pictures are here or not.
std::vector<GoldenCase> list_golden_cases();
// Those of one model ("segmentation/deeplabv3_257_mv_gpu") that have outputs, and whose model and pictures are here.
std::vector<GoldenCase> golden_cases_of(const std::string& model);
// What to say of a test that is skipped because golden_cases_of() is empty.
std::string no_case(const std::string& model);

struct GoldenData {
  std::vector<GoldenInput> inputs;
  std::vector<GoldenOutput> outputs;
};
Result<GoldenData> describe_case(const GoldenCase& golden);

// The inputs as the model takes them, made by the rules of the reference outputs' README.
Result<std::vector<HostTensor>> load_inputs(const GoldenCase& golden);

// An output of TensorFlow Lite's to compare with.
struct Reference {
  HostTensor numbers;         // the output, or the rows of its sample
  Shape shape;                // of the output
  std::vector<int64_t> rows;  // those of the sample; empty where all is there

  // The same part of what was computed here.
  HostTensor part_of(const HostTensor& computed) const;
};
// Whole outputs where they are here, else samples.
Result<std::vector<Reference>> load_references(const GoldenCase& golden);
// Samples, wherever one is: what load_references() falls back to.
Result<std::vector<Reference>> load_samples(const GoldenCase& golden);
// Whole outputs, for what cannot be judged by a sample. Those of up to 4,096 numbers are everywhere.
Result<std::vector<HostTensor>> load_outputs(const GoldenCase& golden);
bool has_whole_outputs(const GoldenCase& golden);

}  // namespace sightglass::test
