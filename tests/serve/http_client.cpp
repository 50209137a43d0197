#include "serve/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <memory>

namespace sightglass::test {

namespace {

struct Exchange {
  const HttpRequest& request;
  HttpReply& reply;
};

size_t on_body(char* data, size_t, size_t size, void* user) {
  auto* exchange = static_cast<Exchange*>(user);
  exchange->reply.body.append(data, size);
  const bool done = exchange->request.enough && exchange->request.enough(exchange->reply.body);
  return done ? 0 : size;  // 0 ends the transfer
}

size_t on_header(char* data, size_t, size_t size, void* user) {
  const std::string line(data, size);
  const size_t colon = line.find(':');
  if (colon == std::string::npos) return size;
  std::string name = line.substr(0, colon);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const size_t begin = line.find_first_not_of(' ', colon + 1), end = line.find_last_not_of("\r\n");
  static_cast<Exchange*>(user)->reply.headers[name] = begin <= end ? line.substr(begin, end + 1 - begin) : "";
  return size;
}

}  // namespace

HttpReply send(const HttpRequest& request) {
  HttpReply reply;
  Exchange exchange{request, reply};
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  curl_slist* list = nullptr;
  for (const std::string& header : request.headers) list = curl_slist_append(list, header.c_str());
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(list, curl_slist_free_all);
  curl_easy_setopt(curl.get(), CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, static_cast<long>(request.seconds));
  curl_easy_setopt(curl.get(), CURLOPT_NOPROXY, "*");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &exchange);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(curl.get(), CURLOPT_HEADERDATA, &exchange);
  if (request.method == "HEAD") curl_easy_setopt(curl.get(), CURLOPT_NOBODY, 1L);
  if (!request.body.empty()) {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
  }
  const CURLcode code = curl_easy_perform(curl.get());
  if (code != CURLE_OK && code != CURLE_WRITE_ERROR) reply.failure = curl_easy_strerror(code);
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  return reply;
}

}  // namespace sightglass::test
