#include "video/numbered_images.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "gpu_engine/output_file.h"
#include "video/gst_objects.h"

namespace sightglass::video {

namespace {

constexpr std::string_view kDigits = "0123456789";

std::string with_doubled_percent(const std::string& text) {
  std::string out;
  for (const char c : text) out.append(c == '%' ? 2 : 1, c);
  return out;
}

}  // namespace

std::optional<NumberedName> parse_numbered_name(const std::string& name) {
  constexpr size_t kMostDigits = 3;  // of the width, with the leading zero
  const size_t slash = name.rfind('/');
  for (size_t percent = name.rfind('%');
       percent != std::string::npos && (slash == std::string::npos || percent > slash);
       percent = percent == 0 ? std::string::npos : name.rfind('%', percent - 1)) {
    const size_t end = name.find_first_not_of(kDigits, percent + 1);
    if (end == std::string::npos || name[end] != 'd' || end - percent - 1 > kMostDigits) continue;
    return NumberedName{name.substr(0, percent), name.substr(percent, end + 1 - percent), name.substr(end + 1)};
  }
  return {};
}

std::string NumberedName::at(uint64_t number) const {
  const std::string digits = std::to_string(number);
  const bool zeros = conversion[1] == '0';
  size_t width = 0;
  for (const char c : conversion) {
    if (kDigits.find(c) != std::string_view::npos) width = 10 * width + static_cast<size_t>(c - '0');
  }
  return before + std::string(width - std::min(width, digits.size()), zeros ? '0' : ' ') + digits + after;
}

std::string NumberedName::format() const {
  return with_doubled_percent(before) + conversion + with_doubled_percent(after);
}

bool NumberedName::matches(const std::string& name) const {
  if (name.size() <= before.size() + after.size() || !name.starts_with(before) || !name.ends_with(after)) return false;
  const std::string_view middle =
      std::string_view(name).substr(before.size(), name.size() - before.size() - after.size());
  return middle.find_first_not_of(" 0123456789") == std::string_view::npos;
}

NumberedImages::NumberedImages(GstElement* pipeline, const char* element, NumberedName name) : name_(std::move(name)) {
  const ElementPtr sink(gst_bin_get_by_name(GST_BIN(pipeline), element));
  // No frame reaches the sink, so it must not wait for one.
  g_object_set(sink.get(), "async", FALSE, nullptr);
  const PadPtr pad(gst_element_get_static_pad(sink.get(), "sink"));
  gst_pad_add_probe(pad.get(), GST_PAD_PROBE_TYPE_BUFFER, on_image, this, nullptr);
}

GstPadProbeReturn NumberedImages::on_image(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  const ElementPtr sink(gst_pad_get_parent_element(pad));
  if (sink != nullptr) static_cast<NumberedImages*>(data)->write(sink.get(), GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_DROP;
}

void NumberedImages::write(GstElement* sink, GstBuffer* buffer) {
  GstMapInfo map;
  if (!gst_buffer_map(buffer, &map, GST_MAP_READ)) {
    GST_ELEMENT_ERROR(sink, RESOURCE, READ, ("cannot read an encoded image"), (nullptr));
    return;
  }
  const Status written = write_output_file(
      name_.at(next_++), std::as_bytes(std::span(static_cast<const guint8*>(map.data), static_cast<size_t>(map.size))));
  gst_buffer_unmap(buffer, &map);
  if (!written.ok()) GST_ELEMENT_ERROR(sink, RESOURCE, WRITE, ("%s", written.message().c_str()), (nullptr));
}

}  // namespace sightglass::video
