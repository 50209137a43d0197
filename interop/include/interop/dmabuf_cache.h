// Imported frames, kept for the next time that their buffer comes by.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <vector>

#include "interop/dmabuf_import.h"

namespace sightglass::interop {

// Cameras and decoders send the same few buffers round and round, and importing costs more than drawing on some
// drivers. Buffers are told apart by what the kernel calls them (st_dev and st_ino; Linux 5.3 and later), never by the
// numbers of file descriptors, which are used again. What is kept keeps its buffer's memory alive: call `clear()` when
// the source changes its buffers. For one thread at a time, that of the context.
class DmabufCache {
 public:
  using Importer = std::function<Result<DmabufTextures>(const DmabufFrame&, DmabufImport)>;

  // Keeps up to `capacity` frames, those used last. More than sources have buffers (V4L2: 32 at most) is of no use;
  // fewer than the source has makes every frame a miss.
  explicit DmabufCache(Importer importer, size_t capacity = 32);
  explicit DmabufCache(std::shared_ptr<const DmabufImporter> importer, size_t capacity = 32);

  // The frame's textures, imported unless they are here. Valid until the next call of get() or clear().
  Result<const DmabufTextures*> get(const DmabufFrame& frame, DmabufImport how);
  // Forgets all; the context's rules are those of DmabufTextures.
  void clear() { entries_.clear(); }

  size_t size() const { return entries_.size(); }
  uint64_t hits() const { return hits_; }
  uint64_t misses() const { return misses_; }        // imports that were tried
  uint64_t evictions() const { return evictions_; }  // for want of room

 private:
  struct Entry {
    std::vector<uint64_t> key;
    DmabufTextures textures;
  };

  Importer importer_;
  size_t capacity_;
  std::list<Entry> entries_;  // the one used last comes first
  uint64_t hits_ = 0, misses_ = 0, evictions_ = 0;
};

}  // namespace sightglass::interop
