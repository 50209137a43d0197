#include "video/video_job.h"

#include <gst/gst.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "common/process.h"
#include "element_names.h"
#include "video/contact_sheet.h"
#include "video/frame_layout.h"
#include "video/gst_setup.h"
#include "video/output.h"
#include "video/output_file.h"
#include "video/stream_control.h"

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

namespace {

// Rows: input, mask if there is one, result.
Status write_contact_sheet(const VideoJob& job, const std::vector<SamplePtr>& samples) {
  std::vector<std::string> rows = {"identity"};
  if (job.element == elements::kSegment.bin) rows.push_back(element_text(job, "mask"));
  rows.push_back(element_text(job));
  return write_contact_sheet(samples, rows, job.contact_sheet);
}

// The names of the written files, separated by commas.
std::string written_files(const VideoJob& job) {
  const bool files = job.output.is_file() || job.output.kind == Output::Kind::kImages;
  std::string names = files ? job.output.name : "";
  for (const std::string& name : {job.results, job.contact_sheet}) {
    if (!name.empty() && name != "-") names += (names.empty() ? "" : ", ") + name;
  }
  return names;
}

// Pipes cannot be rewritten at the end: containers need a form without a list of all frames.
void prepare_for_pipe(GstElement* pipeline) {
  const ElementPtr muxer(gst_bin_get_by_name(GST_BIN(pipeline), kMuxerElement));
  if (muxer == nullptr) return;
  constexpr guint kFragmentMilliseconds = 1000;
  GObjectClass* const kind = G_OBJECT_GET_CLASS(muxer.get());
  if (g_object_class_find_property(kind, "fragment-duration") != nullptr) {
    g_object_set(muxer.get(), "fragment-duration", kFragmentMilliseconds, nullptr);
  }
  if (g_object_class_find_property(kind, "streamable") != nullptr) {
    g_object_set(muxer.get(), "streamable", TRUE, nullptr);
  }
}

// A camera without a device file is there if GStreamer lists it.
bool is_available(const Camera& camera) {
  std::error_code error;
  return camera.path.empty() ? choose_camera(find_cameras(), camera.name).ok()
                             : std::filesystem::exists(camera.path, error);
}

}  // namespace

PlayerSettings input_settings(const Input& input, const VideoTask& task) {
  PlayerSettings settings;
  settings.input_name = input.name;
  if (input.kind == Input::Kind::kAddress) settings.input_hint = "; check the address, and whether its server runs";
  settings.duration = input.media.seconds;
  settings.input_time =
      input.kind == Input::Kind::kFile || input.kind == Input::Kind::kAddress || input.kind == Input::Kind::kPipe;
  // A desktop portal sends a frame when something on the screen changes.
  settings.steady = !input.cast;
  settings.renders = input.kind == Input::Kind::kFigures;
  settings.keys = input.kind != Input::Kind::kPipe;
  settings.models = [&task] { return installed_models(task); };
  if (input.kind == Input::Kind::kCamera) {
    settings.camera_text = input.camera.source;
    settings.camera_available = [camera = input.camera] { return is_available(camera); };
  }
  return settings;
}

Result<PlaybackResult> run_job(const VideoJob& job, const PlayerSettings& settings, PlaybackReport& report,
                               std::optional<UnfinishedFile> claimed) {
  // From here on there may be an incomplete file, which a signal must not leave.
  catch_interrupts();
  const std::string text = launch_text(job);
  SIGHTGLASS_ASSIGN_OR_RETURN(const ElementPtr pipeline, parse_launch(text));
  correct_demuxers(pipeline.get());
  if (!claimed) {
    SIGHTGLASS_ASSIGN_OR_RETURN(UnfinishedFile opened,
                                UnfinishedFile::open(job.output.is_file() ? job.output.name : std::string()));
    claimed.emplace(std::move(opened));
  }
  UnfinishedFile file = *std::move(claimed);
  SIGHTGLASS_ASSIGN_OR_RETURN(UnfinishedFile results,
                              UnfinishedFile::open(job.results == "-" ? std::string() : job.results));
  SIGHTGLASS_RETURN_IF_ERROR(file.attach(pipeline.get(), kFileElement));
  if (!file.seekable()) prepare_for_pipe(pipeline.get());
  SIGHTGLASS_RETURN_IF_ERROR(results.attach(pipeline.get(), kResultsElement));
  std::optional<NumberedImages> images;
  if (job.output.kind == Output::Kind::kImages) {
    images.emplace(pipeline.get(), kFileElement, *parse_numbered_name(job.output.name));
  }
  const ElementPtr element(gst_bin_get_by_name(GST_BIN(pipeline.get()), kModelElement));
  auto samples = std::make_unique<FrameSamples>();
  if (!job.contact_sheet.empty()) samples->watch(element.get());
  // A reader of standard output that leaves is an error of the element that writes, so that files are completed.
  if (!written_files(job).empty()) std::signal(SIGPIPE, SIG_IGN);
  report.starting(text);
  if (const std::string lost = lost_audio(job); !lost.empty()) report.note("warning", lost);
  keep_sizes_even(pipeline.get());
  reject_small_frames(pipeline.get(), kMuxerElement);
  keep_last_frames(pipeline.get(), kMuxerElement);
  const Playback playback = play(pipeline.get(), element.get(), settings, report);
  PlaybackResult result = playback.result;
  if (!playback.complete) {
    if (has_hung_pipeline()) static_cast<void>(samples.release());
    return playback.status.ok() ? device_error("the output is incomplete") : playback.status;
  }
  SIGHTGLASS_RETURN_IF_ERROR(file.finish());
  SIGHTGLASS_RETURN_IF_ERROR(results.finish());
  constexpr size_t kColumns = 4;
  if (!job.contact_sheet.empty() && !has_hung_pipeline()) {
    SIGHTGLASS_RETURN_IF_ERROR(write_contact_sheet(job, samples->take(kColumns)));
  }
  if (has_hung_pipeline()) static_cast<void>(samples.release());
  report.finished(result, written_files(job));
  const std::string cut =
      job.input.kind == Input::Kind::kFile && !result.stopped ? describe_cut(job.input.name) : std::string();
  if (!cut.empty()) result.incomplete = job.input.name + ": " + cut + "; the output has what is there";
  if (playback.status.ok()) return result;
  const std::string kept = written_files(job);
  if (kept.empty()) return playback.status;
  result.incomplete =
      playback.status.message() + "; the " + std::to_string(result.frames) + " frames until then are in " + kept;
  return result;
}

Status add_properties(const std::string& element, const std::vector<std::string>& texts, PropertyValues& values) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return invalid_argument("--property " + text + ": use NAME=VALUE");
    values[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return check_values(element, values);
}

void complete_properties(PropertyValues& values, bool results) {
  if (values.contains("background-location") && !values.contains("background")) values["background"] = "image";
  if (results && !values.contains("results")) values["results"] = "meta";
}

}  // namespace sightglass::video
