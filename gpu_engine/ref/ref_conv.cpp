// Convolutions and the fully connected layer. Products and sums in double precision.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "ref/kernels.h"
#include "ref/ref_ops.h"

namespace sightglass::ref {

// Runs heavy kernels on several threads. Rows are independent, so results do not depend on the number of threads.

// Calls row(0) … row(rows - 1) once each, on up to one thread per core if the work justifies it. `work`: approximate
// multiplications per row. If a row throws, the caller gets the exception, and remaining rows are skipped.
void for_rows(int64_t rows, int64_t work, const std::function<void(int64_t)>& row);

void for_rows(int64_t rows, int64_t work, const std::function<void(int64_t)>& row) {
  // Starting a thread takes as long as some tens of thousands of multiplications.
  constexpr int64_t kWorkOfThread = 200'000;
  const int64_t worth = rows * std::max<int64_t>(work, 1) / kWorkOfThread;
  const int64_t cores = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  std::atomic<int64_t> next = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr thrown;  // from the first row that failed
  const auto take_rows = [&] {
    try {
      for (int64_t i = next++; i < rows && !failed; i = next++) row(i);
    } catch (...) {
      if (!failed.exchange(true)) thrown = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  try {
    for (int64_t i = 1; i < std::min({worth, cores, rows}); ++i) helpers.emplace_back(take_rows);
  } catch (...) {
    // No more threads or memory available: the running threads, including this one, process all rows.
  }
  take_rows();
  helpers.clear();
  if (thrown) std::rethrow_exception(thrown);
}

namespace {

// Weights [O, kh, kw, I] as [kh, kw, I, O], so that the innermost loop runs over output channels.
std::vector<double> outputs_innermost(const HostTensor& weights) {
  const size_t outputs = static_cast<size_t>(weights.shape.dim(0));
  const std::span<const float> from = weights.as<float>();
  const size_t rest = from.size() / outputs;
  std::vector<double> to(from.size());
  for (size_t o = 0; o < outputs; ++o) {
    for (size_t k = 0; k < rest; ++k) to[k * outputs + o] = from[o * rest + k];
  }
  return to;
}

// `input`: index of the bias input.
std::vector<double> bias_or_zeros(const Call& call, size_t input, int32_t channels) {
  if (!call.has(input)) return std::vector<double>(static_cast<size_t>(channels), 0.0);
  const std::span<const float> bias = call.floats(input);
  return {bias.begin(), bias.end()};
}

// sums[o] += data · weights[:, o]
void accumulate(const float* data, int32_t depth, const double* weights, std::vector<double>& sums) {
  const size_t outputs = sums.size();
  double* const sum = sums.data();
  for (int32_t i = 0; i < depth; ++i) {
    const double value = data[i];
    const double* const row = weights + static_cast<size_t>(i) * outputs;
    for (size_t o = 0; o < outputs; ++o) sum[o] += value * row[o];
  }
}

int64_t pixel(const Shape& shape, int64_t b, int64_t y, int64_t x) {
  return ((b * shape.dim(1) + y) * shape.dim(2) + x) * shape.dim(3);
}

bool inside(const Shape& shape, int64_t y, int64_t x) {
  return y >= 0 && y < shape.dim(1) && x >= 0 && x < shape.dim(2);
}

// For every output pixel: sums start as `first`; calls visit(sums, tap, input offset) for every tap that reads inside
// the input, then finish(sums, output offset). `window` has the rows and columns of taps as dimensions 1 and 2. `work`:
// multiplications per visit. Rows of pixels run in parallel: the callbacks write only their sums and their pixel.
template <typename Attr, typename Visit, typename Finish>
void slide(const Attr& attr, const Shape& in, const Shape& window, const Shape& out, int64_t work,
           const std::vector<double>& first, Visit visit, Finish finish) {
  const int64_t rows = int64_t{out.dim(0)} * out.dim(1);
  for_rows(rows, work * out.dim(2) * window.dim(1) * window.dim(2), [&](int64_t row) {
    const int64_t b = row / out.dim(1), y = row % out.dim(1);
    std::vector<double> sums;
    for (int32_t x = 0; x < out.dim(2); ++x) {
      sums = first;
      for (int32_t ky = 0; ky < window.dim(1); ++ky) {
        for (int32_t kx = 0; kx < window.dim(2); ++kx) {
          const int64_t iy = y * attr.stride_h - attr.padding.top + int64_t{ky} * attr.dilation_h;
          const int64_t ix = int64_t{x} * attr.stride_w - attr.padding.left + int64_t{kx} * attr.dilation_w;
          if (inside(in, iy, ix)) visit(sums, ky * window.dim(2) + kx, pixel(in, b, iy, ix));
        }
      }
      finish(sums, pixel(out, b, y, x));
    }
  });
}

// Each rounded, as with operators of their own.
void add_addend(const Call& call, std::vector<float>& data) {
  if (!call.has(kAddendInput)) return;
  std::ranges::transform(data, call.floats(kAddendInput), data.begin(), std::plus<float>());
}

// The data times the gate value of their channel, plus the addend; empty without both.
std::vector<float> changed_data(const Call& call) {
  if (!call.has(kGateInput) && !call.has(kAddendInput)) return {};
  const Shape& shape = call.shape(0);
  const auto channels = static_cast<size_t>(shape.dim(3));
  const size_t picture = static_cast<size_t>(shape.dim(1)) * static_cast<size_t>(shape.dim(2)) * channels;
  std::vector<float> data(call.floats(0).begin(), call.floats(0).end());
  for (size_t i = 0; call.has(kGateInput) && i < data.size(); ++i) {
    data[i] *= call.floats(kGateInput)[i / picture * channels + i % channels];
  }
  add_addend(call, data);
  return data;
}

// Each filter reads the channels of its group.
void grouped_conv2d(const Call& call, HostTensor& out) {
  const int64_t depth = call.shape(1).dim(3), taps = int64_t{call.shape(1).dim(1)} * call.shape(1).dim(2);
  const int64_t filters = call.shape(1).dim(0), filters_of_group = filters / (call.shape(0).dim(3) / depth);
  const float* const data = call.floats(0).data();
  const float* const weights = call.floats(1).data();
  const std::vector<double> bias = bias_or_zeros(call, 2, out.shape.dim(3));
  slide(
      call.attributes<Conv2dAttr>(), call.shape(0), call.shape(1), out.shape, depth * filters, bias,
      [&](std::vector<double>& sums, int32_t tap, int64_t from) {
        for (int64_t o = 0; o < filters; ++o) {
          const float* const channels = data + from + o / filters_of_group * depth;
          const float* const filter = weights + (o * taps + tap) * depth;
          for (int64_t i = 0; i < depth; ++i) sums[static_cast<size_t>(o)] += double{channels[i]} * double{filter[i]};
        }
      },
      [&](const std::vector<double>& sums, int64_t to) { std::ranges::copy(sums, out.as<float>().data() + to); });
}

// Convolves `data` of shape `in` with the weights of input 1.
void convolve(const Call& call, const Conv2dAttr& attr, const float* data, const Shape& in, HostTensor& out) {
  const int32_t depth = in.dim(3);
  const std::vector<double> weights = outputs_innermost(call.input(1));
  const std::vector<double> bias = bias_or_zeros(call, 2, out.shape.dim(3));
  float* const result = out.as<float>().data();
  slide(
      attr, in, call.shape(1), out.shape, int64_t{depth} * out.shape.dim(3), bias,
      [&](std::vector<double>& sums, int32_t tap, int64_t from) {
        accumulate(data + from, depth, weights.data() + static_cast<size_t>(tap) * depth * sums.size(), sums);
      },
      [&](const std::vector<double>& sums, int64_t to) { std::ranges::copy(sums, result + to); });
  if (!call.node.residual_last) add_residual(call, out);
}

// `weights` and `bias`: input indices.
void convolve_depthwise(const Call& call, const DepthwiseConv2dAttr& attr, size_t weights, size_t bias,
                        HostTensor& out) {
  const int32_t channels = out.shape.dim(3);
  const float* const data = call.floats(0).data();
  const float* const filters = call.floats(weights).data();
  float* const result = out.as<float>().data();
  slide(
      attr, call.shape(0), call.shape(weights), out.shape, channels, bias_or_zeros(call, bias, channels),
      [&](std::vector<double>& sums, int32_t tap, int64_t from) {
        const float* const row = filters + int64_t{tap} * channels;
        for (int32_t o = 0; o < channels; ++o) {
          sums[static_cast<size_t>(o)] += double{data[from + o / attr.multiplier]} * double{row[o]};
        }
      },
      [&](const std::vector<double>& sums, int64_t to) { std::ranges::copy(sums, result + to); });
}

}  // namespace

namespace {

// The residual, in the height and width of the output.
HostTensor sampled_residual(const Call& call, const Shape& out) {
  const bool pools = call.node.residual_sampling == ResidualSampling::kPooled;
  Node sampling = call.node;
  sampling.op = pools ? OpType::kMaxPool2d : OpType::kResizeBilinear;
  sampling.attributes =
      pools ? Attributes(Pool2dAttr{{}, 2, 2, 2, 2}) : Attributes(ResizeAttr{out.dim(1), out.dim(2), false, true});
  const std::vector<const HostTensor*> inputs{&call.input(kResidualInput)};
  HostTensor sampled(DataType::kFloat32, {out.dim(0), out.dim(1), out.dim(2), inputs[0]->shape.dim(3)});
  (pools ? pool2d : resize_bilinear)({call.graph, sampling, inputs}, sampled);
  return sampled;
}

}  // namespace

void add_residual(const Call& call, HostTensor& out) {
  if (!call.has(kResidualInput)) return;
  const bool samples = call.node.residual_sampling != ResidualSampling::kNone;
  const HostTensor sampled = samples ? sampled_residual(call, out.shape) : HostTensor();
  const HostTensor& other = samples ? sampled : call.input(kResidualInput);
  const Shape& residual = other.shape;
  const int64_t channels = out.shape.dim(3), pixels = out.shape.elements() / std::max<int64_t>(channels, 1);
  const int64_t added = residual.dim(3);  // channels, the first ones
  const int64_t shared = is_of_first_channels(residual, out.shape) ? 1 : int64_t{out.shape.dim(1)} * out.shape.dim(2);
  for (int64_t p = 0; p < pixels; ++p) {
    const float* const from = other.as<float>().data() + p / shared * added;
    for (int64_t o = 0; o < added; ++o) out.as<float>()[static_cast<size_t>(p * channels + o)] += from[o];
  }
}

void conv2d(const Call& call, HostTensor& out) {
  if (call.shape(1).dim(3) != call.shape(0).dim(3)) return grouped_conv2d(call, out);
  const std::vector<float> changed = changed_data(call);
  const float* const data = changed.empty() ? call.floats(0).data() : changed.data();
  convolve(call, call.attributes<Conv2dAttr>(), data, call.shape(0), out);
}

void depthwise_conv2d(const Call& call, HostTensor& out) {
  convolve_depthwise(call, call.attributes<DepthwiseConv2dAttr>(), 1, 2, out);
  if (!call.node.residual_last) add_residual(call, out);
}

void depthwise_pointwise(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<DepthwisePointwiseAttr>();
  const Shape& shape = out.shape;
  const int32_t per_sum = attr.spread ? 2 : 1;  // rows and columns
  HostTensor between(DataType::kFloat32,
                     {shape.dim(0), shape.dim(1) / per_sum, shape.dim(2) / per_sum, call.shape(0).dim(3)});
  convolve_depthwise(call, attr.depthwise, kDepthwiseWeights, kDepthwiseBias, between);
  std::vector<float> data(between.as<float>().begin(), between.as<float>().end());
  for (float& v : data) v = apply(attr.between, v);
  add_addend(call, data);
  if (!attr.spread) return convolve(call, {}, data.data(), between.shape, out);
  HostTensor four(DataType::kFloat32, {shape.dim(0), shape.dim(1) / 2, shape.dim(2) / 2, 4});
  convolve(call, {}, data.data(), between.shape, four);
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const int64_t row = i / shape.dim(2), column = i % shape.dim(2), phase = row % 2 * 2 + column % 2;
    const int64_t pixel_of_four = row / 2 * (shape.dim(2) / 2) + column / 2;
    out.as<float>()[static_cast<size_t>(i)] = four.as<float>()[static_cast<size_t>(pixel_of_four * 4 + phase)];
  }
}

void squeeze_excite(const Call& call, HostTensor& out) {
  const Shape& in = call.shape(0);
  const int32_t channels = in.dim(3);
  const int64_t pixels = int64_t{in.dim(1)} * in.dim(2);
  const bool two = call.has(kSqueezeWeights);
  const int32_t between = two ? call.shape(kSqueezeWeights).dim(0) : channels;
  const std::vector<double> weights = two ? outputs_innermost(call.input(kSqueezeWeights)) : std::vector<double>();
  std::vector<float> data(call.floats(0).begin(), call.floats(0).end()), squeezed;
  add_addend(call, data);
  for (int32_t b = 0; b < in.dim(0); ++b) {
    std::vector<double> totals(static_cast<size_t>(channels), 0.0);
    for (int64_t i = 0; i < pixels * channels; ++i) {
      totals[static_cast<size_t>(i % channels)] += data[static_cast<size_t>(b * pixels * channels + i)];
    }
    std::vector<float> means;
    for (const double total : totals) means.push_back(static_cast<float>(total / static_cast<double>(pixels)));
    if (!two) {
      squeezed.insert(squeezed.end(), means.begin(), means.end());
      continue;
    }
    std::vector<double> sums = bias_or_zeros(call, kSqueezeBias, between);
    accumulate(means.data(), channels, weights.data(), sums);
    for (const double sum : sums) {
      squeezed.push_back(apply(call.attributes<SqueezeExciteAttr>().between, static_cast<float>(sum)));
    }
  }
  convolve(call, {}, squeezed.data(), {in.dim(0), 1, 1, between}, out);
}

void transpose_conv(const Call& call, HostTensor& out) {
  const auto& attr = call.attributes<TransposeConvAttr>();
  const Shape& in = call.shape(0);
  const Shape& taps = call.shape(1);
  const std::vector<double> weights = outputs_innermost(call.input(1));
  const std::vector<double> bias = bias_or_zeros(call, 2, out.shape.dim(3));
  // Every input pixel contributes to the outputs in its reach; one vector of sums per output pixel.
  std::vector<std::vector<double>> sums(static_cast<size_t>(out.shape.elements() / out.shape.dim(3)), bias);
  for (int32_t b = 0; b < in.dim(0); ++b) {
    for (int32_t i = 0; i < in.dim(1); ++i) {
      for (int32_t j = 0; j < in.dim(2); ++j) {
        const float* const data = call.floats(0).data() + pixel(in, b, i, j);
        for (int32_t ky = 0; ky < taps.dim(1); ++ky) {
          for (int32_t kx = 0; kx < taps.dim(2); ++kx) {
            const int64_t y = int64_t{i} * attr.stride_h + ky - attr.padding.top;
            const int64_t x = int64_t{j} * attr.stride_w + kx - attr.padding.left;
            if (!inside(out.shape, y, x)) continue;
            const size_t tap = static_cast<size_t>(ky * taps.dim(2) + kx) * static_cast<size_t>(in.dim(3));
            accumulate(data, in.dim(3), weights.data() + tap * bias.size(),
                       sums[static_cast<size_t>(pixel(out.shape, b, y, x) / out.shape.dim(3))]);
          }
        }
      }
    }
  }
  float* result = out.as<float>().data();
  for (const std::vector<double>& pixel_sums : sums) result = std::ranges::copy(pixel_sums, result).out;
}

void fully_connected(const Call& call, HostTensor& out) {
  const size_t units = static_cast<size_t>(call.shape(1).dim(0));
  const int32_t depth = call.shape(1).dim(1);
  const std::vector<double> weights = outputs_innermost(call.input(1));
  const std::vector<double> bias = bias_or_zeros(call, 2, call.shape(1).dim(0));
  const size_t rows = out.as<float>().size() / units;
  for_rows(static_cast<int64_t>(rows), int64_t{depth} * static_cast<int64_t>(units), [&](int64_t row) {
    const auto i = static_cast<size_t>(row);
    std::vector<double> sums = bias;
    accumulate(call.floats(0).data() + i * static_cast<size_t>(depth), depth, weights.data(), sums);
    std::ranges::copy(sums, out.as<float>().data() + i * units);
  });
}

// Batched matrix products.

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

std::vector<double> matrix_product(const Call& call, const Shape& out) {
  const auto& attr = call.attributes<BatchMatmulAttr>();
  const Shape &x = call.shape(0), &y = call.shape(1);
  const auto row = static_cast<size_t>(out.rank() - 2), column = row + 1;
  const int32_t x_columns = x.dim(x.rank() - 1), y_columns = y.dim(y.rank() - 1);
  const int32_t depth = attr.adj_x ? x.dim(x.rank() - 2) : x_columns;

  Strides x_strides = batch_strides(x, out), y_strides = batch_strides(y, out);
  x_strides[row] = attr.adj_x ? 1 : x_columns;
  y_strides[column] = attr.adj_y ? y_columns : 1;
  const int64_t x_step = attr.adj_x ? x_columns : 1, y_step = attr.adj_y ? 1 : y_columns;
  const std::vector<int64_t> x_from = offsets(out, x_strides), y_from = offsets(out, y_strides);
  const float *const a = call.floats(0).data(), *const b = call.floats(1).data();
  std::vector<double> result(static_cast<size_t>(out.elements()));
  const auto width = static_cast<size_t>(out.dim(out.rank() - 1));
  for_rows(static_cast<int64_t>(result.size() / width), int64_t{depth} * static_cast<int64_t>(width), [&](int64_t r) {
    for (size_t i = static_cast<size_t>(r) * width; i < static_cast<size_t>(r + 1) * width; ++i) {
      double sum = 0;
      for (int32_t k = 0; k < depth; ++k) sum += double{a[x_from[i] + k * x_step]} * b[y_from[i] + k * y_step];
      result[i] = sum;
    }
  });
  return result;
}

void batch_matmul(const Call& call, HostTensor& out) {
  std::ranges::transform(matrix_product(call, out.shape), out.as<float>().begin(),
                         [](double sum) { return static_cast<float>(sum); });
}

}  // namespace sightglass::ref
