#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "fetch_model.h"

namespace sightglass {

namespace {

constexpr int kAttempts = 4;
constexpr int64_t kLargestFile = int64_t{1} << 28;  // far above any model; stops an endless response
constexpr long kConnectSeconds = 15, kLeastBytesPerSecond = 1024, kRedirections = 5;
constexpr long kRangeNotSatisfiable = 416;
constexpr std::chrono::milliseconds kTimerError{100};  // libcurl keeps its own time

using Curl = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;

using Url = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  std::string result = text;
  curl_free(text);
  return result;
}

struct Answer {
  CURLcode code = CURLE_OK;
  long http_status = 0;
  std::string message;  // from libcurl
};

// One request, whose response body is appended to the file.
class Transfer {
 public:
  Transfer(CURL* curl, PartFile& part, const KnownModel& model, const FetchOptions& options)
      : curl_(curl), part_(part), model_(model), options_(options), before_(part.size()) {}

  Answer run(const HttpSource& source, std::chrono::milliseconds limit) {
    std::array<char, CURL_ERROR_SIZE> message{};
    // Never downgrades from https to http.
    const char* protocols = source.address.starts_with("https:") ? "https" : "http,https";
    curl_easy_reset(curl_);
    curl_easy_setopt(curl_, CURLOPT_URL, source.address.c_str());
    if (!source.user.empty()) curl_easy_setopt(curl_, CURLOPT_USERNAME, source.user.c_str());
    if (!source.password.empty()) curl_easy_setopt(curl_, CURLOPT_PASSWORD, source.password.c_str());
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, static_cast<long>(limit.count()));
    curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, protocols);
    curl_easy_setopt(curl_, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
    curl_easy_setopt(curl_, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl_, CURLOPT_MAXREDIRS, kRedirections);
    curl_easy_setopt(curl_, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_USERAGENT, "sightglass");
    curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
    curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options_.stall_seconds));
    curl_easy_setopt(curl_, CURLOPT_RESUME_FROM_LARGE, static_cast<curl_off_t>(before_));
    curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, message.data());
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &Transfer::write);
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(curl_, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl_, CURLOPT_XFERINFOFUNCTION, &Transfer::progress);
    curl_easy_setopt(curl_, CURLOPT_XFERINFODATA, this);
    Answer answer;
    answer.code = curl_easy_perform(curl_);
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &answer.http_status);
    answer.message = message[0] != '\0' ? message.data() : curl_easy_strerror(answer.code);
    return answer;
  }

  int64_t limit() const { return model_.published.bytes > 0 ? model_.published.bytes : kLargestFile; }
  bool too_long() const { return too_long_; }
  const Status& written() const { return written_; }

 private:
  static size_t write(const char* data, size_t, size_t count, void* self) {
    auto* that = static_cast<Transfer*>(self);
    that->too_long_ = that->part_.size() + static_cast<int64_t>(count) > that->limit();
    if (!that->too_long_) that->written_ = that->part_.append({data, count});
    return that->too_long_ || !that->written_.ok() ? 0 : count;
  }
  static int progress(void* self, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
    const auto* that = static_cast<Transfer*>(self);
    const int64_t all = total > 0 ? that->before_ + total : that->model_.published.bytes;
    if (that->options_.progress) that->options_.progress(that->model_.published.name, that->before_ + done, all);
    return 0;
  }

  CURL* curl_;
  PartFile& part_;
  const KnownModel& model_;
  const FetchOptions& options_;
  int64_t before_;
  bool too_long_ = false;
  Status written_;
};

// Whether the connection ended before the file did: the rest can be requested at once.
bool broke_off(CURLcode code) {
  return code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING;
}

std::string describe(const Answer& answer, const FetchOptions& options, const HttpSource& source, bool in_time) {
  switch (answer.code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
      return answer.message + (options.mirror.empty() ? "; to use a server of your own, set SIGHTGLASS_MODEL_MIRROR"
                                                      : "; this server comes from SIGHTGLASS_MODEL_MIRROR");
    case CURLE_OPERATION_TIMEDOUT:
      if (!in_time) {
        return "it takes longer than " + std::to_string(options.total_seconds) + " seconds; set a higher --timeout";
      }
      return answer.message + "; for a slow server, set a higher --stall-timeout";
    case CURLE_SSL_CACERT_BADFILE:
      return answer.message + "; install the package ca-certificates";
    case CURLE_UNSUPPORTED_PROTOCOL:
      return answer.message + (source.address.starts_with("https:")
                                   ? "; from an https URL, only redirects to https are followed"
                                   : "; only redirects to http and https are followed");
    default:
      return answer.message;
  }
}

}  // namespace

Result<HttpSource> mirror_source(const std::string& mirror, const std::string& file) {
  const std::string variable = "SIGHTGLASS_MODEL_MIRROR";
  const Url url(curl_url(), curl_url_cleanup);
  if (!url) return internal_error("cannot initialize libcurl");
  if (curl_url_set(url.get(), CURLUPART_URL, mirror.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK) {
    // The message must not repeat it: it may contain a password.
    return invalid_argument(variable + " is not a URL; set it to https://SERVER/DIRECTORY");
  }
  HttpSource source;
  source.user = part_of(url.get(), CURLUPART_USER, CURLU_URLDECODE);
  source.password = part_of(url.get(), CURLUPART_PASSWORD, CURLU_URLDECODE);
  const bool has_query = !part_of(url.get(), CURLUPART_QUERY).empty();
  for (const CURLUPart part :
       {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_QUERY, CURLUPART_FRAGMENT}) {
    curl_url_set(url.get(), part, nullptr, 0);
  }
  source.address = part_of(url.get(), CURLUPART_URL);
  if (!source.address.starts_with("https://") && !source.address.starts_with("http://")) {
    return invalid_argument(variable + " is '" + source.address +
                            "', which is not an http or https URL; set it to https://SERVER/DIRECTORY");
  }
  if (has_query) {
    return invalid_argument(variable + " is '" + source.address + "' with a query; set it to the URL of a directory");
  }
  if (!source.address.ends_with('/')) source.address += '/';
  source.address += file;
  return source;
}

HttpDownload download(PartFile& part, const KnownModel& model, const FetchOptions& options, const HttpSource& source) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(options.total_seconds);
  const Curl curl(curl_easy_init(), curl_easy_cleanup);
  if (!curl) return {internal_error("cannot initialize libcurl")};
  for (int left = kAttempts - 1;; --left) {
    const int64_t before = part.size();
    Transfer transfer(curl.get(), part, model, options);
    const auto time_left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    // 0 would mean unlimited.
    const Answer answer = transfer.run(source, std::max(time_left, std::chrono::milliseconds(1)));
    const int64_t bytes = part.size();
    if (!transfer.written().ok()) return {transfer.written()};
    // The server reports a range past the end: the file may be complete.
    const bool at_end = before > 0 && answer.http_status == kRangeNotSatisfiable;
    if (answer.code == CURLE_OK || at_end || transfer.too_long()) {
      const std::string found = sha256_of_file(part.path());
      if (found == model.sha256 && !transfer.too_long()) return {};
      // Without a content length, a server may end a response early.
      const bool early = bytes > before && bytes < model.published.bytes;
      if (early && left > 0) continue;
      if (const Status cleared = part.clear(); !cleared.ok()) return {cleared};
      // The earlier part may come from another file.
      if (before > 0 && left > 0) continue;
      return {
          invalid_model("the downloaded file is not the published one and was deleted: " +
                        (transfer.too_long() ? "it is longer than " + std::to_string(transfer.limit()) + " bytes"
                                             : "its SHA-256 is " + found + " (" + std::to_string(bytes) + " bytes)") +
                        ", expected " + model.sha256)};
    }
    if (answer.code == CURLE_RANGE_ERROR && left > 0) {  // the server supports only whole files
      if (const Status cleared = part.clear(); !cleared.ok()) return {cleared};
    } else if (!broke_off(answer.code) || bytes == before || left == 0) {
      const std::string kept =
          bytes == 0 ? "" : "; " + std::to_string(bytes) + " bytes are kept, run the command again to resume";
      return {not_found(describe(answer, options, source, Clock::now() + kTimerError < end) + kept),
              answer.http_status != 0};
    }
  }
}

}  // namespace sightglass
