// The lines of resultsjson through an MQTT broker, as in pipelines/README.md.
#include <arpa/inet.h>
#include <gst/app/gstappsrc.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "harness/program.h"
#include "harness/scratch_folder.h"
#include "results/delivery.h"
#include "test_pipeline.h"

namespace sightglass::test {
namespace {

// A port that is currently unused.
int free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(descriptor, reinterpret_cast<const sockaddr*>(&address), size);
  getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  close(descriptor);
  return ntohs(address.sin_port);
}

// A broker for this test.
class Broker {
 public:
  explicit Broker(int port) {
    const std::string file = scratch_folder() / "mosquitto.conf";
    std::ofstream(file) << "listener " << port << " 127.0.0.1\nallow_anonymous true\nuser root\nlog_type error\n";
    process_ = fork();
    if (process_ != 0) return;
    execlp("mosquitto", "mosquitto", "-c", file.c_str(), nullptr);
    execl("/usr/sbin/mosquitto", "mosquitto", "-c", file.c_str(), nullptr);
    _exit(127);
  }
  ~Broker() {
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

 private:
  pid_t process_ = -1;
};

bool is_installed(const char* program) {
  return run_program("PATH=$PATH:/usr/sbin command -v " + std::string(program)).status == 0;
}

InferenceResults person_in(uint64_t frame) {
  InferenceResults results;
  results.model = "test";
  results.frame.stream_time = frame * GST_SECOND;
  results.objects = {
      {"person", 0, 0.5F, {0.25F, 0.25F, 0.75F, 0.75F}, 0, static_cast<int32_t>(frame + 1), {}, nullptr}};
  return results;
}

TEST(Mqtt, LinesArriveAtASubscriber) {
  for (const char* program : {"mosquitto", "mosquitto_pub", "mosquitto_sub"}) {
    if (!is_installed(program)) {
      GTEST_SKIP() << program << " is not installed (Debian: mosquitto, mosquitto-clients)";
    }
  }
  constexpr int kLines = 3;
  const int port = free_port();
  const Broker broker(port);
  const std::string where = " -h 127.0.0.1 -p " + std::to_string(port) + " -t sightglass/results -q 1 ";
  // A persistent session: the broker stores messages for it that are published from now on.
  const std::string subscriber = "timeout 20 mosquitto_sub -i reader -c" + where;
  int status = -1;
  for (int i = 0; i < 50 && status != 0; ++i) {
    status = run_program(subscriber + "-E 2>&1").status;
    if (status != 0) g_usleep(100'000);
  }
  ASSERT_EQ(status, 0) << "the broker does not answer";

  FILE* publisher = popen(("mosquitto_pub -l" + where).c_str(), "w");
  ASSERT_NE(publisher, nullptr);
  {
    const Launched pipeline(
        "appsrc name=source format=time caps=video/x-raw,format=RGBA,width=64,height=48 ! tee ! resultsjson ! "
        "fdsink sync=false fd=" +
        std::to_string(fileno(publisher)));
    GstAppSrc* const source = GST_APP_SRC(pipeline["source"]);
    pipeline.play();
    for (uint64_t i = 0; i < kLines; ++i) {
      GstBuffer* buffer = gst_buffer_new();
      GST_BUFFER_PTS(buffer) = i * GST_SECOND;
      ASSERT_TRUE(attach_results(buffer, std::make_shared<const InferenceResults>(person_in(i)), 64, 48));
      ASSERT_EQ(gst_app_src_push_buffer(source, buffer), GST_FLOW_OK);
    }
    gst_app_src_end_of_stream(source);
    EXPECT_EQ(outcome_of(pipeline.get()), "end");
  }
  EXPECT_EQ(pclose(publisher), 0);

  const CommandResult read = succeeded(run_program(subscriber + "-C " + std::to_string(kLines) + " 2>&1"));
  std::istringstream lines(read.output);
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << line;
    EXPECT_EQ(json["timestamp"], count * GST_SECOND);
    EXPECT_EQ(json["objects"][0]["id"], count + 1);
    EXPECT_EQ(json["objects"][0]["detection"]["label"], "person");
    ++count;
  }
  EXPECT_EQ(count, kLines) << read.output;
}

}  // namespace
}  // namespace sightglass::test
