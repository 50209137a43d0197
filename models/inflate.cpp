#include "inflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace sightglass {

namespace {

// zlib counts in 32 bits.
uInt next_part(size_t left) { return static_cast<uInt>(std::min<size_t>(left, std::numeric_limits<uInt>::max())); }

struct Stream : z_stream {
  Stream() : z_stream{} {
    constexpr int kRaw = -MAX_WBITS;  // without a header
    is_ready = inflateInit2(this, kRaw) == Z_OK;
  }
  ~Stream() {
    if (is_ready) inflateEnd(this);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  bool is_ready;
};

}  // namespace

Result<std::vector<std::byte>> inflate(std::span<const std::byte> data, size_t bytes) {
  Stream stream;
  if (!stream.is_ready) return resource_exhausted("cannot be decompressed: out of memory");
  std::vector<std::byte> result(bytes);
  std::byte none{};  // zlib requires an address even for no bytes
  size_t read = 0, written = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    const uInt in = next_part(data.size() - read), out = next_part(bytes - written);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data() + read));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(bytes > 0 ? result.data() + written : &none);
    stream.avail_out = out;
    state = ::inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
  }
  if (state == Z_MEM_ERROR) return resource_exhausted("cannot be decompressed: out of memory");
  if (state == Z_BUF_ERROR && written == bytes && read < data.size()) {
    return invalid_model("is damaged: it decompresses to more than the stated " + std::to_string(bytes) + " bytes");
  }
  if (state != Z_STREAM_END) return invalid_model("is damaged: its compressed data are invalid or truncated");
  if (written != bytes) {
    return invalid_model("is damaged: it decompresses to " + std::to_string(written) + " bytes, not the stated " +
                         std::to_string(bytes));
  }
  return result;
}

uint32_t crc32_of(std::span<const std::byte> data) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

}  // namespace sightglass
