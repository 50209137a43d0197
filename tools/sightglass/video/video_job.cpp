#include "video/video_job.h"

#include <gst/gst.h>

#include <algorithm>

#include "video/gst_objects.h"
#include "video/launch_text.h"

namespace sightglass::video {

namespace {

// Whether the muxer takes audio with these caps as it is.
bool takes(const std::string& muxer, const std::string& caps_text) {
  const CapsPtr caps(gst_caps_from_string(caps_text.c_str()));
  const ObjectPtr<GstElementFactory> factory(gst_element_factory_find(muxer.c_str()));
  return caps != nullptr && factory != nullptr && gst_element_factory_can_sink_any_caps(factory.get(), caps.get());
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
  const std::string end = std::string(" ! ") + kMuxerElement + ".audio_0";
  if (takes(job.output.muxer, caps)) {
    const std::string family = family_of(caps);
    return {family, begin + family + " ! queue" + end};
  }
  if (job.output.audio_encoder.empty()) return {};
  return {{}, begin + "audio/x-raw ! queue ! audioconvert ! audioresample ! " + job.output.audio_encoder + end};
}

}  // namespace

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
  const std::string sink = sink_text(job.output, job.input.kind == Input::Kind::kFigures);
  if (job.results.empty()) {
    text += " ! " + sink;
  } else {
    const std::string file = job.results == "-" ? "fdsink fd=1" : "filesink location=" + quoted(job.results);
    text += " ! tee name=split ! queue ! " + sink + " split. ! queue ! resultsjson ! " + file +
            " name=" + kResultsElement + " sync=false";
  }
  return text + audio.text;
}

}  // namespace sightglass::video
