#include "sightglass/interop/dmabuf_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace sightglass::interop {
namespace {

// Everything that the textures depend on.
Result<std::vector<uint64_t>> key_of(const DmabufFrame& frame, DmabufImport how) {
  std::vector<uint64_t> key = {static_cast<uint64_t>(how),
                               static_cast<uint64_t>(frame.width),
                               static_cast<uint64_t>(frame.height),
                               frame.fourcc,
                               frame.modifier,
                               static_cast<uint64_t>(frame.yuv_matrix),
                               frame.yuv_full_range ? 1U : 0U};
  const int planes = std::clamp(frame.plane_count, 0, static_cast<int>(frame.planes.size()));
  for (int i = 0; i < planes; ++i) {
    const DmabufPlane& plane = frame.planes[static_cast<size_t>(i)];
    struct stat file = {};
    if (::fstat(plane.fd, &file) != 0) {
      return invalid_argument("plane " + std::to_string(i) + " of the DMABUF (" + describe(frame) +
                              "): file descriptor " + std::to_string(plane.fd) +
                              " is not a buffer: " + std::strerror(errno));
    }
    key.insert(key.end(),
               {static_cast<uint64_t>(file.st_dev), static_cast<uint64_t>(file.st_ino), plane.offset, plane.stride});
  }
  return key;
}

}  // namespace

DmabufCache::DmabufCache(Importer importer, size_t capacity)
    : importer_(std::move(importer)), capacity_(std::max<size_t>(capacity, 1)) {}

DmabufCache::DmabufCache(std::shared_ptr<const DmabufImporter> importer, size_t capacity)
    : DmabufCache([importer = std::move(importer)](const DmabufFrame& frame,
                                                   DmabufImport how) { return importer->import(frame, how); },
                  capacity) {}

Result<const DmabufTextures*> DmabufCache::get(const DmabufFrame& frame, DmabufImport how) {
  auto key = key_of(frame, how);
  if (!key.ok()) return key.status();
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == *key; });
  if (found != entries_.end()) {
    ++hits_;
    entries_.splice(entries_.begin(), entries_, found);
    return &entries_.front().textures;
  }
  ++misses_;
  auto textures = importer_(frame, how);
  if (!textures.ok()) return textures.status();
  if (entries_.size() >= capacity_) {
    ++evictions_;
    entries_.pop_back();
  }
  entries_.push_front({std::move(key).value(), std::move(textures).value()});
  return &entries_.front().textures;
}

}  // namespace sightglass::interop
