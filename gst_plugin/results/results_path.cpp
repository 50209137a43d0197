#include "results/results_path.h"

#include <utility>

namespace sightglass {

std::vector<SharedResults> ResultsPath::collect() {
  std::vector<SharedResults> arrived;
  while (const auto reading = reader_.poll()) arrived.push_back(results_of(*reading));
  return arrived;
}

std::vector<SharedResults> ResultsPath::wait() {
  std::vector<SharedResults> arrived;
  if (const auto reading = reader_.wait()) arrived.push_back(results_of(*reading));
  for (SharedResults& results : collect()) arrived.push_back(std::move(results));
  return arrived;
}

std::vector<SharedResults> ResultsPath::finish() {
  std::vector<SharedResults> arrived;
  while (const auto reading = reader_.wait()) arrived.push_back(results_of(*reading));
  return arrived;
}

SharedResults ResultsPath::results_of(const BufferReadback::Reading& reading) const {
  InferenceResults results = decode_(reading.bytes);
  results.frame = reading.frame;
  return std::make_shared<const InferenceResults>(std::move(results));
}

}  // namespace sightglass
