#include "model/picture_input.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "pictures.h"
#include "sightglass/frame_ref.h"

namespace sightglass {
namespace {

template <typename T, typename Draw>
void fill_with(std::span<std::byte> bytes, Draw draw) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    const T value = draw();
    std::memcpy(bytes.data() + at, &value, sizeof(T));
  }
}

}  // namespace

uint64_t RandomStream::next() {
  state_ += 0x9E3779B97F4A7C15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

bool RandomStream::fill(DataType type, std::span<std::byte> bytes) {
  switch (type) {
    case DataType::kFloat32:
      fill_with<float>(bytes, [this] { return static_cast<float>(next() >> 40) * 0x1p-24f; });
      return true;
    case DataType::kUInt8:
      fill_with<uint8_t>(bytes, [this] { return static_cast<uint8_t>(next() >> 56); });
      return true;
    case DataType::kInt8:
      fill_with<int8_t>(bytes, [this] { return static_cast<int8_t>(static_cast<int>(next() >> 56) - 128); });
      return true;
    case DataType::kInt32:
      fill_with<int32_t>(bytes, [this] { return static_cast<int32_t>((next() >> 33) % 8); });
      return true;
    case DataType::kInt64:
      fill_with<int64_t>(bytes, [this] { return static_cast<int64_t>((next() >> 33) % 8); });
      return true;
    case DataType::kBool:
      fill_with<uint8_t>(bytes, [this] { return static_cast<uint8_t>(next() >> 63); });
      return true;
    case DataType::kFloat16:
    case DataType::kInt16:
      return false;
  }
  return false;
}

namespace {

using Rgba = std::array<float, 4>;

Rgba sample_at(const Picture& picture, int32_t x, int32_t y) {
  x = std::clamp(x, 0, picture.width - 1);
  y = std::clamp(y, 0, picture.height - 1);
  const uint8_t* p =
      &picture.pixels[(static_cast<size_t>(y) * static_cast<size_t>(picture.width) + static_cast<size_t>(x)) *
                      static_cast<size_t>(picture.channels)];
  Rgba out{};
  for (int32_t c = 0; c < picture.channels; ++c) out[static_cast<size_t>(c)] = p[c];
  return out;
}

// x and y are in pixels; pixel centers are at halves.
Rgba sample_bilinear(const Picture& picture, float x, float y) {
  const float left = std::floor(x - 0.5f), top = std::floor(y - 0.5f);
  const float wx = x - 0.5f - left, wy = y - 0.5f - top;
  const auto column = static_cast<int32_t>(left), row = static_cast<int32_t>(top);
  const Rgba a = sample_at(picture, column, row), b = sample_at(picture, column + 1, row);
  const Rgba c = sample_at(picture, column, row + 1), d = sample_at(picture, column + 1, row + 1);
  Rgba out;
  for (size_t i = 0; i < out.size(); ++i) {
    const float upper = a[i] + (b[i] - a[i]) * wx;
    const float lower = c[i] + (d[i] - c[i]) * wx;
    out[i] = upper + (lower - upper) * wy;
  }
  return out;
}

// The mean of a cell of width × height pixels around x and y, as shaders/lib/frame.glsl computes it.
Rgba sample_cell(const Picture& picture, float x, float y, float width, float height) {
  const auto fetches_along = [](float pixels) {
    constexpr float kRounding = 0.02f;
    return std::clamp(static_cast<int>(std::ceil(0.5f * pixels - kRounding)), 1, kMostFetches);
  };
  const int across = fetches_along(width), down = fetches_along(height);
  const auto place = [](int i, int count) { return (static_cast<float>(i) + 0.5f) / static_cast<float>(count) - 0.5f; };
  Rgba mean{};
  for (int i = 0; i < across * down; ++i) {
    const Rgba sample =
        sample_bilinear(picture, x + width * place(i % across, across), y + height * place(i / across, down));
    for (size_t c = 0; c < mean.size(); ++c) mean[c] += sample[c] / static_cast<float>(across * down);
  }
  return mean;
}

float luma(const Rgba& v) {
  // Rec. 601, in thousandths, so that gray stays exactly the same.
  return (299.0f * v[0] + 587.0f * v[1] + 114.0f * v[2]) / 1000.0f;
}

void store(DataType type, std::byte* to, float sample, const Normalization& normalization) {
  if (type == DataType::kFloat32) {
    const float value = sample * normalization.scale + normalization.offset;
    std::memcpy(to, &value, sizeof(value));
    return;
  }
  const auto rounded = static_cast<int>(std::lround(sample));
  *to = static_cast<std::byte>(type == DataType::kInt8 ? rounded - 128 : rounded);
}

}  // namespace

Result<Picture> load_picture(const std::string& path, int32_t largest_side) {
  const Result<PixbufPtr> decoded = decode_picture(path, largest_side);
  if (!decoded.ok()) return decoded.status().with_context("image " + path);
  const PixbufPtr& pixbuf = *decoded;
  Picture picture;
  picture.width = gdk_pixbuf_get_width(pixbuf.get());
  picture.height = gdk_pixbuf_get_height(pixbuf.get());
  picture.channels = gdk_pixbuf_get_n_channels(pixbuf.get());
  const size_t row_bytes = static_cast<size_t>(picture.width) * static_cast<size_t>(picture.channels);
  const auto stride = static_cast<size_t>(gdk_pixbuf_get_rowstride(pixbuf.get()));
  const guint8* pixels = gdk_pixbuf_read_pixels(pixbuf.get());
  picture.pixels.resize(row_bytes * static_cast<size_t>(picture.height));
  for (size_t y = 0; y < static_cast<size_t>(picture.height); ++y) {
    std::memcpy(picture.pixels.data() + y * row_bytes, pixels + y * stride, row_bytes);
  }
  return picture;
}

Normalization Normalization::from_range(double low, double high) {
  return {static_cast<float>((high - low) / 255.0), static_cast<float>(low)};
}

Result<HostTensor> picture_to_tensor(const Picture& picture, DataType type, const Shape& shape,
                                     const Normalization& normalization, Fit fit) {
  if (type != DataType::kFloat32 && type != DataType::kUInt8 && type != DataType::kInt8) {
    return unsupported(std::string("an image cannot fill a tensor of type ") + to_string(type) +
                       "; use float32, uint8, or int8");
  }
  const bool image_rank = shape.rank() == 3 || (shape.rank() == 4 && shape.dim(0) == 1);
  const int32_t channels = image_rank ? shape.dim(shape.rank() - 1) : 0;
  if (channels != 1 && channels != 3 && channels != 4) {
    return unsupported("an image cannot fill a tensor of shape " + shape.to_string() +
                       "; use a shape 1xHxWxC with 1, 3, or 4 channels");
  }
  const int32_t height = shape.dim(shape.rank() - 3), width = shape.dim(shape.rank() - 2);
  const bool same_size = picture.width == width && picture.height == height;
  const InputTransform transform = make_input_transform(picture.width, picture.height, width, height, fit);
  const auto& m = transform.m;
  // Of a pixel of the tensor, in pixels of the image.
  const float cell_width = std::abs(m[0]) * static_cast<float>(picture.width) / static_cast<float>(width);
  const float cell_height = std::abs(m[4]) * static_cast<float>(picture.height) / static_cast<float>(height);

  HostTensor tensor(type, shape);
  std::byte* to = tensor.data.data();
  const size_t element = size_of(type);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      Rgba sample{};
      if (same_size) {
        sample = sample_at(picture, x, y);
      } else {
        const float tx = (static_cast<float>(x) + 0.5f) / static_cast<float>(width);
        const float ty = (static_cast<float>(y) + 0.5f) / static_cast<float>(height);
        const float u = m[0] * tx + m[1] * ty + m[2], v = m[3] * tx + m[4] * ty + m[5];
        if (u >= 0 && u <= 1 && v >= 0 && v <= 1) {
          sample = sample_cell(picture, u * static_cast<float>(picture.width), v * static_cast<float>(picture.height),
                               cell_width, cell_height);
        }
      }
      if (channels == 1) sample[0] = luma(sample);
      for (int32_t c = 0; c < channels; ++c, to += element) {
        // A fourth channel that the image lacks is 0 in the tensor, not the normalized value of 0.
        const bool absent = c >= picture.channels;
        store(type, to, sample[static_cast<size_t>(c)], absent ? Normalization{0.0f, 0.0f} : normalization);
      }
    }
  }
  return tensor;
}

}  // namespace sightglass
