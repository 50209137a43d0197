"""Subscribes to the messages of examples/mqtt_publish.py at a broker.   mqtt_publish_test.py EXAMPLE"""
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

NAME = "examples.mqtt_publish"


def skip(reason: str) -> None:
    print(f"{NAME}: Skipped\n{reason}\n[  SKIPPED ] {NAME} (0 ms)")
    sys.exit()


try:
    import gi
    import paho.mqtt.client as mqtt

    gi.require_version("GstApp", "1.0")
except (ImportError, ValueError) as error:
    skip(f"{error} (Debian: python3-gi, gir1.2-gst-plugins-base-1.0, python3-paho-mqtt)")
EXAMPLE = sys.argv.pop()
MOSQUITTO = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
if MOSQUITTO is None:
    skip("mosquitto is not installed (Debian: mosquitto)")


def publish(*options: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, EXAMPLE, *options], capture_output=True, text=True, timeout=120)


class MqttPublish(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def broker(self) -> int:
        """Starts a broker for this test, and returns its port."""
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        with open(f"{self.folder}/broker.conf", "w") as file:
            file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\nlog_type error\n")
        process = subprocess.Popen([MOSQUITTO, "-c", file.name])
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        for _ in range(100):
            with socket.socket() as attempt:
                if attempt.connect_ex(("127.0.0.1", port)) == 0:
                    return port
            time.sleep(0.1)
        self.fail("the broker does not answer")

    def test_messages_arrive_at_a_subscriber(self) -> None:
        port = self.broker()
        version = (mqtt.CallbackAPIVersion.VERSION2,) if hasattr(mqtt, "CallbackAPIVersion") else ()
        subscriber, subscribed, messages = mqtt.Client(*version), queue.Queue(), queue.Queue()
        subscriber.on_subscribe = lambda *_: subscribed.put(True)
        subscriber.on_message = lambda _client, _data, message: messages.put(message)
        subscriber.connect("127.0.0.1", port)
        self.addCleanup(subscriber.loop_stop)
        self.addCleanup(subscriber.disconnect)
        subscriber.loop_start()
        subscriber.subscribe("a/topic", qos=1)
        subscribed.get(timeout=20)
        run = publish("--host", "127.0.0.1", "--port", str(port), "--topic", "a/topic", "--frames", "4",
                      "--element", "glpose model=figure")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "", ""))
        received = [json.loads(messages.get(timeout=20).payload) for _ in range(4)]
        print([f"{frame['timestamp'] / 1e9:.3f} s" for frame in received])
        for earlier, later in zip(received, received[1:]):
            self.assertLess(earlier["timestamp"], later["timestamp"])
        for frame in received:
            self.assertEqual((frame["source"], frame["resolution"]), ("figures", {"width": 640, "height": 480}))
            person = frame["objects"][0]
            self.assertEqual((person["id"], person["detection"]["label"]), (1, "person"))
            self.assertEqual(len(person["keypoints"]), 17)
            box = person["detection"]["bounding_box"]
            self.assertTrue(0 <= box["x_min"] < box["x_max"] <= 1 and 0 <= box["y_min"] < box["y_max"] <= 1, box)
        self.assertTrue(messages.empty())

    def test_prints_a_line_per_frame_of_any_file(self) -> None:
        path = f"{self.folder}/a \"quoted\" name, and\\one's more! = x.avi"
        elements = "glfiguresrc num-buffers=3 ! gldownload ! videoconvert ! jpegenc ! avimux ! filesink"
        subprocess.run(["gst-launch-1.0", "-q", *elements.split(), f"location={self.folder}/clip.avi"], check=True)
        os.rename(f"{self.folder}/clip.avi", path)
        run = publish("--print", "--element", "glpose model=figure", "--input", path)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual([line["source"] for line in lines], [path] * 3)

    def test_reports_what_is_wrong(self) -> None:
        def says(text: str, *options: str) -> None:
            run = publish(*options)
            self.assertNotEqual(run.returncode, 0, options)
            self.assertIn(text, run.stderr)

        says("--element")
        says("no/such.mp4 does not exist", "--element", "identity", "--print", "--input", "no/such.mp4")
        says("no/such.tflite", "--element", "glpose model=no/such.tflite", "--print")
        says('no element "glelephant"', "--element", "glelephant", "--print")
        says("cannot connect to the broker at 127.0.0.1:1:", "--element", "glpose model=figure", "--host", "127.0.0.1",
             "--port", "1")


if __name__ == "__main__":
    unittest.main()
