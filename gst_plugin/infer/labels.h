// Label files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sightglass/status.h"

namespace sightglass {

// The content of a label file: one label per line, without surrounding spaces, in UTF-8.
struct LabelFile {
  std::vector<std::string> lines;
  // If all lines are "number label" or "number: label" with ascending numbers, or if the file is a label map of the
  // TensorFlow Object Detection API: the number of each label. Otherwise empty.
  std::vector<size_t> numbers;
  std::vector<std::string> numbered;  // the labels without numbers
};

// Fails, naming the file, if it cannot be read or is not text. Accepts a byte-order mark, all line ends, and UTF-16 and
// Windows-1252. Ignores empty lines at the end.
Result<LabelFile> load_labels(const std::string& path);
// The same from the content of a file.
Result<LabelFile> parse_labels(std::string_view text);

struct FittedLabels {
  std::vector<std::string> labels;  // by class; empty for classes without one
  std::string warning;              // what does not fit; may be empty
};
// The labels of a model with that many classes; 0: unknown. Numbers count from 0, or from 1 if only then the highest
// one is a class.
FittedLabels fit_labels(const LabelFile& file, size_t classes);

// The class that `region-classes` names: a label, or a number. `labels` may be null. The error lists the labels.
Result<int32_t> region_class(const std::string& name, const std::vector<std::string>* labels);

// Splits a comma-separated list, as in catalogs; labels may be empty.
std::vector<std::string> split_labels(std::string_view list);

}  // namespace sightglass
