// Operators that run subgraphs, and variables. A subgraph becomes part of the graph each time an operator runs it, so
// only constants decide which subgraph runs, and how often. A variable becomes a state of the graph.
#include <algorithm>
#include <utility>

#include "graph/analyses.h"
#include "graph/quantized.h"
#include "tflite/importer.h"

namespace sightglass::tflite {
namespace {

constexpr size_t kMostNested = 16;

// As the key of a variable: neither name contains a null character.
std::string key_of(const schema::VarHandleOptions& options) {
  std::string key = options.container() == nullptr ? "" : options.container()->c_str();
  key += '\0';
  return options.shared_name() == nullptr ? key : key + options.shared_name()->c_str();
}

std::string name_in(const std::string& key) { return key.substr(key.find('\0') + 1); }
std::string quoted_name(const std::string& key) { return quote(name_in(key)); }

// A variable tensor has contents only for the operator that keeps them there.
Status check_argument(const FileTensor& tensor) {
  if (!tensor.variable || tensor.available) return {};
  return unsupported(tensor.describe() + " keeps its contents from run to run, which is not supported here; use " +
                     "variables that VAR_HANDLE names");
}

}  // namespace

Status decode_call(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::CallOptions>());
  node.call = DecodedCall{.kind = DecodedCall::Kind::kCall, .first = options->subgraph()};
  return {};
}

Status decode_call_once(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::CallOnceOptions>());
  node.call = DecodedCall{.kind = DecodedCall::Kind::kCallOnce, .first = options->init_subgraph_index()};
  return {};
}

Status decode_composite(const OperatorView& view, DecodedOp& node) {
  const schema::StableHLOCompositeOptions* options = view.composite_options();
  if (options == nullptr) return invalid_model("it has no StableHLOCompositeOptions");
  node.call = DecodedCall{.kind = DecodedCall::Kind::kCall, .first = options->decomposition_subgraph_index()};
  return {};
}

Status decode_if(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::IfOptions>());
  node.call = DecodedCall{.kind = DecodedCall::Kind::kIf,
                          .first = options->then_subgraph_index(),
                          .second = options->else_subgraph_index()};
  return {};
}

Status decode_while(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::WhileOptions>());
  node.call = DecodedCall{.kind = DecodedCall::Kind::kWhile,
                          .first = options->cond_subgraph_index(),
                          .second = options->body_subgraph_index()};
  return {};
}

Status decode_var_handle(const OperatorView& view, DecodedOp& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const auto* options, view.required_options<schema::VarHandleOptions>());
  node.call = DecodedCall{.kind = DecodedCall::Kind::kVarHandle, .variable = key_of(*options)};
  return {};
}

Status decode_read_variable(const OperatorView&, DecodedOp& node) {
  node.call = DecodedCall{.kind = DecodedCall::Kind::kReadVariable};
  return {};
}

Status decode_assign_variable(const OperatorView&, DecodedOp& node) {
  node.call = DecodedCall{.kind = DecodedCall::Kind::kAssignVariable};
  return {};
}

// Bounds the time and the memory of loops and of repeated calls.
Status Importer::spend(size_t parts) {
  spent_ += parts;
  const size_t most = 16 * static_cast<size_t>(options_.max_nodes);
  if (spent_ <= most) return {};
  return unsupported("its subgraphs run too often: they have more than " + std::to_string(most) +
                     " operators and tensors in total; use shorter loops");
}

// Variables that only CALL_ONCE sets are constants. A handle that is an argument may be that of any variable.
void Importer::find_changing_variables() {
  const auto* codes = file_.model().operator_codes();
  const auto assigns = [](const schema::OperatorCode* code) {
    return code->builtin_code() == schema::BuiltinOperator::ASSIGN_VARIABLE;
  };
  if (codes == nullptr || std::none_of(codes->begin(), codes->end(), assigns)) return;
  std::set<uint32_t> initializers;
  struct Assignment {
    uint32_t subgraph;
    std::optional<std::string> key;
  };
  std::vector<Assignment> assignments;
  const auto& subgraphs = *file_.model().subgraphs();
  for (uint32_t s = 0; s < subgraphs.size(); ++s) {
    const auto* operators = subgraphs.Get(s)->operators();
    std::unordered_map<int32_t, const schema::VarHandleOptions*> handles;
    for (uint32_t i = 0; operators != nullptr && i < operators->size(); ++i) {
      const schema::Operator& op = *operators->Get(i);
      const Result<OperatorName> name = name_operator(file_, op, i);
      if (!name.ok()) continue;
      const auto* once = op.builtin_options_as_CallOnceOptions();
      if (name->code == schema::BuiltinOperator::CALL_ONCE && once != nullptr) {
        initializers.insert(static_cast<uint32_t>(once->init_subgraph_index()));
      }
      const auto* handle = op.builtin_options_as_VarHandleOptions();
      if (handle != nullptr && op.outputs() != nullptr && op.outputs()->size() == 1) {
        handles[op.outputs()->Get(0)] = handle;
      }
      if (name->code != schema::BuiltinOperator::ASSIGN_VARIABLE || op.inputs() == nullptr ||
          op.inputs()->size() != 2) {
        continue;
      }
      const auto known = handles.find(op.inputs()->Get(0));
      assignments.push_back({s, known == handles.end() ? std::nullopt : std::optional(key_of(*known->second))});
    }
  }
  for (const Assignment& assignment : assignments) {
    if (initializers.contains(assignment.subgraph)) continue;
    if (assignment.key) changing_.insert(*assignment.key);
    if (!assignment.key) any_changes_ = true;
  }
}

// The tensors of a subgraph as the file describes them. Those that become values of the graph are read once.
Result<std::vector<FileTensor>> Importer::pristine_tensors(uint32_t subgraph) {
  auto known = pristine_.find(subgraph);
  if (known == pristine_.end()) {
    SIGHTGLASS_ASSIGN_OR_RETURN(
        std::vector<FileTensor> tensors,
        read_tensors(file_, *file_.model().subgraphs()->Get(subgraph), options_, expandable_bytes_));
    known = pristine_.emplace(subgraph, std::move(tensors)).first;
  }
  constexpr size_t kBytesPerPart = 64;
  for (const FileTensor& tensor : known->second) {
    const size_t scales = tensor.quantization.scale.size() * (sizeof(float) + sizeof(int64_t));
    SIGHTGLASS_RETURN_IF_ERROR(spend(1 + (tensor.name.size() + scales) / kBytesPerPart));
  }
  return known->second;
}

// Makes `to`, the parameter or result of a subgraph, stand for `from`. Numbers stay as they are stored.
Status Importer::bind(FileTensor& to, FileTensor& from) {
  const bool same = to.type && from.type ? to.type == from.type : to.file_type == from.file_type;
  if (!same) {
    return invalid_model(from.describe() + " is " + from.type_name() + ", but " + to.describe() + " is " +
                         to.type_name());
  }
  if (from.type && !from.constant && !from.opaque && !from.sparse) value_of(from);
  FileTensor bound = from;
  bound.name = std::move(to.name);
  bound.index = to.index;
  bound.variable = false;
  bound.available = true;
  if (bound.type && !to.quantization.empty()) {
    const Value other = make_value(bound);
    bound.quantization = std::move(to.quantization);
    const Value wanted = make_value(bound);
    const bool alike = bound.opaque || (wanted.quantization.scale == other.quantization.scale &&
                                        wanted.quantization.zero_point == other.quantization.zero_point);
    if (!alike && bound.constant) {
      bound.value = kNone;
    } else if (!alike && is_quantized(wanted) && is_quantized(other)) {
      bound.value = reinterpreted(graph_, bound.value, bound.quantization);
    } else if (!alike && bound.value != kNone) {
      return unsupported(from.describe() + " and " + to.describe() +
                         " have different scales, which are not one positive scale each; convert the model again");
    }
  }
  to = std::move(bound);
  return {};
}

// Imports the operators of a subgraph, and returns its outputs.
Result<std::vector<FileTensor>> Importer::call(int64_t index, std::vector<FileTensor>& arguments) {
  const auto& subgraphs = *file_.model().subgraphs();
  if (index < 0 || index >= static_cast<int64_t>(subgraphs.size())) {
    return invalid_model("it runs subgraph " + std::to_string(index) + ", but there are " +
                         std::to_string(subgraphs.size()));
  }
  const auto callee = static_cast<uint32_t>(index);
  const schema::SubGraph& subgraph = *subgraphs.Get(callee);
  const std::string here = "subgraph " + std::to_string(callee);
  if (&subgraph == &file_.subgraph() || std::ranges::find(callees_, callee) != callees_.end()) {
    return invalid_model(here + " runs itself");
  }
  if (callees_.size() >= kMostNested) return unsupported(here + " is nested too deeply; convert the model again");
  const size_t parameters = subgraph.inputs() == nullptr ? 0 : subgraph.inputs()->size();
  const size_t results = subgraph.outputs() == nullptr ? 0 : subgraph.outputs()->size();
  if (parameters != arguments.size()) {
    return invalid_model(here + " has " + std::to_string(parameters) + " inputs, but " +
                         std::to_string(arguments.size()) + " are given");
  }
  SIGHTGLASS_RETURN_IF_ERROR(spend(1 + parameters + results));
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<FileTensor> tensors, pristine_tensors(callee));
  const size_t known_values = tensors.size();
  std::swap(tensors_, tensors);
  const schema::SubGraph* const caller = std::exchange(subgraph_, &subgraph);
  callees_.push_back(callee);

  std::vector<FileTensor> made;
  const auto import = [&]() -> Status {
    for (uint32_t i = 0; i < parameters; ++i) {
      const std::string what = here + ": input " + std::to_string(i);
      SIGHTGLASS_ASSIGN_OR_RETURN(FileTensor* const parameter, tensor(subgraph.inputs()->Get(i), what.c_str()));
      if (parameter->available) return invalid_model(what + " is a constant, or an input twice");
      SIGHTGLASS_RETURN_IF_ERROR(bind(*parameter, arguments[i]).with_context(what));
    }
    SIGHTGLASS_RETURN_IF_ERROR(read_operators());
    for (uint32_t i = 0; i < results; ++i) {
      const std::string what = here + ": output " + std::to_string(i);
      SIGHTGLASS_ASSIGN_OR_RETURN(FileTensor* const result, tensor(subgraph.outputs()->Get(i), what.c_str()));
      if (!result->available) return invalid_model(what + " is never written");
      if (result->type && !result->constant && !result->opaque && !result->sparse) value_of(*result);
      made.push_back(*result);
    }
    return {};
  };
  const Status status = import();
  std::vector<FileTensor>& pristine = pristine_.at(callee);
  for (size_t i = 0; i < known_values; ++i) {
    if (pristine[i].constant) pristine[i].value = tensors_[i].value;
  }
  std::swap(tensors_, tensors);
  subgraph_ = caller;
  callees_.pop_back();
  SIGHTGLASS_RETURN_IF_ERROR(status);
  return made;
}

Status Importer::return_results(std::vector<FileTensor>& results, const Step& step) {
  if (results.size() != step.outputs.size()) {
    return invalid_model("it has " + std::to_string(step.outputs.size()) + " outputs, but the subgraph makes " +
                         std::to_string(results.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) SIGHTGLASS_RETURN_IF_ERROR(bind(*step.outputs[i], results[i]));
  return {};
}

// The value of a condition, or none if it depends on an unsupported operator. Fails if it depends on data.
Result<std::optional<bool>> Importer::condition(const FileTensor& tensor) {
  if (tensor.opaque) return std::optional<bool>();
  if (tensor.type != DataType::kBool || tensor.shape.elements() != 1) {
    return invalid_model("its condition " + tensor.describe() + " is " + tensor.type_name() + " of shape " +
                         tensor.shape.to_string() + ", not one bool");
  }
  if (!tensor.constant) {
    return unsupported("its condition " + tensor.describe() +
                       " is computed while the model runs; convert the model so that constants and shapes decide it, "
                       "or use SELECT_V2");
  }
  return std::optional(tensor.constant->bytes[0] != std::byte{0});
}

Status Importer::run_while(const DecodedCall& loop, const Step& step) {
  std::vector<FileTensor> carried;
  for (FileTensor* input : step.inputs) {
    SIGHTGLASS_RETURN_IF_ERROR(check_argument(*input));
    if (input->type && !input->constant && !input->sparse) value_of(*input);
    carried.push_back(*input);
  }
  const size_t obstacles = survey_.obstacles.size();
  while (survey_.obstacles.size() == obstacles) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<FileTensor> decision, call(loop.first, carried));
    if (decision.size() != 1) return invalid_model("its condition has " + std::to_string(decision.size()) + " outputs");
    SIGHTGLASS_ASSIGN_OR_RETURN(const std::optional<bool> again, condition(decision[0]));
    if (!again) break;
    if (!*again) return return_results(carried, step);
    SIGHTGLASS_ASSIGN_OR_RETURN(carried, call(loop.second, carried));
  }
  for (FileTensor* output : step.outputs) output->opaque = true;  // of an unsupported operator
  return {};
}

Status Importer::run_call(const DecodedCall& decoded, const Step& step) {
  using enum DecodedCall::Kind;
  int64_t callee = decoded.first;
  size_t first_argument = 0;
  switch (decoded.kind) {
    case kWhile:
      return run_while(decoded, step);
    case kVarHandle:
      step.outputs[0]->variable_index = variable_named(decoded.variable);
      return {};
    case kReadVariable:
      return read_variable(step);
    case kAssignVariable:
      return assign_variable(step);
    case kCallOnce: {
      if (!initialized_.insert(callee).second) return {};
      std::vector<FileTensor> none;
      const bool before = std::exchange(initializing_, true);
      const Status status = call(callee, none).status();
      initializing_ = before;
      return status;
    }
    case kIf: {
      SIGHTGLASS_ASSIGN_OR_RETURN(const std::optional<bool> chosen, condition(*step.inputs[0]));
      if (!chosen) return {};
      if (!*chosen) callee = decoded.second;
      first_argument = 1;
      break;
    }
    default:
      break;
  }
  std::vector<FileTensor> arguments;
  for (size_t i = first_argument; i < step.inputs.size(); ++i) {
    FileTensor& input = *step.inputs[i];
    SIGHTGLASS_RETURN_IF_ERROR(check_argument(input));
    if (input.type && !input.constant && !input.sparse) value_of(input);
    arguments.push_back(input);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(std::vector<FileTensor> results, call(callee, arguments));
  return return_results(results, step);
}

int32_t Importer::variable_named(const std::string& key) {
  const auto known = std::ranges::find(variables_, key, &Variable::key);
  if (known != variables_.end()) return static_cast<int32_t>(known - variables_.begin());
  variables_.push_back({.key = key, .changes = any_changes_ || changing_.contains(key)});
  return static_cast<int32_t>(variables_.size()) - 1;
}

Result<Importer::Variable*> Importer::variable_of(const Step& step) {
  const FileTensor& handle = *step.inputs[0];
  if (handle.variable_index >= 0) return &variables_[static_cast<size_t>(handle.variable_index)];
  return invalid_model(handle.describe() + " is not a handle that VAR_HANDLE made");
}

Status Importer::read_variable(const Step& step) {
  SIGHTGLASS_ASSIGN_OR_RETURN(Variable* const variable, variable_of(step));
  if (!variable->now && !survey_.obstacles.empty()) {
    step.outputs[0]->opaque = true;  // perhaps set by an unsupported operator
    return {};
  }
  if (!variable->now) {
    return invalid_model("the variable " + quoted_name(variable->key) + " is read before any operator has set it");
  }
  FileTensor& now = *variable->now;
  if (variable->changes && variable->initial && !initializing_) {
    SIGHTGLASS_RETURN_IF_ERROR(check_tensor(now));
    variable->state = graph_.states.size();
    Value kept = make_value(now);
    kept.name = name_in(variable->key);
    kept.constant.reset();
    now.value = graph_.add_value(std::move(kept));
    graph_.states.push_back({now.value, now.value, std::exchange(now.constant, std::nullopt)});
    variable->initial = false;
  }
  return bind(*step.outputs[0], now);
}

Status Importer::assign_variable(const Step& step) {
  SIGHTGLASS_ASSIGN_OR_RETURN(Variable* const variable, variable_of(step));
  SIGHTGLASS_RETURN_IF_ERROR(check_argument(*step.inputs[1]));
  FileTensor contents = *step.inputs[1];
  if (!contents.opaque) SIGHTGLASS_RETURN_IF_ERROR(check_tensor(contents));
  if (initializing_) {
    if (variable->now && !variable->initial) {
      return unsupported("the variable " + quoted_name(variable->key) +
                         " is initialized after it was set; call once first");
    }
    if (!contents.constant && !contents.opaque) {
      return unsupported("the initial contents " + contents.describe() + " of a variable are not constant");
    }
    variable->initial = true;
    variable->now = std::move(contents);
    return {};
  }
  if (!contents.opaque && variable->state) {
    const Value& kept = graph_.value(graph_.states[*variable->state].input);
    if (contents.type != kept.type || contents.shape != kept.shape) {
      return unsupported("it makes the variable " + quoted_name(variable->key) + ", " + to_string(kept.type) +
                         " of shape " + kept.shape.to_string() + ", " + contents.type_name() + " of shape " +
                         contents.shape.to_string() + "; keep its type and shape");
    }
    const Quantization quantization = kept.quantization;
    ValueId next = value_of(contents);
    if (is_quantized(graph_.value(next)) && !same_quantization(graph_.value(next), quantization)) {
      next = reinterpreted(graph_, next, quantization);
    }
    graph_.states[*variable->state].output = next;
  } else if (!contents.opaque && contents.type && !contents.constant) {
    value_of(contents);
  }
  variable->initial = false;
  variable->now = std::move(contents);
  return {};
}

}  // namespace sightglass::tflite
