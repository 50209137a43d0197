// Passwords and tokens are hidden in texts that leave the process.
#include "base/secrets.h"

#include <gtest/gtest.h>

#include <string>

namespace sightglass {
namespace {

TEST(Secrets, AreHiddenInAddressesAndSettings) {
  const struct {
    const char *text, *shown;
  } cases[] = {
      {"rtsp://admin:hunter2@camera/x", "rtsp://***@camera/x"},
      {"rtsp://admin@camera:554/x: no answer", "rtsp://***@camera:554/x: no answer"},
      {"two: http://a:b@c, https://d:e@f/", "two: http://***@c, https://***@f/"},
      {"rtsp://admin:p@ss@camera/x", "rtsp://***@camera/x"},
      {"rtsp://admin:pa/ss@camera/x", "rtsp://***@camera/x"},
      {"rtsp://admin:pa#s?s@camera/x", "rtsp://***@camera/x"},
      {"rtsp://a%3Ab:c@[fe80::1]:554/", "rtsp://***@[fe80::1]:554/"},
      {"rtspsrc location=\"rtsp://u:p@h/x\" user-id=u user-pw=\"a b\" ! x",
       "rtspsrc location=\"rtsp://***@h/x\" "
       "user-id=u user-pw=\"***\" ! x"},
      {"http://camera/video?user=a&pwd=b&channel=1", "http://camera/video?user=a&pwd=***&channel=1"},
      {"http://localhost/?token=abc until", "http://localhost/?token=*** until"},
      {"SIGHTGLASS_TOKEN=abc", "SIGHTGLASS_TOKEN=***"},
      {"password='a\\'b' c", "password='***' c"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(without_secrets(c.text), c.shown);
    EXPECT_EQ(without_secrets(c.shown), c.shown) << "the second time";
  }
}

TEST(Secrets, OtherTextsStayAsTheyAre) {
  for (const char* text :
       {"", "://", "x://", "a@b", "http://host/a@b", "http://host:8080/a@b?c=d@e", "rtsp://[::1]:8554/x",
        "x264enc key-int-max=60 pass=quant tune=zerolatency", "/home/a/b=c.mp4", "token", "tokens=3", "a=b=c"}) {
    EXPECT_EQ(without_secrets(text), text);
  }
}

}  // namespace
}  // namespace sightglass
