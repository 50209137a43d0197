// Pictures as model inputs, on the CPU: what the `sightglass` command feeds to a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu_engine/input_transform.h"
#include "gpu_engine/status.h"
#include "gpu_engine/tensor.h"

namespace sightglass {

// Rows from top to bottom, without padding. Grey pictures come as RGB with three equal channels.
struct Picture {
  int32_t width = 0, height = 0;
  int32_t channels = 3;  // 3: RGB, 4: RGBA with straight alpha
  std::vector<uint8_t> pixels;
};

// PNG, JPEG and whatever else gdk-pixbuf reads, of at most `largest_side` pixels in each direction: what a texture of
// the device can have. The stored pixel values, exactly: no colour management. The error names the file.
Result<Picture> load_picture(const std::string& path, int32_t largest_side);

// Writes a PNG. The error names the file.
Status save_png(const Picture& picture, const std::string& path);

// What an 8-bit sample becomes in a float32 tensor: value = sample * scale + offset, in float32.
struct Normalisation {
  float scale = 1.0f / 255.0f, offset = 0.0f;
  // 0 becomes low, 255 becomes high.
  static Normalisation from_range(double low, double high);
};

// Fills a tensor 1×H×W×C (or H×W×C) of 1, 3 or 4 channels, of float32, uint8 (the samples as they are) or int8 (samples
// less 128). A picture of the tensor's size is taken as it is; any other is sampled bilinearly at the pixel centres
// that `fit` gives, bars being black. One channel is the luma; a fourth channel is the alpha, 0 for pictures without.
Result<HostTensor> picture_to_tensor(const Picture& picture, DataType type, const Shape& shape,
                                     const Normalisation& normalisation = {}, Fit fit = Fit::kStretch);

}  // namespace sightglass
