#include "tflite/importer.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <span>
#include <vector>

#include "graph/analyses.h"
#include "graph/op_types.h"
#include "graph/quantized.h"
#include "sightglass/model.h"
#include "tflite/model_file.h"
#include "tflite/tensor_table.h"

namespace sightglass::tflite {

// Overrides the declared shapes of model inputs.

namespace {

// The inputs of the model that are valid tensors; import reports the others.
std::vector<FileTensor*> inputs_of(const schema::SubGraph& subgraph, std::vector<FileTensor>& tensors) {
  std::vector<FileTensor*> inputs;
  for (uint32_t i = 0; subgraph.inputs() != nullptr && i < subgraph.inputs()->size(); ++i) {
    const int32_t index = subgraph.inputs()->Get(i);
    const bool exists = index >= 0 && static_cast<size_t>(index) < tensors.size();
    inputs.push_back(exists ? &tensors[static_cast<size_t>(index)] : nullptr);
  }
  return inputs;
}

std::string list(const std::vector<FileTensor*>& inputs) {
  constexpr size_t kMost = 16;
  std::string text;
  for (size_t i = 0; i < inputs.size() && i < kMost; ++i) {
    if (inputs[i] != nullptr) text += (text.empty() ? "" : ", ") + std::to_string(i) + " " + quote(inputs[i]->name);
  }
  return text + (inputs.size() > kMost ? ", …" : "");
}

// By name, or by index if no input has that name. Null if not found.
FileTensor* find(const std::vector<FileTensor*>& inputs, const std::string& wanted) {
  const auto named =
      std::ranges::find_if(inputs, [&](const FileTensor* t) { return t != nullptr && t->name == wanted; });
  if (named != inputs.end()) return *named;
  size_t index = 0;
  const char* end = wanted.data() + wanted.size();
  const auto parsed = std::from_chars(wanted.data(), end, index);
  return parsed.ec == std::errc() && parsed.ptr == end && index < inputs.size() ? inputs[index] : nullptr;
}

Status check_shape(const Shape& shape, int64_t max_elements) {
  int64_t elements = 1;
  for (const int32_t dim : shape.dims()) {
    if (dim < 1) return invalid_argument("dimensions must be at least 1");
    elements *= dim;
    if (elements > max_elements)
      return invalid_argument("it has more than " + std::to_string(max_elements) + " elements");
  }
  return {};
}

}  // namespace

// Fails with kInvalidArgument, naming the existing inputs, if an input does not exist or is named twice, or if a shape
// is invalid.
Status apply_input_shapes(const schema::SubGraph& subgraph, std::span<const InputShape> shapes, int64_t max_elements,
                          std::vector<FileTensor>& tensors) {
  const std::vector<FileTensor*> inputs = inputs_of(subgraph, tensors);
  std::set<const FileTensor*> seen;
  for (const InputShape& wanted : shapes) {
    FileTensor* const input = find(inputs, wanted.input);
    if (input == nullptr) {
      return invalid_argument("cannot set the shape of input " + quote(wanted.input) + ": not found; inputs are " +
                              list(inputs));
    }
    const std::string here = "the shape " + wanted.shape.to_string() + " for input " + quote(input->name);
    if (!seen.insert(input).second) return invalid_argument(here + ": the input already has another shape");
    SIGHTGLASS_RETURN_IF_ERROR(check_shape(wanted.shape, max_elements).with_context(here));
    if (input->quantization.scale.size() > 1) {
      return invalid_argument(here + ": the input has a scale for every index of a dimension, and cannot change");
    }
    input->shape = wanted.shape;
    input->shape_declared = true;
    input->dynamic = false;
    input->supposed_dims = 0;
  }
  return {};
}

// The shape of the first input with that size in its two open dimensions after the batch, which are height and width in
// this order, and with that batch; without one, an open batch is 1. Fails with kInvalidArgument if others are open.
Result<InputShape> shape_of_open_input(const schema::SubGraph& subgraph, const std::optional<ImageSize>& size,
                                       const std::optional<int32_t>& batch, std::vector<FileTensor>& tensors) {
  const std::vector<FileTensor*> inputs = inputs_of(subgraph, tensors);
  const std::string wanted = size ? std::to_string(size->width) + "x" + std::to_string(size->height) : std::string();
  if (inputs.empty() || inputs[0] == nullptr)
    return invalid_argument(size ? "no input takes the size " + wanted : "no input takes a batch");
  const schema::Tensor& declared = *subgraph.tensors()->Get(static_cast<uint32_t>(inputs[0]->index));
  const auto *shape = declared.shape(), *signature = declared.shape_signature();
  const bool has_signature = shape != nullptr && signature != nullptr && signature->size() == shape->size();
  const auto* dims = has_signature ? signature : shape;
  std::vector<int32_t> whole;
  const int32_t sizes[] = {size ? size->height : 1, size ? size->width : 1};
  size_t open = 0;
  for (uint32_t d = 0; dims != nullptr && d < dims->size() && d < Shape::kMaxRank; ++d) {
    const int32_t dim = dims->Get(d);
    const bool takes_size = dim < 0 && d > 0;
    whole.push_back(dim >= 0 ? dim : takes_size && open < std::size(sizes) ? sizes[open] : 1);
    if (takes_size) ++open;
  }
  if (batch && (dims == nullptr || dims->size() == 0 || (dims->Get(0) >= 0 && dims->Get(0) != *batch))) {
    return invalid_argument("cannot set a batch of " + std::to_string(*batch) + " for input " + quote(inputs[0]->name) +
                            ": the file has a fixed batch" +
                            (whole.empty() ? std::string() : " of " + std::to_string(whole[0])) + "; leave it unset");
  }
  if (batch) whole[0] = *batch;
  if (!size && open > 0) {
    return invalid_argument("cannot set only the batch of input " + quote(inputs[0]->name) + ": the file leaves " +
                            std::to_string(open) + " more dimensions open; set its size, too");
  }
  if (size && open != std::size(sizes)) {
    return invalid_argument("cannot set the size " + wanted + " for input " + quote(inputs[0]->name) + ": the file " +
                            (open == 0 ? "has a fixed size; leave it unset"
                                       : "leaves " + std::to_string(open) + " dimensions open, not height and width"));
  }
  return InputShape{std::to_string(0), Shape(whole)};
}

// "'x' as 1x512x512x3": for messages.
std::string describe(std::span<const InputShape> shapes) {
  std::string text;
  for (const InputShape& entry : shapes) {
    text += (text.empty() ? "" : ", ") + quote(entry.input) + " as " + entry.shape.to_string();
  }
  return text;
}

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

namespace {

const char* const kFloatVersion = "use the float32 or float16 version of the model";

bool is_quantized_type(DataType type) {
  return type == DataType::kInt8 || type == DataType::kUInt8 || type == DataType::kInt16;
}

// Only moves elements, so it accepts any type.
bool moves_elements(OpType op) {
  return moves_as_is(op) || op == OpType::kReshape || op == OpType::kConcat || op == OpType::kStridedSlice ||
         op == OpType::kPad;
}

}  // namespace

Result<FileTensor*> Importer::tensor(int32_t index, const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= tensors_.size()) {
    return invalid_model(std::string(what) + " is tensor " + std::to_string(index) + ", but there are " +
                         std::to_string(tensors_.size()));
  }
  return &tensors_[static_cast<size_t>(index)];
}

Status Importer::read_graph_inputs() {
  const auto* inputs = subgraph_->inputs();
  for (uint32_t i = 0; inputs != nullptr && i < inputs->size(); ++i) {
    const std::string what = "model input " + std::to_string(i);
    SIGHTGLASS_ASSIGN_OR_RETURN(FileTensor* const input, tensor(inputs->Get(i), what.c_str()));
    if (input->available) {
      return invalid_model(what + ", " + input->describe() + ", is a constant, or an input twice");
    }
    input->available = true;
    Status usable;
    if (!input->type) {
      usable = unsupported(what + ", " + input->describe() + ", has elements of type " + input->type_name() +
                           "; compute from numbers or booleans");
    } else if (input->dynamic) {
      usable = unsupported(what + ", " + input->describe() +
                           ", has a dynamic shape; set one, or convert the model with fixed input shapes");
    } else if (input->shape.elements() == 0) {
      usable = unsupported(what + ", " + input->describe() + ", has no elements: shape " + input->shape.to_string() +
                           "; set another shape");
    }
    SIGHTGLASS_RETURN_IF_ERROR(note(usable));
    input->opaque = !usable.ok();
    if (usable.ok()) graph_.inputs.push_back(value_of(*input));
  }
  return {};
}

Status Importer::read_graph_outputs() {
  const auto* outputs = subgraph_->outputs();
  if (outputs == nullptr || outputs->size() == 0) return invalid_model("has no outputs");
  SIGHTGLASS_RETURN_IF_ERROR(file_.charge(outputs->size() * sizeof(int32_t)));
  for (uint32_t i = 0; i < outputs->size(); ++i) {
    const std::string what = "model output " + std::to_string(i);
    SIGHTGLASS_ASSIGN_OR_RETURN(FileTensor* const output, tensor(outputs->Get(i), what.c_str()));
    if (!output->available) return invalid_model(what + ", " + output->describe() + ", is never written");
    if (output->opaque) continue;  // depends on an unsupported operator, which is reported
    if (!output->type || output->sparse) {
      SIGHTGLASS_RETURN_IF_ERROR(note(unsupported(what + ", " + output->describe() +
                                                  ", is a constant that cannot be read; leave it out of the model")));
      continue;
    }
    graph_.outputs.push_back(value_of(*output));
  }
  return {};
}

Result<Importer::Step> Importer::read_step(const schema::Operator& op, uint32_t index) {
  Step step;
  SIGHTGLASS_ASSIGN_OR_RETURN(static_cast<OperatorName&>(step), name_operator(file_, op, index));
  const size_t input_count = op.inputs() == nullptr ? 0 : op.inputs()->size();
  const size_t output_count = op.outputs() == nullptr ? 0 : op.outputs()->size();
  if (callees_.empty()) {
    // Minimum size of an operator in a file, and its lists.
    SIGHTGLASS_RETURN_IF_ERROR(file_.charge(64 + (input_count + output_count) * sizeof(int32_t)));
  } else {
    SIGHTGLASS_RETURN_IF_ERROR(spend(1 + input_count + output_count));
    step.title += " of subgraph " + std::to_string(callees_.back());
  }
  if (output_count > static_cast<size_t>(options_.max_nodes)) {
    return unsupported(step.title + ": has " + std::to_string(output_count) + " outputs, more than " +
                       std::to_string(options_.max_nodes) + "; divide the model");
  }

  for (uint32_t i = 0; i < output_count; ++i) {
    const std::string what = step.title + ": output " + std::to_string(i);
    SIGHTGLASS_ASSIGN_OR_RETURN(FileTensor* const output, tensor(op.outputs()->Get(i), what.c_str()));
    step.outputs.push_back(output);
  }
  for (uint32_t i = 0; i < input_count; ++i) {
    constexpr int32_t kAbsent = -1;
    if (op.inputs()->Get(i) == kAbsent) {
      step.inputs.push_back(nullptr);
      continue;
    }
    const std::string what = where(step.title, step.outputs) + ": input " + std::to_string(i);
    SIGHTGLASS_ASSIGN_OR_RETURN(FileTensor* const input, tensor(op.inputs()->Get(i), what.c_str()));
    if (!input->available && !input->variable && input->type && input->shape_declared && input->shape.elements() == 0) {
      input->constant = Constant{*input->type, {}, file_.owner()};  // empty: nothing is stored in the file
      input->available = true;
    }
    if (!input->available && !input->variable) {
      return invalid_model(what + ", " + input->describe() + ", is read before any operator has written it");
    }
    step.inputs.push_back(input);
  }
  for (uint32_t i = 0; op.intermediates() != nullptr && i < op.intermediates()->size(); ++i) {
    const std::string what = step.title + ": intermediate tensor " + std::to_string(i);
    SIGHTGLASS_RETURN_IF_ERROR(callees_.empty() ? file_.charge(sizeof(int32_t)) : spend(1));
    SIGHTGLASS_ASSIGN_OR_RETURN(const FileTensor* const intermediate, tensor(op.intermediates()->Get(i), what.c_str()));
    step.intermediates.push_back(intermediate);
  }
  // After the inputs: an operator that reads its own output reads it before writing.
  for (FileTensor* output : step.outputs) {
    if (output->available) {
      return invalid_model(where(step.title, step.outputs) + ": writes " + output->describe() +
                           ", which is a constant, a model input, or written by an operator before");
    }
    output->available = true;
  }
  return step;
}

Status Importer::read_operators() {
  const auto* operators = subgraph_->operators();
  const uint32_t count = operators == nullptr ? 0 : operators->size();
  if (count > static_cast<uint32_t>(options_.max_nodes)) {
    return unsupported("has " + std::to_string(count) + " operators, more than " + std::to_string(options_.max_nodes) +
                       "; divide the model");
  }
  for (uint32_t i = 0; i < count; ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const Step step, read_step(*operators->Get(i), i));
    Status status = import_step(*operators->Get(i), step);
    if (status.ok()) continue;
    if (status.code() == ErrorCode::kInvalidModel && !options_.input_shapes.empty()) {
      status = unsupported(status.message() +
                           "; the file may contain fixed values that contradict the given input shapes (" +
                           describe(options_.input_shapes) + ")");
    }
    SIGHTGLASS_RETURN_IF_ERROR(note(status, where(step.title, step.outputs)));
    for (FileTensor* output : step.outputs) output->opaque = true;
  }
  return {};
}

Status Importer::check_counts(const Step& step, const OperatorRule& rule) const {
  const size_t outputs = step.outputs.size(), inputs = step.inputs.size();
  if (outputs < rule.min_outputs || outputs > rule.max_outputs) {
    return invalid_model("has " + std::to_string(outputs) + " outputs, not " + std::to_string(rule.min_outputs) +
                         (rule.max_outputs > rule.min_outputs ? " to " + std::to_string(rule.max_outputs) : ""));
  }
  if (inputs < rule.inputs.least || inputs > rule.inputs.most) {
    return invalid_model("has " + std::to_string(inputs) + " inputs, not " + std::to_string(rule.inputs.least) +
                         (rule.inputs.least == rule.inputs.most ? "" : " or more"));
  }
  for (size_t i = 0; i < inputs; ++i) {
    const bool optional = rule.optional == OptionalInputs::kAnyInput ||
                          (rule.optional == OptionalInputs::kLastInput && i + 1 == rule.inputs.most);
    if (step.inputs[i] == nullptr && !optional) return invalid_model("input " + std::to_string(i) + " is absent");
  }
  return {};
}

Status Importer::import_step(const schema::Operator& op, const Step& step) {
  const std::string here = where(step.title, step.outputs);
  const OperatorRule* rule = find_rule(step.code, step.custom_code);
  if (rule == nullptr) return unsupported(here + ": " + unsupported_reason(step.code, step.custom_code));
  SIGHTGLASS_RETURN_IF_ERROR(check_counts(step, *rule).with_context(here));
  const auto present = [](const FileTensor* t) { return t != nullptr; };
  const bool opaque = std::ranges::any_of(step.inputs, [&](const FileTensor* t) { return present(t) && t->opaque; });
  const OperatorView view(op, {step.inputs.begin(), step.inputs.end()}, step.intermediates, step.version,
                          {step.outputs.begin(), step.outputs.end()});
  DecodedOp decoded;
  decoded.op = rule->op;
  for (size_t i = 0; i < step.inputs.size(); ++i) decoded.data.push_back(i);
  const Status status = rule->decode(view, decoded);
  if (!status.ok()) {
    // Declared shapes that were not inferred do not make a file invalid.
    if (!opaque || status.code() == ErrorCode::kUnsupported) return status.with_context(here);
  } else if (!step.inputs.empty() && present(step.inputs[0]) && step.inputs[0]->parts[0] != kNone && !decoded.call &&
             !decoded.result && decoded.op == OpType::kReshape) {
    return reshape_complex(decoded, step).with_context(here);
  } else if (!decoded.result && !decoded.call) {
    for (const size_t output : decoded.outputs) {
      if (output == kNoOutput || output < step.outputs.size()) continue;
      return invalid_model("it has " + std::to_string(step.outputs.size()) + " outputs instead of " +
                           std::to_string(decoded.outputs.size()))
          .with_context(here);
    }
    SIGHTGLASS_RETURN_IF_ERROR(check_states(decoded, step).with_context(here));
    const bool constant =
        std::ranges::all_of(decoded.data, [&](size_t i) { return !view.has(i) || view.input(i).constant.has_value(); });
    if (rule->while_loading && !constant) {
      return unsupported(here + ": its input is computed while the model runs; make it a constant");
    }
    SIGHTGLASS_RETURN_IF_ERROR(check_types(decoded, step, constant).with_context(here));
  }
  if (opaque) {
    for (FileTensor* output : step.outputs) output->opaque = true;
    return {};
  }
  if (decoded.result) return adopt_result(*std::move(decoded.result), step);
  if (decoded.call) {
    const bool parts = decoded.call->kind >= DecodedCall::Kind::kSvdf;
    return (parts ? add_parts(decoded, step) : run_call(*decoded.call, step)).with_context(here);
  }
  return add_node(decoded, step);
}

Status Importer::check_states(const DecodedOp& decoded, const Step& step) const {
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const FileTensor* input = step.inputs[i];
    const bool state = std::ranges::find(decoded.states, i, &DecodedState::input) != decoded.states.end();
    if (input != nullptr && input->variable && !input->available && !callees_.empty()) {
      return unsupported(input->describe() +
                         " keeps its contents from run to run in a subgraph that an operator runs; "
                         "convert the model so that its main subgraph has the operator");
    }
    if (input != nullptr && input->variable && !input->available && !state) {
      return unsupported(input->describe() +
                         " keeps its contents from run to run, which is not supported here; export the state as an "
                         "input and an output");
    }
    if (state && (input == nullptr || !input->variable || input->available || !input->shape_declared)) {
      return invalid_model("input " + std::to_string(i) + ", its state, is not a variable tensor of a known shape");
    }
    if (state && input->type != DataType::kFloat32 && !(input->type && is_quantized_type(*input->type))) {
      return invalid_model("input " + std::to_string(i) + ", its state, is " + input->type_name());
    }
    const bool quantized = state && input->type != DataType::kFloat32;
    if (const size_t scales = quantized ? input->quantization.scale.size() : 1; scales != 1) {
      return invalid_model("input " + std::to_string(i) + ", its state, is " + input->type_name() + " with " +
                           std::to_string(scales) + " scales instead of one");
    }
  }
  return {};
}

// Checks for reasons that prevent any computation with a tensor.
Status Importer::check_tensor(const FileTensor& tensor) const {
  const std::string name = tensor.describe();
  if (tensor.sparse) return unsupported(name + " is sparse, which is not supported here; use dense weights");
  if (!tensor.type) {
    return unsupported(name + " is " + tensor.type_name() + ", which is not supported; leave it out of the model");
  }
  const bool quantized = is_quantized_type(*tensor.type) && !tensor.quantization.empty();
  if (quantized && !options_.quantized_models) {
    return unsupported(name + " is " + tensor.type_name() + ", and quantized models are disallowed; allow them, or " +
                       kFloatVersion);
  }
  if (quantized && !tensor.constant && !is_quantized(make_value(tensor))) {
    return unsupported(name + " is " + tensor.type_name() + " without one positive scale for all its elements; " +
                       kFloatVersion);
  }
  if (tensor.type == DataType::kFloat16 && !tensor.constant) {
    return unsupported(name + " is float16, which only constants may be; convert the model with float32 activations");
  }
  return {};
}

Status Importer::check_types(const DecodedOp& decoded, const Step& step, bool constant) const {
  // Values evaluated during import need not fit the GPU.
  const bool folds_any_type = constant && (decoded.op == OpType::kDequantize || moves_elements(decoded.op));
  std::vector<Value> values;
  values.reserve(decoded.data.size() + step.outputs.size());
  TypedOp typed{decoded.op, decoded.activation, {}, {}};
  for (const size_t i : decoded.data) {
    const FileTensor* input = i < step.inputs.size() ? step.inputs[i] : nullptr;
    typed.inputs.push_back(nullptr);
    if (input == nullptr) continue;
    if (input->opaque && !input->type) return {};  // from an unsupported operator
    if (!input->opaque && input->shape.elements() == 0) {
      return unsupported(input->describe() + " has no elements: shape " + input->shape.to_string() +
                         "; leave it out of the model");
    }
    const bool folds = folds_any_type && input->type && !input->sparse;
    if (!folds && !input->opaque) SIGHTGLASS_RETURN_IF_ERROR(check_tensor(*input));
    typed.inputs.back() = &values.emplace_back(make_value(*input));
  }
  for (FileTensor* output : step.outputs) {
    // Old converters omit the type, which then reads as float32; TensorFlow Lite kernels set their own.
    const bool untyped = output->type == DataType::kFloat32 && !output->quantization.empty();
    if (untyped && !typed.inputs.empty() && typed.inputs[0] != nullptr && is_quantized(*typed.inputs[0])) {
      output->type = natural_type(typed, typed.outputs.size());
    }
    if (!folds_any_type || !output->type) SIGHTGLASS_RETURN_IF_ERROR(check_tensor(*output));
    typed.outputs.push_back(&values.emplace_back(make_value(*output)));
  }
  // add_node() gives the operands of some operators the quantization of the result.
  const size_t data = decoded.op == OpType::kSelect ? 1 : 0;
  if (typed.inputs.size() > data && typed.inputs[data] != nullptr && !typed.outputs.empty()) {
    if (const Quantization* common = common_quantization(decoded.op, *typed.inputs[data], typed.outputs)) {
      const Quantization quantization = *common;
      for (Value& value : values) {
        if (is_quantized(value)) value.quantization = quantization;
      }
    }
  }
  return sightglass::check_types(typed);
}

Status Importer::note(const Status& status, const std::string& where) {
  if (status.ok() || status.code() != ErrorCode::kUnsupported) return status;
  const std::string prefix = where + ": ";
  const std::string& message = status.message();
  survey_.obstacles.push_back(
      make_obstacle(where, message.starts_with(prefix) ? message.substr(prefix.size()) : message));
  return {};
}

// Declared properties of inputs or outputs. Their indices have been checked.
Status Importer::describe_ends(const flatbuffers::Vector<int32_t>* tensors, std::vector<TensorInfo>& infos) {
  for (uint32_t i = 0; tensors != nullptr && i < tensors->size(); ++i) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const FileTensor* const end, tensor(tensors->Get(i), "input or output"));
    if (!end->type) continue;
    SIGHTGLASS_RETURN_IF_ERROR(
        file_.charge(end->name.size() + end->quantization.scale.size() * (sizeof(float) + sizeof(int64_t))));
    infos.push_back({end->name, *end->type, end->shape, end->quantization, end->supposed_dims});
  }
  return {};
}

// Keeps the part that was imported before an obstacle, for inspection.
void Importer::expose_ends() {
  std::vector<bool> kept(graph_.value_count());
  for (const ValueId output : graph_.outputs) kept[static_cast<size_t>(output)] = true;
  for (const State& state : graph_.states) kept[static_cast<size_t>(state.output)] = true;
  for (const NodeId id : graph_.order()) {
    for (const ValueId output : graph_.node(id).outputs) {
      if (graph_.value(output).users.empty() && !kept[static_cast<size_t>(output)]) graph_.outputs.push_back(output);
    }
  }
}

Status Importer::read_all() {
  SIGHTGLASS_ASSIGN_OR_RETURN(survey_.operators, list_operators(file_, static_cast<uint32_t>(options_.max_nodes)));
  find_changing_variables();
  Result<std::vector<FileTensor>> tensors = read_tensors(file_, *subgraph_, options_, expandable_bytes_);
  if (!tensors.ok()) return note(tensors.status());
  tensors_ = std::move(tensors).value();
  if (options_.open_size || options_.open_batch) {
    SIGHTGLASS_ASSIGN_OR_RETURN(InputShape shape,
                                shape_of_open_input(*subgraph_, options_.open_size, options_.open_batch, tensors_));
    options_.input_shapes.push_back(std::move(shape));
  }
  SIGHTGLASS_RETURN_IF_ERROR(
      apply_input_shapes(*subgraph_, options_.input_shapes, options_.max_tensor_elements, tensors_));
  SIGHTGLASS_RETURN_IF_ERROR(read_graph_inputs());
  SIGHTGLASS_RETURN_IF_ERROR(describe_ends(subgraph_->inputs(), survey_.inputs));
  const Status operators = read_operators();
  if (!operators.ok()) return note(operators);
  SIGHTGLASS_RETURN_IF_ERROR(read_graph_outputs());
  return describe_ends(subgraph_->outputs(), survey_.outputs);
}

Result<Survey> Importer::run(const std::string& name) {
  graph_.name = name;
  SIGHTGLASS_RETURN_IF_ERROR(read_all());
  if (!survey_.obstacles.empty()) expose_ends();
  survey_.graph = std::move(graph_);
  return std::move(survey_);
}

}  // namespace sightglass::tflite
