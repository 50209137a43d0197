// HTTP requests of tests.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sightglass::test {

struct HttpReply {
  int status = 0;                              // 0: no reply
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string failure;  // of the connection

  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  // Called with the body so far; the request ends when it returns true. For streams.
  std::function<bool(const std::string&)> enough;
  int seconds = 60;
};

HttpReply send(const HttpRequest& request);

}  // namespace sightglass::test
