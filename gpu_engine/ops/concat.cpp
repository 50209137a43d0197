#include <optional>

#include "kernel/tensors.h"
#include "ops/function.h"
#include "ops/ops.h"
#include "ops/parts.h"

namespace sightglass {

namespace {

ShaderKey concat_shader(bool reads_output) {
  ShaderKey key{"concat.comp", {}};
  if (reads_output) key.defines.push_back({"READS_OUTPUT", "1"});
  return key;
}

Status supports_concat(const PlanContext&, const Node& node) {
  return node.activation == Activation::kPrelu ? unsupported("a fused PRELU") : Status();
}

// The same elements in another shape: the same memory if the layout is the same, otherwise a copy.
Result<TensorRef> viewed(Emitter& emitter, const Node& node, const TensorRef& tensor, const Bhwc& shape) {
  if (same_layout(tensor.shape, shape)) return TensorRef{tensor.tensor, shape, tensor.scale, tensor.first};
  const TensorRef copy = emitter.temporary("view for " + node.origin, shape, tensor);
  SIGHTGLASS_RETURN_IF_ERROR(emit_reshape(emitter, tensor, copy));
  return copy;
}

// A shape with `axis` among the four shader dimensions; sets `axis` to its index there.
Bhwc with_axis(const Shape& shape, int& axis) {
  if (shape.rank() <= 4 || axis >= shape.rank() - 3) {
    axis += 4 - shape.rank();  // right-aligned
    return Bhwc::from(shape);
  }
  Bhwc folded{1, shape.dim(axis), 1, shape.dim(shape.rank() - 1)};
  for (int d = 0; d < axis; ++d) folded.b *= shape.dim(d);
  for (int d = axis + 1; d < shape.rank() - 1; ++d) folded.w *= shape.dim(d);
  axis = 1;
  return folded;
}

// Position of an input in the output.
struct Piece {
  ValueId value;
  Bhwc shape;          // with the axis among the four dimensions
  int32_t b, y, x, c;  // of its first element in the output

  // Offset in the output, in vec4.
  int64_t place(const Bhwc& whole) const { return ((int64_t{b} * whole.slices() + c / 4) * whole.h + y) * whole.w + x; }
  // Whether its elements are contiguous vec4s without elements of other inputs.
  bool lies_together(const Bhwc& whole) const {
    if (shape.h != whole.h || shape.w != whole.w) {
      return whole.b * whole.slices() == 1 && (shape.w == whole.w || whole.h == 1);
    }
    const bool to_the_end = c + shape.c == whole.c;
    return shape.c == whole.c || (whole.b == 1 && c % 4 == 0 && (shape.c % 4 == 0 || to_the_end));
  }
};

struct Pieces {
  Bhwc whole;  // with the axis among the four dimensions
  std::vector<Piece> pieces;
};

// PACK is CONCATENATION of inputs with an inserted dimension of size 1.
Pieces pieces_of(const Graph& graph, const Node& node) {
  const int in_axis = std::get<ConcatAttr>(node.attributes).axis;
  const Shape& out = graph.value(node.outputs[0]).shape;
  int axis = in_axis;  // among batch, rows, columns, channels
  Pieces result{with_axis(out, axis), {}};
  int32_t place = 0;
  for (const ValueId input : node.inputs) {
    Shape shape = out;
    shape.set_dim(in_axis, node.op == OpType::kPack ? 1 : graph.value(input).shape.dim(in_axis));
    int input_axis = in_axis;
    const Bhwc in = with_axis(shape, input_axis);
    const auto at = [&](int dimension) { return axis == dimension ? place : 0; };
    if (in.vec4s() > 0) result.pieces.push_back({input, in, at(0), at(1), at(2), at(3)});
    place += axis == 0 ? in.b : axis == 1 ? in.h : axis == 2 ? in.w : in.c;
  }
  return result;
}

Status emit_concat(Emitter& emitter, const Node& node) {
  SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef whole, emitter.tensor(node.outputs[0]));
  const auto [out_shape, pieces] = pieces_of(emitter.graph(), node);
  TensorRef out{whole.tensor, out_shape, whole.scale};
  const bool in_place = same_layout(whole.shape, out_shape);
  if (!in_place) out = emitter.temporary("parts of " + node.origin, out_shape, whole);
  for (const Piece& piece : pieces) {
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef tensor, emitter.tensor(piece.value));
    if (emitter.is_part(tensor, out, piece.place(out_shape) * bytes_of(emitter.storage_of(out)))) continue;
    SIGHTGLASS_ASSIGN_OR_RETURN(const TensorRef in, viewed(emitter, node, tensor, piece.shape));
    const int32_t touched = (piece.c + in.shape.c - 1) / 4 - piece.c / 4 + 1;
    const bool misaligned = piece.c % 4 != 0;
    auto params = StepParams({in, out}).ints(piece.x, piece.y, piece.c, piece.b).ints(touched);
    const Grid grid{int64_t{in.shape.h} * in.shape.w, int64_t{in.shape.b} * touched};
    SIGHTGLASS_RETURN_IF_ERROR(emitter.add_step(concat_shader(misaligned), std::move(params), grid, {in}, {out},
                                                {.reads_output = misaligned, .activation = gpu_code(node.activation)}));
  }
  return in_place ? Status() : emit_reshape(emitter, out, whole);
}

std::optional<Storage> storage_as(const Value& value, const Value& other, Storage real) {
  const Storage storage = storage_of(value.type, value.quantization, real);
  const bool alike = storage == storage_of(other.type, other.quantization, real) &&
                     scale_of(value.type, value.quantization) == scale_of(other.type, other.quantization);
  return alike ? std::optional(storage) : std::nullopt;
}

std::vector<ShaderKey> concat_variants() {
  return storage_variants({concat_shader(false), concat_shader(true)}, "AO", true);
}

}  // namespace

void suggest_parts(Emitter& emitter, const Node& node) {
  if ((node.op != OpType::kConcat && node.op != OpType::kPack) || node.activation != Activation::kNone) return;
  const Graph& graph = emitter.graph();
  const Value& whole = graph.value(node.outputs[0]);
  const auto [shape, pieces] = pieces_of(graph, node);
  if (!same_layout(shape, Bhwc::from(whole.shape))) return;
  for (const Piece& piece : pieces) {
    const Value& value = graph.value(piece.value);
    const std::optional<Storage> storage = storage_as(value, whole, emitter.real_storage());
    if (value.producer == kNone || !storage || !piece.lies_together(shape)) continue;
    if (!same_layout(piece.shape, Bhwc::from(value.shape))) continue;
    const int64_t begin = piece.place(shape) * bytes_of(*storage), size = piece.shape.vec4s() * bytes_of(*storage);
    const bool to_the_end = piece.place(shape) + piece.shape.vec4s() == shape.vec4s();
    if (begin % kBlockBytes != 0 || (size % kBlockBytes != 0 && !to_the_end)) continue;
    emitter.suggest_part(piece.value, node.outputs[0], begin / kBlockBytes);
  }
}

std::vector<Kernel> concat_kernels(OpType op) {
  return {{op == OpType::kPack ? "pack" : "concat", supports_concat, emit_concat, concat_variants}};
}

}  // namespace sightglass
