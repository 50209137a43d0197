#include "tflite/operator_name.h"

#include <algorithm>

namespace sightglass::tflite {

Result<OperatorName> name_operator(ModelFile& file, const schema::Operator& op, uint32_t index) {
  const auto* codes = file.model().operator_codes();
  const uint32_t count = codes == nullptr ? 0 : codes->size();
  const std::string number = " #" + std::to_string(index);
  if (op.opcode_index() >= count) {
    return invalid_model("operator" + number + " has operator code " + std::to_string(op.opcode_index()) +
                         ", but there are " + std::to_string(count));
  }
  const schema::OperatorCode& code = *codes->Get(op.opcode_index());
  OperatorName result;
  result.code = std::max(static_cast<schema::BuiltinOperator>(code.deprecated_builtin_code()), code.builtin_code());
  result.version = code.version();
  const char* name = schema::EnumNameBuiltinOperator(result.code);
  const bool known = static_cast<int32_t>(result.code) >= 0 && *name != '\0';
  result.name = known ? name : "operator " + std::to_string(static_cast<int32_t>(result.code));
  if (result.code == schema::BuiltinOperator::CUSTOM) {
    const auto* custom = code.custom_code();
    if (custom == nullptr) return invalid_model("CUSTOM" + number + " has no name");
    SIGHTGLASS_RETURN_IF_ERROR(file.charge(custom->size()));
    result.custom_code = custom->str();
    result.name += " " + quote(result.custom_code);
  }
  result.title = result.name + number;
  return result;
}

Result<std::vector<std::string>> list_operators(ModelFile& file, uint32_t most) {
  std::vector<std::string> names;
  const auto* operators = file.subgraph().operators();
  const uint32_t count = operators == nullptr ? 0 : operators->size();
  for (uint32_t i = 0; i < std::min(count, most); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(OperatorName op, name_operator(file, *operators->Get(i), i));
    names.push_back(std::move(op.name));
  }
  return names;
}

}  // namespace sightglass::tflite
