// Supported operators of the format, and their decoders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tflite/decoders.h"

namespace sightglass::tflite {

struct OperatorRule {
  OpType op;
  size_t min_inputs = 1, max_inputs = 1;
  bool optional_last_input = false;  // the last of max_inputs may be absent
  Decoder& decode;                   // starts from `op` and all inputs as data
  size_t max_outputs = 1;
  bool any_input_optional = false;  // the decoder or shape inference checks which inputs are required
  // Never a node: decode() computes the result, or all inputs must be constant.
  bool while_loading = false;
  const char* limits = "";  // limits of decode() on valid files, for documentation
};

// All rules by name, as in OperatorName: built-in ones in format order, then custom ones.
struct NamedRule {
  std::string name;
  const OperatorRule* rule;
};
std::vector<NamedRule> all_rules();
// Built-in operators of the format without a rule, with the reason.
struct RefusedOperator {
  std::string name, reason;
};
std::vector<RefusedOperator> refused_operators();

// Null if the operator is unknown; unsupported_reason() then has the reason and a fix.
const OperatorRule* find_rule(schema::BuiltinOperator code, std::string_view custom_code);
std::string unsupported_reason(schema::BuiltinOperator code, std::string_view custom_code);

}  // namespace sightglass::tflite
