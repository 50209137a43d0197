#include "v4l2_camera.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace sightglass::test {
namespace {

constexpr uint32_t kType = V4L2_BUF_TYPE_VIDEO_CAPTURE;
constexpr uint32_t kBuffers = 4;

template <typename T>
bool request(int fd, unsigned long number, T& argument) {
  int result = 0;
  do {
    result = ::ioctl(fd, number, &argument);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

v4l2_buffer buffer_number(uint32_t index) {
  v4l2_buffer buffer = {};
  buffer.type = kType;
  buffer.memory = V4L2_MEMORY_MMAP;
  buffer.index = index;
  return buffer;
}

}  // namespace

std::unique_ptr<V4l2Camera> V4l2Camera::open(uint32_t pixel_format, int32_t width, int32_t height, std::string& why) {
  std::unique_ptr<V4l2Camera> camera(new V4l2Camera);
  const auto fail = [&](const std::string& what) {
    why = what + ": " + std::strerror(errno);
    return nullptr;
  };
  camera->device_.reset(::open("/dev/video0", O_RDWR | O_CLOEXEC));
  const int fd = camera->device_.get();
  if (fd < 0) return fail("/dev/video0");
  v4l2_format format = {};
  format.type = kType;
  format.fmt.pix.width = static_cast<uint32_t>(width);
  format.fmt.pix.height = static_cast<uint32_t>(height);
  format.fmt.pix.pixelformat = pixel_format;
  if (!request(fd, VIDIOC_S_FMT, format)) return fail("the format");
  if (format.fmt.pix.pixelformat != pixel_format || format.fmt.pix.width != static_cast<uint32_t>(width) ||
      format.fmt.pix.height != static_cast<uint32_t>(height)) {
    why = "the camera gives another format or size";
    return nullptr;
  }
  camera->stride_ = format.fmt.pix.bytesperline;
  // As fast as possible.
  v4l2_streamparm rate = {};
  rate.type = kType;
  rate.parm.capture.timeperframe = {1, 60};
  if (!request(fd, VIDIOC_S_PARM, rate)) return fail("the frame rate");
  v4l2_requestbuffers buffers = {};
  buffers.count = kBuffers;
  buffers.type = kType;
  buffers.memory = V4L2_MEMORY_MMAP;
  if (!request(fd, VIDIOC_REQBUFS, buffers)) return fail("buffers");
  for (uint32_t i = 0; i < buffers.count; ++i) {
    v4l2_buffer query = buffer_number(i);
    if (!request(fd, VIDIOC_QUERYBUF, query)) return fail("a buffer");
    v4l2_exportbuffer exported = {};
    exported.type = kType;
    exported.index = i;
    exported.flags = O_RDWR | O_CLOEXEC;
    if (!request(fd, VIDIOC_EXPBUF, exported)) return fail("exporting a buffer");
    Buffer buffer;
    buffer.dmabuf.reset(exported.fd);
    buffer.size = query.length;
    void* mapped = mmap(nullptr, query.length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, query.m.offset);
    if (mapped == MAP_FAILED) return fail("mapping a buffer");
    buffer.bytes = static_cast<uint8_t*>(mapped);
    camera->buffers_.push_back(std::move(buffer));
  }
  return camera;
}

V4l2Camera::~V4l2Camera() {
  for (const Buffer& buffer : buffers_) munmap(buffer.bytes, buffer.size);
}

bool V4l2Camera::start() {
  for (uint32_t i = 0; i < buffers_.size(); ++i) {
    if (!give_back(static_cast<int>(i))) return false;
  }
  uint32_t type = kType;
  return request(device_.get(), VIDIOC_STREAMON, type);
}

int V4l2Camera::take() {
  pollfd wait = {device_.get(), POLLIN, 0};
  v4l2_buffer buffer = buffer_number(0);
  if (poll(&wait, 1, 60'000) <= 0 || !request(device_.get(), VIDIOC_DQBUF, buffer)) return -1;
  return static_cast<int>(buffer.index);
}

bool V4l2Camera::give_back(int index) {
  v4l2_buffer buffer = buffer_number(static_cast<uint32_t>(index));
  return request(device_.get(), VIDIOC_QBUF, buffer);
}

}  // namespace sightglass::test
