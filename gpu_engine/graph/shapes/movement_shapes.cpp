// Operators that only move elements.
#include <algorithm>
#include <array>

#include "graph/shapes/node_shapes.h"

namespace sightglass {

namespace {

std::vector<int64_t> dims_of(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

Status need_pictures(const NodeShapes& n, const BatchSpaceAttr& attr) {
  const Shape& in = n.shape(0);
  const size_t dims = attr.block.size();
  if (dims == 0 || in.rank() < static_cast<int>(dims) + 1) {
    return n.wrong_input(0, "has no " + std::to_string(dims) + " dimensions for blocks behind the batch");
  }
  if (attr.before.size() != dims || attr.after.size() != dims) {
    return n.wrong("it has blocks of " + std::to_string(dims) + " dimensions, but not as many paddings or crops");
  }
  for (size_t i = 0; i < dims; ++i) {
    if (attr.block[i] < 1) return n.wrong("its block size " + std::to_string(attr.block[i]) + " is not positive");
    if (attr.before[i] < 0 || attr.after[i] < 0) return n.wrong("its paddings or crops are negative");
  }
  return {};
}

// Saturating product: values above kMaxElements stay above.
int64_t product(int64_t a, int64_t b) {
  const bool large = b != 0 && a > NodeShapes::kMaxElements / b;
  return large ? NodeShapes::kMaxElements + 1 : a * b;
}

}  // namespace

Result<Shape> infer_transpose(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const std::vector<int32_t>& permutation = n.attributes<TransposeAttr>().permutation;
  const Shape& in = n.shape(0);
  std::vector<bool> taken(static_cast<size_t>(in.rank()), false);
  bool valid = permutation.size() == taken.size();
  std::vector<int64_t> dims;
  for (size_t d = 0; valid && d < permutation.size(); ++d) {
    const int32_t from = permutation[d];
    valid = from >= 0 && from < in.rank() && !taken[static_cast<size_t>(from)];
    if (!valid) break;
    taken[static_cast<size_t>(from)] = true;
    dims.push_back(in.dim(from));
  }
  if (!valid) return n.wrong_input(0, "needs a permutation of its dimensions");
  return n.make(dims);
}

Result<std::vector<Shape>> infer_split(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const auto& a = n.attributes<SplitAttr>();
  const Shape& in = n.shape(0);
  if (a.axis < 0 || a.axis >= in.rank()) return n.wrong_input(0, "has no axis " + std::to_string(a.axis));
  int64_t sum = 0;
  std::vector<Shape> shapes;
  for (const int32_t size : a.sizes) {
    if (size < 0 || (a.drop_axis && size != 1)) return n.wrong("it has a part of size " + std::to_string(size));
    sum += size;
    std::vector<int64_t> dims = dims_of(in);
    dims[static_cast<size_t>(a.axis)] = size;
    if (a.drop_axis) dims.erase(dims.begin() + a.axis);
    SIGHTGLASS_ASSIGN_OR_RETURN(const Shape shape, n.make(dims));
    shapes.push_back(shape);
  }
  if (sum != in.dim(a.axis)) {
    return n.wrong_input(
        0, "cannot be split into parts of " + std::to_string(sum) + " in all along axis " + std::to_string(a.axis));
  }
  return shapes;
}

Result<Shape> infer_pack(const NodeShapes& n) {
  const size_t count = n.node().inputs.size();
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, std::numeric_limits<size_t>::max()));
  const int32_t axis = n.attributes<ConcatAttr>().axis;
  for (size_t i = 1; i < count; ++i) {
    if (!n.has(i)) return n.wrong("input " + std::to_string(i) + " is missing");
    if (n.shape(i) != n.shape(0)) return n.wrong_input(i, "is not of the shape " + n.shape(0).to_string());
  }
  if (axis < 0 || axis > n.shape(0).rank()) return n.wrong("its axis " + std::to_string(axis) + " does not exist");
  std::vector<int64_t> dims = dims_of(n.shape(0));
  dims.insert(dims.begin() + axis, static_cast<int64_t>(count));
  return n.make(dims);
}

Result<Shape> infer_tile(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const std::vector<int32_t>& multiples = n.attributes<TileAttr>().multiples;
  std::vector<int64_t> dims = dims_of(n.shape(0));
  if (multiples.size() != dims.size()) return n.wrong_input(0, "needs a multiple for each of its dimensions");
  for (size_t d = 0; d < dims.size(); ++d) {
    if (multiples[d] < 0) return n.wrong("its multiple " + std::to_string(multiples[d]) + " is negative");
    dims[d] = product(dims[d], multiples[d]);
  }
  return n.make(dims);
}

Result<Shape> infer_mirror_pad(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const auto& a = n.attributes<MirrorPadAttr>();
  std::vector<int64_t> dims = dims_of(n.shape(0));
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t most = a.symmetric ? dims[d] : dims[d] - 1;
    for (const int32_t padding : {a.before[d], a.after[d]}) {
      if (padding < 0 || (padding > 0 && padding > most)) {
        return n.wrong_input(0, "cannot be mirrored into a padding of " + std::to_string(padding) + " of dimension " +
                                    std::to_string(d));
      }
    }
    dims[d] += int64_t{a.before[d]} + a.after[d];
  }
  return n.make(dims);
}

Result<Shape> infer_space_to_depth(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  const int64_t block = n.attributes<BlockSizeAttr>().block_size;
  const Shape& in = n.shape(0);
  if (block < 1 || in.dim(1) % block != 0 || in.dim(2) % block != 0) {
    return n.wrong_input(0, "cannot be cut into blocks of " + std::to_string(block));
  }
  return n.make(std::array<int64_t, 4>{in.dim(0), in.dim(1) / block, in.dim(2) / block,
                                       product(product(in.dim(3), block), block)});
}

Result<Shape> infer_space_to_batch(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const auto& a = n.attributes<BatchSpaceAttr>();
  SIGHTGLASS_RETURN_IF_ERROR(need_pictures(n, a));
  std::vector<int64_t> dims = dims_of(n.shape(0));
  for (size_t i = 0; i < a.block.size(); ++i) {
    const int64_t padded = dims[i + 1] + a.before[i] + a.after[i];
    if (padded % a.block[i] != 0) {
      return n.wrong_input(0, "has " + std::to_string(padded) + " elements along dimension " + std::to_string(i + 1) +
                                  " when padded, which is not a multiple of the block size " +
                                  std::to_string(a.block[i]));
    }
    dims[i + 1] = padded / a.block[i];
    dims[0] = product(dims[0], a.block[i]);
  }
  return n.make(dims);
}

Result<Shape> infer_batch_to_space(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const auto& a = n.attributes<BatchSpaceAttr>();
  SIGHTGLASS_RETURN_IF_ERROR(need_pictures(n, a));
  std::vector<int64_t> dims = dims_of(n.shape(0));
  for (size_t i = 0; i < a.block.size(); ++i) {
    if (dims[0] % a.block[i] != 0) return n.wrong_input(0, "has no batch of its blocks");
    dims[0] /= a.block[i];
    dims[i + 1] = product(dims[i + 1], a.block[i]);
    // The complete image exists before it is cropped.
    SIGHTGLASS_RETURN_IF_ERROR(n.make(dims).status());
  }
  for (size_t i = 0; i < a.block.size(); ++i) {
    const int64_t cut = int64_t{a.before[i]} + a.after[i];
    if (cut > dims[i + 1]) {
      return n.wrong("its crops of " + std::to_string(cut) + " are more than the " + std::to_string(dims[i + 1]) +
                     " elements of dimension " + std::to_string(i + 1));
    }
    dims[i + 1] -= cut;
  }
  return n.make(dims);
}

Result<Shape> infer_gather(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, 2));
  const auto& a = n.attributes<GatherAttr>();
  const Shape &data = n.shape(0), &indices = n.shape(1);
  if (a.axis < 0 || a.axis >= data.rank()) return n.wrong_input(0, "has no axis " + std::to_string(a.axis));
  if (a.batch_dims < 0 || a.batch_dims > a.axis || a.batch_dims > indices.rank()) {
    return n.wrong("it cannot share " + std::to_string(a.batch_dims) + " batch dimensions");
  }
  std::vector<int64_t> dims;
  for (int d = 0; d < a.axis; ++d) dims.push_back(data.dim(d));
  for (int d = 0; d < a.batch_dims; ++d) {
    if (indices.dim(d) != data.dim(d)) return n.wrong_input(1, "is not of the batches of " + data.to_string());
  }
  for (int d = a.batch_dims; d < indices.rank(); ++d) dims.push_back(indices.dim(d));
  for (int d = a.axis + 1; d < data.rank(); ++d) dims.push_back(data.dim(d));
  if (data.dim(a.axis) == 0) return n.wrong_input(0, "has nothing to gather");
  return n.make(dims);
}

Result<Shape> infer_gather_nd(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(2, 2));
  const Shape &data = n.shape(0), &indices = n.shape(1);
  if (indices.rank() < 1) return n.wrong_input(1, "has no places in its last dimension");
  const int depth = indices.dim(indices.rank() - 1);
  if (depth < 1 || depth > data.rank()) {
    return n.wrong_input(1, "has " + std::to_string(depth) + " coordinates for data of shape " + data.to_string());
  }
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  for (int d = depth; d < data.rank(); ++d) dims.push_back(data.dim(d));
  if (data.elements() == 0) return n.wrong_input(0, "has nothing to gather");
  return n.make(dims);
}

// Operators that change the layout of elements.

Result<Shape> infer_concat(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, std::numeric_limits<size_t>::max()));
  const int32_t axis = n.attributes<ConcatAttr>().axis;
  for (size_t i = 0; i < n.node().inputs.size(); ++i) {
    if (!n.has(i)) return n.wrong("input " + std::to_string(i) + " is missing");
  }
  const Shape& first = n.shape(0);
  if (axis < 0 || axis >= first.rank()) return n.wrong_input(0, "has no axis " + std::to_string(axis));
  std::vector<int64_t> dims(first.dims().begin(), first.dims().end());
  for (size_t i = 1; i < n.node().inputs.size(); ++i) {
    const Shape& next = n.shape(i);
    bool fits = next.rank() == first.rank();
    for (int d = 0; fits && d < first.rank(); ++d) fits = d == axis || next.dim(d) == first.dim(d);
    if (!fits) {
      return n.wrong_input(i, "cannot be joined with " + first.to_string() + " along axis " + std::to_string(axis));
    }
    dims[static_cast<size_t>(axis)] += next.dim(axis);
  }
  return n.make(dims);
}

Result<Shape> infer_pad(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const auto& a = n.attributes<PadAttr>();
  std::vector<int64_t> dims;
  for (int d = 0; d < n.shape(0).rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    if (a.before[i] < 0 || a.after[i] < 0) return n.wrong("its padding is negative");
    dims.push_back(int64_t{n.shape(0).dim(d)} + a.before[i] + a.after[i]);
  }
  return n.make(dims);
}

Result<Shape> infer_reshape(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const Shape& to = n.attributes<ReshapeAttr>().shape;
  const std::vector<int64_t> dims(to.dims().begin(), to.dims().end());
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape checked, n.make(dims));
  if (checked.elements() != n.shape(0).elements()) return n.wrong_input(0, "cannot become " + to.to_string());
  return checked;
}

Result<Shape> infer_strided_slice(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  const auto& a = n.attributes<StridedSliceAttr>();
  const Shape& in = n.shape(0);
  std::vector<int64_t> taken;
  for (int d = 0; d < in.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const int64_t last = a.begin[i] + (int64_t{a.size[i]} - 1) * a.stride[i];
    if (a.stride[i] == 0 || a.size[i] < 0) return n.wrong("its stride is 0 or its size negative");
    if (a.size[i] > 0 && (a.begin[i] < 0 || a.begin[i] >= in.dim(d) || last < 0 || last >= in.dim(d))) {
      return n.wrong_input(0, "does not reach from " + std::to_string(a.begin[i]) + " to " + std::to_string(last) +
                                  " along axis " + std::to_string(d));
    }
    taken.push_back(a.size[i]);
  }
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape all, n.make(taken));
  const std::vector<int64_t> dims(a.shape.dims().begin(), a.shape.dims().end());
  SIGHTGLASS_ASSIGN_OR_RETURN(const Shape out, n.make(dims));
  if (all.elements() != out.elements()) {
    return n.wrong("its slice of " + all.to_string() + " cannot become " + out.to_string());
  }
  return out;
}

Result<Shape> infer_resize(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  const auto& a = n.attributes<ResizeAttr>();
  if (a.out_h < 1 || a.out_w < 1) {
    return n.wrong("its output size is " + std::to_string(a.out_h) + " x " + std::to_string(a.out_w));
  }
  return n.make(std::array<int64_t, 4>{n.shape(0).dim(0), a.out_h, a.out_w, n.shape(0).dim(3)});
}

Result<Shape> infer_depth_to_space(const NodeShapes& n) {
  SIGHTGLASS_RETURN_IF_ERROR(n.need_inputs(1, 1));
  SIGHTGLASS_RETURN_IF_ERROR(n.need_rank(0, 4));
  const int64_t block = n.attributes<BlockSizeAttr>().block_size;
  const Shape& in = n.shape(0);
  if (block < 1 || block > NodeShapes::kMaxElements || in.dim(3) % (block * block) != 0) {
    return n.wrong_input(0, "cannot be split into blocks of " + std::to_string(block));
  }
  return n.make(std::array<int64_t, 4>{in.dim(0), in.dim(1) * block, in.dim(2) * block, in.dim(3) / (block * block)});
}

}  // namespace sightglass
