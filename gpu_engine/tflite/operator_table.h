// Which operators of the format are known, and how each becomes a node.
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
  bool any_input_optional = false;  // what must be there is the decoder's or shape inference's business
  // Never a node: decode() knows the result, or else all inputs must be constant.
  bool while_loading = false;
  const char* limits = "";  // what decode() refuses of valid files, as what it takes; for people
};

// All rules by name, as in OperatorName; built-in ones in the format's order, then custom ones.
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

// Null when the operator is not known; then unsupported_reason() says what would help.
const OperatorRule* find_rule(schema::BuiltinOperator code, std::string_view custom_code);
std::string unsupported_reason(schema::BuiltinOperator code, std::string_view custom_code);

}  // namespace sightglass::tflite
