// Batched matrix products.
#include "ref/kernels.h"
#include "ref/threads.h"

namespace sightglass::ref {
namespace {

// Step of one operand along each dimension of the result, batches first; 0 if it broadcasts. The caller adds row and
// column.
Strides batch_strides(const Shape& operand, const Shape& result) {
  const Strides dense = dense_strides(operand);
  Strides strides{};
  for (int d = 0; d < result.rank() - 2; ++d) {
    const int own = d - (result.rank() - operand.rank());
    if (own >= 0 && operand.dim(own) > 1) strides[static_cast<size_t>(d)] = dense[static_cast<size_t>(own)];
  }
  return strides;
}

}  // namespace

void batch_matmul(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<BatchMatmulAttr>();
  const Shape &x = call.shape(0), &y = call.shape(1);
  const auto row = static_cast<size_t>(out.shape.rank() - 2), column = row + 1;
  const int32_t x_columns = x.dim(x.rank() - 1), y_columns = y.dim(y.rank() - 1);
  const int32_t depth = attr.adj_x ? x.dim(x.rank() - 2) : x_columns;

  Strides x_strides = batch_strides(x, out.shape), y_strides = batch_strides(y, out.shape);
  x_strides[row] = attr.adj_x ? 1 : x_columns;
  y_strides[column] = attr.adj_y ? y_columns : 1;
  const int64_t x_step = attr.adj_x ? x_columns : 1, y_step = attr.adj_y ? 1 : y_columns;
  const std::vector<int64_t> x_from = offsets(out.shape, x_strides), y_from = offsets(out.shape, y_strides);
  const float *const a = call.floats(0).data(), *const b = call.floats(1).data();
  const std::span<float> result = out.as<float>();
  const auto width = static_cast<size_t>(out.shape.dim(out.shape.rank() - 1));
  for_rows(static_cast<int64_t>(result.size() / width), int64_t{depth} * static_cast<int64_t>(width), [&](int64_t r) {
    for (size_t i = static_cast<size_t>(r) * width; i < static_cast<size_t>(r + 1) * width; ++i) {
      double sum = 0;
      for (int32_t k = 0; k < depth; ++k) sum += double{a[x_from[i] + k * x_step]} * b[y_from[i] + k * y_step];
      result[i] = static_cast<float>(sum);
    }
  });
}

}  // namespace sightglass::ref
