// Reference outputs of TensorFlow Lite, kept outside the source tree in ../shared/golden: which there are, the inputs
// that they were made from, and the outputs.
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
};

struct GoldenCase {
  std::string model;                 // "segmentation/deeplabv3_257_mv_gpu"
  std::string name;                  // "random" or "picture"
  std::string error;                 // not empty: TensorFlow Lite itself made no output, for this reason
  std::filesystem::path model_file;  // the .tflite file
  std::filesystem::path directory;   // of the case's files
};

// All cases in the order of the index; none when shared_dir() is empty.
std::vector<GoldenCase> list_golden_cases();
// Those of one model ("segmentation/deeplabv3_257_mv_gpu") that have outputs.
std::vector<GoldenCase> golden_cases_of(const std::string& model);

struct GoldenData {
  std::vector<GoldenInput> inputs;
  std::vector<GoldenOutput> outputs;
};
Result<GoldenData> describe_case(const GoldenCase& golden);

// The inputs as the model takes them, made by the rules of the reference outputs' README.
Result<std::vector<HostTensor>> load_inputs(const GoldenCase& golden);
Result<std::vector<HostTensor>> load_outputs(const GoldenCase& golden);

}  // namespace sightglass::test
