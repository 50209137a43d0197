#include "tflite/input_shapes.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

namespace sightglass::tflite {
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

Result<InputShape> shape_of_open_input(const schema::SubGraph& subgraph, const ImageSize& size,
                                       std::vector<FileTensor>& tensors) {
  const std::vector<FileTensor*> inputs = inputs_of(subgraph, tensors);
  const std::string wanted = std::to_string(size.width) + "x" + std::to_string(size.height);
  if (inputs.empty() || inputs[0] == nullptr) return invalid_argument("no input takes the size " + wanted);
  const schema::Tensor& declared = *subgraph.tensors()->Get(static_cast<uint32_t>(inputs[0]->index));
  const auto *shape = declared.shape(), *signature = declared.shape_signature();
  const bool has_signature = shape != nullptr && signature != nullptr && signature->size() == shape->size();
  const auto* dims = has_signature ? signature : shape;
  std::vector<int32_t> whole;
  const int32_t sizes[] = {size.height, size.width};
  size_t open = 0;
  for (uint32_t d = 0; dims != nullptr && d < dims->size() && d < Shape::kMaxRank; ++d) {
    const int32_t dim = dims->Get(d);
    const bool takes_size = dim < 0 && d > 0;
    whole.push_back(dim >= 0 ? dim : takes_size && open < std::size(sizes) ? sizes[open] : 1);
    if (takes_size) ++open;
  }
  if (open != std::size(sizes)) {
    return invalid_argument("cannot set the size " + wanted + " for input " + quote(inputs[0]->name) + ": the file " +
                            (open == 0 ? "has a fixed size; leave it unset"
                                       : "leaves " + std::to_string(open) + " dimensions open, not height and width"));
  }
  return InputShape{std::to_string(0), Shape(whole)};
}

std::string describe(std::span<const InputShape> shapes) {
  std::string text;
  for (const InputShape& entry : shapes) {
    text += (text.empty() ? "" : ", ") + quote(entry.input) + " as " + entry.shape.to_string();
  }
  return text;
}

}  // namespace sightglass::tflite
