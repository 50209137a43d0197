#include "video/video_job.h"

#include <gst/gst.h>

#include <algorithm>

#include "video/gst_objects.h"
#include "video/gst_setup.h"
#include "video/launch_text.h"

namespace sightglass::video {

namespace {

// Whether the muxer takes audio with these caps as it is.
bool takes(const std::string& muxer, const std::string& caps_text) {
  const CapsPtr caps(gst_caps_from_string(caps_text.c_str()));
  const ObjectPtr<GstElementFactory> factory(gst_element_factory_find(muxer.c_str()));
  return caps != nullptr && factory != nullptr && gst_element_factory_can_sink_any_caps(factory.get(), caps.get());
}

// Parsers complete the caps of streams that stay compressed, and change their packaging to what the muxer takes.
struct Parser {
  const char* family;  // the beginning of caps
  const char* element;
};
constexpr Parser kParsers[] = {
    {"audio/mpeg,mpegversion=1", "mpegaudioparse"},
    {"audio/mpeg,mpegversion=2", "aacparse"},
    {"audio/mpeg,mpegversion=4", "aacparse"},
    {"audio/x-ac3", "ac3parse"},
    {"audio/x-eac3", "ac3parse"},
    {"audio/x-dts", "dcaparse"},
    {"audio/x-flac", "flacparse"},
};

// The installed parser of a family; null if there is none.
const char* parser_of(const std::string& family) {
  for (const Parser& parser : kParsers) {
    if (family.starts_with(parser.family) && installed(parser.element)) return parser.element;
  }
  return nullptr;
}

// The caps of a stream without those that its parser can change.
std::string caps_after_parser(const std::string& caps_text) {
  const CapsPtr caps(gst_caps_make_writable(gst_caps_from_string(caps_text.c_str())));
  GstStructure* structure = gst_caps_get_structure(caps.get(), 0);
  gst_structure_remove_fields(structure, "stream-format", "framed", "parsed", "alignment", "codec_data", nullptr);
  const TextPtr text(gst_caps_to_string(caps.get()));
  return text.get();
}

// Media type and version, without what only holds for this stream.
std::string family_of(const std::string& caps_text) {
  const CapsPtr caps(gst_caps_from_string(caps_text.c_str()));
  const GstStructure* structure = gst_caps_get_structure(caps.get(), 0);
  std::string family = gst_structure_get_name(structure);
  for (const char* field : {"mpegversion", "layer"}) {
    int value = 0;
    if (gst_structure_get_int(structure, field, &value))
      family += std::string(",") + field + "=" + std::to_string(value);
  }
  return family;
}

struct Audio {
  std::string kept;  // caps of audio that stays compressed; empty: it is decoded, or there is none
  std::string text;  // of its branch, in gst-launch syntax; empty: none
};

Audio audio_of(const VideoJob& job) {
  const std::string& caps = job.input.media.audio_caps;
  if (caps.empty() || job.output.kind != Output::Kind::kVideo) return {};
  const std::string begin = std::string(" ") + kDecoderElement + ". ! ";
  // The pad is named because a queue, which accepts everything, would also be linked to a pad for video.
  const std::string end = std::string(" ! ") + kMuxerElement + "." + kMuxerAudioPad;
  // An encoder of video keeps some seconds of frames. Until it returns the first one, the muxer takes no audio.
  const std::string queue = " ! queue max-size-buffers=0 max-size-time=0 max-size-bytes=67108864";
  const std::string family = family_of(caps);
  const char* const parser = parser_of(family);
  if (takes(job.output.muxer, parser != nullptr ? caps_after_parser(caps) : caps)) {
    return {family, begin + family + queue + (parser != nullptr ? std::string(" ! ") + parser : "") + end};
  }
  if (job.output.audio_encoder.empty()) return {};
  return {{}, begin + "audio/x-raw" + queue + " ! audioconvert ! audioresample ! " + job.output.audio_encoder + end};
}

}  // namespace

std::string lost_audio(const VideoJob& job) {
  if (job.input.media.audio_caps.empty() || job.output.kind != Output::Kind::kVideo || !audio_of(job).text.empty()) {
    return {};
  }
  return job.output.name +
         ": has no audio, because no encoder for it is installed; try the packages gstreamer1.0-libav and "
         "gstreamer1.0-plugins-bad";
}

int VideoJob::limit() const { return seconds.value_or(input.endless() && output.is_file() ? kSecondsOfFile : 0); }

std::string element_text(const VideoJob& job, const std::string& background) {
  PropertyValues properties = job.properties;
  if (!background.empty()) properties["background"] = background;
  return job.element + launch_text(properties);
}

std::string launch_text(const VideoJob& job) {
  const Audio audio = audio_of(job);
  SourceLimits limits;
  // Files get a lower frame rate, because a machine without a GPU is slow.
  if (job.output.kind != Output::Kind::kWindow) limits.figure_rate = 15;
  limits.seconds = job.limit();
  limits.kept_audio = audio.kept;
  std::string text = source_text(job.input, limits);
  text += " ! " + job.element + " name=" + kModelElement + launch_text(job.properties);
  const bool camera = job.input.kind == Input::Kind::kCamera;
  const std::string sink = sink_text(job.output, job.input.kind == Input::Kind::kFigures,
                                     camera ? job.input.format.width : job.input.media.width,
                                     camera ? job.input.format.height : job.input.media.height);
  if (job.results.empty()) {
    text += " ! " + sink;
  } else {
    const std::string file = job.results == "-" ? "fdsink fd=1" : "filesink location=" + quoted(job.results);
    // An encoder returns its first frame late, and results may not come at all. Until both sinks have their first data,
    // the queue keeps lines of text, which are small, and the pipeline does not wait for them.
    text += " ! tee name=split ! queue ! " + sink +
            " split. ! resultsjson ! queue max-size-buffers=0 max-size-time=0 max-size-bytes=67108864 ! " + file +
            " name=" + kResultsElement + " sync=false async=false";
  }
  return text + audio.text;
}

}  // namespace sightglass::video
