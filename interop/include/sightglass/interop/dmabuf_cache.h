// Cache of imported frames, keyed by buffer.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "sightglass/interop/dmabuf_import.h"

namespace sightglass::interop {

// Cameras and decoders cycle through a few buffers, and on some drivers importing costs more than drawing. Buffers are
// identified by kernel inode (st_dev and st_ino; Linux 5.3 and later), never by file descriptor number, because
// descriptors are reused. A cached frame keeps the memory of its buffer alive: call `clear()` when the source changes
// its buffers. Only one thread at a time, that of the context.
class DmabufCache {
 public:
  using Importer = std::function<Result<DmabufTextures>(const DmabufFrame&, DmabufImport)>;

  // Keeps up to `capacity` frames, the most recently used. More than the source has buffers (V4L2: 32 at most) is
  // useless; fewer makes every frame a miss.
  explicit DmabufCache(Importer importer, size_t capacity = 32);
  explicit DmabufCache(std::shared_ptr<const DmabufImporter> importer, size_t capacity = 32);

  // Returns the textures of the frame, imported unless cached. Valid until the next call of get() or clear().
  Result<const DmabufTextures*> get(const DmabufFrame& frame, DmabufImport how);
  // Drops all entries; the context rules of DmabufTextures apply.
  void clear() { entries_.clear(); }

  size_t size() const { return entries_.size(); }
  uint64_t hits() const { return hits_; }
  uint64_t misses() const { return misses_; }        // attempted imports
  uint64_t evictions() const { return evictions_; }  // entries dropped when full

 private:
  struct Entry {
    std::vector<uint64_t> key;
    DmabufTextures textures;
  };

  Importer importer_;
  size_t capacity_;
  std::list<Entry> entries_;  // most recently used first
  uint64_t hits_ = 0, misses_ = 0, evictions_ = 0;
};

}  // namespace sightglass::interop
