// The camera of the virtual machine, through V4L2 only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sightglass/interop/dmabuf.h"
#include "sightglass/interop/unique_fd.h"

namespace sightglass::test {

// A capture device whose buffers are exported as DMABUFs, and mapped so that tests can read and write them.
class V4l2Camera {
 public:
  struct Buffer {
    interop::UniqueFd dmabuf;
    uint8_t* bytes = nullptr;
    size_t size = 0;
  };

  // `pixel_format` is a V4L2 format. Returns null, with the reason in `why`, if the camera does not provide exactly
  // that.
  static std::unique_ptr<V4l2Camera> open(uint32_t pixel_format, int32_t width, int32_t height, std::string& why);
  ~V4l2Camera();
  V4l2Camera(const V4l2Camera&) = delete;
  V4l2Camera& operator=(const V4l2Camera&) = delete;

  const std::vector<Buffer>& buffers() const { return buffers_; }
  uint32_t stride() const { return stride_; }  // bytes, of the first plane

  bool start();
  // Returns the index of a buffer with a new frame, which the camera does not reuse until give_back(); negative on
  // failure.
  int take();
  bool give_back(int index);

 private:
  V4l2Camera() = default;

  interop::UniqueFd device_;
  uint32_t stride_ = 0;
  std::vector<Buffer> buffers_;
};

}  // namespace sightglass::test
