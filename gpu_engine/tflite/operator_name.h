// Names of operators in a file.
#pragma once

#include <string>
#include <vector>

#include "tflite/model_file.h"

namespace sightglass::tflite {

struct OperatorName {
  schema::BuiltinOperator code = schema::BuiltinOperator::ADD;
  std::string custom_code;
  int32_t version = 1;
  std::string name;   // "CONV_2D", "CUSTOM 'Name'"
  std::string title;  // "CONV_2D #12"
};

// The name of operator `index`. Fails if its operator code does not exist.
Result<OperatorName> name_operator(ModelFile& file, const schema::Operator& op, uint32_t index);

// The names of all operators, in file order, at most `most`.
Result<std::vector<std::string>> list_operators(ModelFile& file, uint32_t most);

}  // namespace sightglass::tflite
