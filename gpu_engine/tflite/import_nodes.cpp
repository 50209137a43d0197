// Converts an operator to a node of the graph, to several nodes, or to constants.
#include <algorithm>
#include <cmath>

#include "graph/analyses.h"
#include "graph/quantized.h"
#include "ref/ref_ops.h"
#include "tflite/importer.h"

namespace sightglass::tflite {
namespace {

// Whether the declared shape is compatible with the inferred one.
bool allows(const FileTensor& tensor, const Shape& inferred) {
  if (!tensor.shape_declared) return true;
  bool fits = tensor.shape.rank() == inferred.rank();
  for (int d = 0; fits && d < inferred.rank(); ++d) {
    fits = tensor.shape.dim(d) == inferred.dim(d) || (tensor.supposed_dims >> d & 1u) != 0;
  }
  return fits;
}

}  // namespace

std::string where(const std::string& title, const std::vector<FileTensor*>& outputs) {
  return outputs.empty() ? title : title + " (output " + quote(outputs[0]->name) + ")";
}

Value Importer::make_value(const FileTensor& tensor) {
  Value value;
  value.name = tensor.name;
  value.type = *tensor.type;
  value.shape = tensor.shape;
  value.quantization = tensor.quantization;
  value.constant = tensor.constant;
  value.open_dims = tensor.supposed_dims;
  return value;
}

ValueId Importer::value_of(FileTensor& tensor) {
  if (tensor.value == kNone) tensor.value = graph_.add_value(make_value(tensor));
  return tensor.value;
}

Status Importer::adopt_shape(FileTensor& tensor, const Shape& inferred) const {
  if (options_.input_shapes.empty() && !allows(tensor, inferred)) {
    return invalid_model("output " + tensor.describe() + " is declared as " + tensor.shape.to_string() +
                         ", but its inputs and options make it " + inferred.to_string());
  }
  if (inferred.elements() == 0) {
    return unsupported("output " + tensor.describe() + " would have no elements: shape " + inferred.to_string() +
                       "; use a larger input");
  }
  if (inferred.elements() > options_.max_tensor_elements) {
    return unsupported("output " + tensor.describe() + " of shape " + inferred.to_string() + " has more than " +
                       std::to_string(options_.max_tensor_elements) + " elements; use a smaller input");
  }
  tensor.shape = inferred;
  return {};
}

// Makes the output of the operator a constant.
Status Importer::adopt_result(HostTensor result, const Step& step) {
  const std::string here = where(step.title, step.outputs);
  FileTensor& output = *step.outputs[0];
  if (output.type != result.type) {
    return invalid_model(here + ": " + output.describe() + " is " + output.type_name() + " instead of " +
                         to_string(result.type));
  }
  SIGHTGLASS_RETURN_IF_ERROR(adopt_shape(output, result.shape).with_context(here));
  folded_bytes_ += static_cast<int64_t>(result.data.size());
  if (folded_bytes_ > options_.max_folded_bytes) {
    return unsupported(here + ": the result of constants takes too much memory; put it into the model instead");
  }
  const auto storage = std::make_shared<const std::vector<std::byte>>(std::move(result.data));
  output.constant = Constant{result.type, *storage, storage};
  return {};
}

Status Importer::add_node(const DecodedOp& decoded, const Step& step) {
  Node node;
  node.op = decoded.op;
  node.attributes = decoded.attributes;
  node.activation = decoded.activation;
  node.origin = step.title;
  std::vector<FileTensor*> data;
  for (const size_t i : decoded.data) data.push_back(i < step.inputs.size() ? step.inputs[i] : nullptr);

  const bool constant =
      std::ranges::all_of(data, [](const FileTensor* t) { return t == nullptr || t->constant.has_value(); });
  std::vector<bool> made(step.outputs.size());
  for (const size_t place : decoded.outputs) {
    if (place != kNoOutput) made[place] = true;
  }
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (!made[i]) step.outputs[i]->available = false;  // scratch space, which no other operator may read
  }
  if (constant) return fold(std::move(node), decoded, step, data);

  for (const DecodedState& state : decoded.states) read_state(*step.inputs[state.input]);
  for (FileTensor* input : data) node.inputs.push_back(input == nullptr ? kNone : value_of(*input));
  if (is_hybrid(graph_, node)) node.inputs[0] = add_dynamic_quantize(graph_, node);
  for (size_t i = 0; i < decoded.outputs.size(); ++i) {
    const auto becomes_state = std::ranges::find(decoded.states, i, &DecodedState::output);
    const size_t place = decoded.outputs[i];
    node.outputs.push_back(place != kNoOutput ? value_of(*step.outputs[place])
                                              : add_next(*step.inputs[becomes_state->input]));
  }
  keep_numbers(graph_, node);
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, infer_shapes(graph_, node));
  for (size_t i = 0; i < shapes.size(); ++i) {
    const size_t place = decoded.outputs[i];
    Shape& shape = graph_.value(node.outputs[i]).shape;
    if (place != kNoOutput) {
      SIGHTGLASS_RETURN_IF_ERROR(
          adopt_shape(*step.outputs[place], shapes[i]).with_context(where(step.title, step.outputs)));
    }
    shape = shapes[i];
  }
  for (const DecodedState& state : decoded.states) {
    write_state(*step.inputs[state.input], node.outputs[state.output]);
  }
  graph_.add_node(std::move(node));
  return {};
}

// A node of float32 for part of the operator.
Result<ValueId> Importer::add_part(OpType op, Attributes attributes, std::vector<ValueId> inputs, const Step& step,
                                   const char* name) {
  Node node;
  node.op = op;
  node.attributes = std::move(attributes);
  node.origin = step.title;
  node.inputs = std::move(inputs);
  if (is_hybrid(graph_, node)) node.inputs[0] = add_dynamic_quantize(graph_, node);
  Value value;
  value.name = step.outputs[0]->name + "/" + name;
  node.outputs = {graph_.add_value(std::move(value))};
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, infer_shapes(graph_, node));
  const ValueId made = node.outputs[0];
  graph_.value(made).shape = shapes[0];
  graph_.add_node(std::move(node));
  return made;
}

// Makes a value of float32 the output of the operator.
Status Importer::give_result(ValueId result, const Step& step) {
  FileTensor& output = *step.outputs[0];
  if (output.type != DataType::kFloat32) {
    return invalid_model(output.describe() + " is " + output.type_name() + " instead of float32");
  }
  SIGHTGLASS_RETURN_IF_ERROR(adopt_shape(output, graph_.value(result).shape));
  output.value = result;
  return {};
}

Status Importer::add_parts(const DecodedOp& decoded, const Step& step) {
  using enum DecodedCall::Kind;
  const DecodedCall& call = *decoded.call;
  return call.kind == kSvdf   ? add_svdf(decoded, step)
         : call.kind == kRfft ? add_rfft(call, step)
                              : add_of_complex(call.kind, step);
}

// Real and imaginary parts of the discrete Fourier transform of each row, up to half its length. Data beyond the
// length do not count, and missing ones are zeros.
Status Importer::add_rfft(const DecodedCall& decoded, const Step& step) {
  constexpr int64_t kLongest = 4096;
  FileTensor &data = *step.inputs[0], &output = *step.outputs[0];
  SIGHTGLASS_RETURN_IF_ERROR(check_tensor(data));
  if (data.type != DataType::kFloat32 || output.file_type != schema::TensorType::COMPLEX64) {
    return invalid_model(data.describe() + " is " + data.type_name() + ", and " + output.describe() + " is " +
                         output.type_name() + "; they must be float32 and COMPLEX64");
  }
  const int rank = data.shape.rank();
  const int64_t length = decoded.second;
  const std::string here = "it transforms " + std::to_string(decoded.first) + " rows and " + std::to_string(length) +
                           " columns of shape " + data.shape.to_string();
  if (rank < 2 || decoded.first < 1 || length < 1) return invalid_model(here);
  if (decoded.first != 1 || data.shape.dim(rank - 2) != 1 || length > kLongest) {
    return unsupported(here + "; transform single rows of at most " + std::to_string(kLongest) + " columns");
  }
  const int64_t columns = data.shape.dim(rank - 1), results = length / 2 + 1;
  folded_bytes_ += 2 * results * columns * static_cast<int64_t>(sizeof(float));
  if (folded_bytes_ > options_.max_folded_bytes) return unsupported(here + ", which takes too much memory");
  constexpr double kTurn = 6.283185307179586;
  for (size_t part = 0; part < output.parts.size(); ++part) {
    std::vector<float> factors(static_cast<size_t>(results * columns));
    for (int64_t k = 0; k < results; ++k) {
      for (int64_t i = 0; i < std::min(columns, length); ++i) {
        const double angle = kTurn * static_cast<double>(k * i % length) / static_cast<double>(length);
        factors[static_cast<size_t>(k * columns + i)] =
            static_cast<float>(part == 0 ? std::cos(angle) : -std::sin(angle));
      }
    }
    const ValueId weights = graph_.add_constant(
        "factors of " + step.title, {static_cast<int32_t>(results), static_cast<int32_t>(columns)}, factors);
    SIGHTGLASS_ASSIGN_OR_RETURN(output.parts[part],
                                add_part(OpType::kFullyConnected, FullyConnectedAttr{.keep_num_dims = true},
                                         {value_of(data), weights, kNone}, step, part == 0 ? "real" : "imaginary"));
  }
  return adopt_shape(output, graph_.value(output.parts[0]).shape);
}

Status Importer::add_of_complex(DecodedCall::Kind kind, const Step& step) {
  using enum DecodedCall::Kind;
  const auto [real, imaginary] = step.inputs[0]->parts;
  if (real == kNone) return invalid_model(step.inputs[0]->describe() + " is not a result of RFFT2D");
  if (kind != kComplexAbs) return give_result(kind == kReal ? real : imaginary, step);
  SIGHTGLASS_ASSIGN_OR_RETURN(const ValueId a, add_part(OpType::kSquare, {}, {real}, step, "squared real"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const ValueId b, add_part(OpType::kSquare, {}, {imaginary}, step, "squared imaginary"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const ValueId sum, add_part(OpType::kAdd, {}, {a, b}, step, "squared"));
  SIGHTGLASS_ASSIGN_OR_RETURN(const ValueId root, add_part(OpType::kSqrt, {}, {sum}, step, "absolute"));
  return give_result(root, step);
}

Status Importer::reshape_complex(const DecodedOp& decoded, const Step& step) {
  FileTensor& output = *step.outputs[0];
  for (size_t part = 0; part < output.parts.size(); ++part) {
    SIGHTGLASS_ASSIGN_OR_RETURN(output.parts[part], add_part(OpType::kReshape, decoded.attributes,
                                                             {step.inputs[0]->parts[part]}, step, "reshaped"));
  }
  return adopt_shape(output, graph_.value(output.parts[0]).shape);
}

// Inputs: data [batch, n], weights of filters [filters, n], weights of times [filters, times], bias [units] or none,
// state [batch, filters * times]. Each run appends the results of the filters for its data to those of the last runs,
// and drops the oldest. A unit is the sum over the times of `rank` neighboring filters.
Status Importer::add_svdf(const DecodedOp& decoded, const Step& step) {
  for (const size_t i : {0, 1, 2, 4}) {
    if (step.inputs[i] == nullptr) return invalid_model("input " + std::to_string(i) + " is absent");
    if (step.inputs[i]->shape.rank() != 2) {
      return invalid_model("input " + std::to_string(i) + " of shape " + step.inputs[i]->shape.to_string() +
                           " has no two dimensions");
    }
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_states(decoded, step));
  FileTensor &data = *step.inputs[0], &filters = *step.inputs[1], &times = *step.inputs[2], &state = *step.inputs[4];
  FileTensor* const bias = step.inputs[3];
  for (FileTensor* tensor : {&data, &state, bias, step.outputs[0]}) {
    if (tensor == nullptr || tensor->type == DataType::kFloat32) continue;
    return unsupported(tensor->describe() + " is " + tensor->type_name() +
                       ", not float32; use a float32 model, or one " + "with weights of 8 bits and float32 data");
  }
  SIGHTGLASS_RETURN_IF_ERROR(check_tensor(filters));
  SIGHTGLASS_RETURN_IF_ERROR(check_tensor(times));
  const int32_t batch = data.shape.dim(0), count = filters.shape.dim(0), steps = times.shape.dim(1);
  const int64_t rank = decoded.call->first;
  const bool fits = rank > 0 && count % rank == 0 && times.shape.dim(0) == count && steps > 0 &&
                    state.shape == Shape{batch, static_cast<int32_t>(times.shape.elements())} &&
                    (bias == nullptr || bias->shape == Shape{static_cast<int32_t>(count / rank)});
  if (!fits) {
    return invalid_model("its weights of times " + times.describe() + " of shape " + times.shape.to_string() +
                         ", its bias, its state " + state.describe() + " of shape " + state.shape.to_string() +
                         " and its rank " + std::to_string(rank) + " do not fit its " + std::to_string(count) +
                         " filters");
  }
  if (filters.type != DataType::kFloat32 && filters.type != DataType::kInt8 && filters.type != DataType::kUInt8) {
    return unsupported(filters.describe() + " is " + filters.type_name() + ", not float32 or 8-bit integers");
  }
  if (times.type != DataType::kFloat32 && !(times.type && is_quantized(make_value(times)))) {
    return unsupported(times.describe() + " is " + times.type_name() + ", not float32 or quantized with one scale");
  }
  read_state(state);
  const auto add = [&](OpType op, Attributes attributes, std::vector<ValueId> inputs, const char* name) {
    return add_part(op, std::move(attributes), std::move(inputs), step, name);
  };
  SIGHTGLASS_ASSIGN_OR_RETURN(ValueId result,
                              add(OpType::kFullyConnected, FullyConnectedAttr{false, decoded.call->asymmetric},
                                  {value_of(data), value_of(filters), kNone}, "filters"));
  SIGHTGLASS_ASSIGN_OR_RETURN(result, add(OpType::kReshape, ReshapeAttr{{batch, count, 1}}, {result}, "new"));
  if (steps > 1) {
    SIGHTGLASS_ASSIGN_OR_RETURN(ValueId last,
                                add(OpType::kReshape, ReshapeAttr{{batch, count, steps}}, {state.value}, "last"));
    StridedSliceAttr younger;
    younger.begin = {0, 0, 1};
    younger.stride = {1, 1, 1};
    younger.size = {batch, count, steps - 1};
    younger.shape = {batch, count, steps - 1};
    SIGHTGLASS_ASSIGN_OR_RETURN(last, add(OpType::kStridedSlice, younger, {last}, "kept"));
    SIGHTGLASS_ASSIGN_OR_RETURN(result, add(OpType::kConcat, ConcatAttr{2}, {last, result}, "times"));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const ValueId next, add(OpType::kReshape, ReshapeAttr{state.shape}, {result}, "next"));
  write_state(state, next);
  ValueId factors = value_of(times);
  if (times.type != DataType::kFloat32) {
    SIGHTGLASS_ASSIGN_OR_RETURN(factors, add(OpType::kDequantize, {}, {factors}, "weights of times"));
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(result, add(OpType::kMul, {}, {result, factors}, "products"));
  const auto units = static_cast<int32_t>(count / rank);
  const ReshapeAttr grouped{{batch, units, static_cast<int32_t>(rank * steps)}};
  SIGHTGLASS_ASSIGN_OR_RETURN(result, add(OpType::kReshape, grouped, {result}, "by unit"));
  SIGHTGLASS_ASSIGN_OR_RETURN(result, add(OpType::kSum, ReduceAttr{{2}, false}, {result}, "units"));
  if (bias != nullptr) {
    SIGHTGLASS_ASSIGN_OR_RETURN(result, add(OpType::kAdd, {}, {result, value_of(*bias)}, "biased"));
  }
  SIGHTGLASS_RETURN_IF_ERROR(give_result(result, step));
  graph_.value(result).name = step.outputs[0]->name;
  graph_.node(graph_.value(result).producer).activation = decoded.activation;
  return {};
}

// The value of a variable tensor is the last one written by a preceding operator: initially, the state itself.
void Importer::read_state(FileTensor& tensor) {
  if (tensor.value != kNone) return;
  tensor.value = graph_.add_value(make_value(tensor));
  graph_.states.push_back({tensor.value, tensor.value, std::nullopt});
  state_of_.emplace(tensor.index, graph_.states.size() - 1);
}

ValueId Importer::add_next(const FileTensor& tensor) {
  const Value& before = graph_.value(tensor.value);
  Value value;
  value.name = before.name + " (next)";
  value.type = before.type;
  value.shape = before.shape;
  value.quantization = before.quantization;
  return graph_.add_value(std::move(value));
}

void Importer::write_state(FileTensor& tensor, ValueId next) {
  tensor.value = next;
  graph_.states[state_of_.at(tensor.index)].output = next;
}

// Evaluates the node in a separate graph, so that constants that only it reads stay out of the main one.
Status Importer::fold(Node node, const DecodedOp& decoded, const Step& step, const std::vector<FileTensor*>& data) {
  const std::string here = where(step.title, step.outputs);
  Graph scratch;
  for (const FileTensor* input : data) {
    node.inputs.push_back(input == nullptr ? kNone : scratch.add_value(make_value(*input)));
  }
  for (const size_t place : decoded.outputs) {
    if (place == kNoOutput)
      return unsupported(here + ": it keeps a state, and all its inputs are constant; leave it out of the model");
    node.outputs.push_back(scratch.add_value(make_value(*step.outputs[place])));
  }
  keep_numbers(scratch, node);
  SIGHTGLASS_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, infer_shapes(scratch, node));
  // DEQUANTIZE of float16 keeps the stored bytes.
  const bool shared = node.op == OpType::kDequantize && data[0]->type == DataType::kFloat16;
  for (size_t i = 0; i < shapes.size(); ++i) {
    FileTensor& output = *step.outputs[decoded.outputs[i]];
    SIGHTGLASS_RETURN_IF_ERROR(adopt_shape(output, shapes[i]).with_context(here));
    scratch.value(node.outputs[i]).shape = output.shape;
    if (!shared) folded_bytes_ += output.shape.elements() * static_cast<int64_t>(size_of(*output.type));
  }

  const NodeId id = scratch.add_node(node);
  if (!shared) folded_steps_ += folding_steps(scratch, node);
  bool folded = folded_bytes_ <= options_.max_folded_bytes && folded_steps_ <= options_.max_folding_steps;
  if (folded) {
    const Status status = fold_if_constant(scratch, id, &folded);
    if (!status.ok()) return unsupported(here + ": " + status.message());
  }
  if (!folded) {
    return unsupported(here +
                       ": all its inputs are constant, and evaluating it while loading takes too long; put its "
                       "result into the model instead");
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    step.outputs[decoded.outputs[i]]->constant = scratch.value(node.outputs[i]).constant;
  }
  return {};
}

}  // namespace sightglass::tflite
