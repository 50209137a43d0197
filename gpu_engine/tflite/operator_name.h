// What an operator of a file is called.
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

// Of operator `index`. Fails where the file has no such operator code.
Result<OperatorName> name_operator(ModelFile& file, const schema::Operator& op, uint32_t index);

// The names of all operators, in the file's order, at most so many.
Result<std::vector<std::string>> list_operators(ModelFile& file, uint32_t most);

}  // namespace sightglass::tflite
