#include "tflite/import.h"

#include <algorithm>

#include "tflite/importer.h"
#include "tflite/metadata.h"

namespace sightglass::tflite {
namespace {

// One error that names all obstacles.
Status refuse(const std::vector<Obstacle>& obstacles) {
  const bool operators = std::ranges::none_of(obstacles, &std::string::empty, &Obstacle::where);
  if (!operators && obstacles.size() == 1) return unsupported(obstacles[0].reason);
  const std::string count = std::to_string(obstacles.size());
  std::string message = !operators              ? count + " parts are not supported:"
                        : obstacles.size() == 1 ? "1 operator is not supported:"
                                                : count + " operators are not supported:";
  for (const Obstacle& obstacle : obstacles) message += "\n  " + to_string(obstacle);
  return unsupported(message);
}

}  // namespace

Result<Survey> survey(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                      const ImportOptions& options) {
  Result<ModelFile> file = ModelFile::open(bytes, std::move(owner));
  if (!file.ok()) return file.status().with_context(name);
  ModelMetadata metadata = read_metadata(*file);
  Result<Survey> result = Importer(std::move(file).value(), options).run(name);
  if (!result.ok()) return result.status().with_context(name);
  result->metadata = std::move(metadata);
  return result;
}

Result<Survey> import_whole(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                            const std::string& name, const ImportOptions& options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(Survey result, survey(bytes, std::move(owner), name, options));
  if (!result.obstacles.empty()) return refuse(result.obstacles).with_context(name);
  return result;
}

Result<Graph> import(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& name,
                     const ImportOptions& options) {
  SIGHTGLASS_ASSIGN_OR_RETURN(Survey result, import_whole(bytes, std::move(owner), name, options));
  return std::move(result.graph);
}

}  // namespace sightglass::tflite
