"""Receives the video of examples/webrtc_out.py with webrtcbin.   webrtc_out_test.py EXAMPLE"""
import signal
import subprocess
import sys
import threading
import unittest
import urllib.error
import urllib.request

NAME = "examples.webrtc_out"


def skip(reason: str) -> None:
    print(f"{NAME}: Skipped\n{reason}\n[  SKIPPED ] {NAME} (0 ms)")
    sys.exit()


try:
    import gi

    for name in ("Gst", "GstApp", "GstSdp", "GstWebRTC"):
        gi.require_version(name, "1.0")
except (ImportError, ValueError) as error:
    skip(f"{error} (Debian: python3-gi, gir1.2-gst-plugins-bad-1.0)")
from gi.repository import Gst, GstApp, GstSdp, GstWebRTC  # noqa: E402,F401

EXAMPLE = sys.argv.pop()
CAPS = "application/x-rtp,media=video,encoding-name=VP8,payload=120,clock-rate=90000"


class Viewer:
    """As the page does: offers to receive video, and posts the offer."""

    def __init__(self, url: str) -> None:
        self.pipeline = Gst.parse_launch(
            "webrtcbin name=peer bundle-policy=max-bundle rtpvp8depay name=in ! vp8dec ! videoconvert ! videoscale"
            " ! video/x-raw,format=RGB,width=16,height=16 ! appsink name=sink sync=false"
        )
        self.peer = self.pipeline.get_by_name("peer")
        self.sink = self.pipeline.get_by_name("sink")
        self.gathered = threading.Event()
        self.peer.connect("pad-added", lambda peer, pad: pad.link(self.pipeline.get_by_name("in").get_static_pad("sink")))
        self.peer.connect("notify::ice-gathering-state", self.on_gathering)
        self.pipeline.set_state(Gst.State.PLAYING)
        direction = GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY
        self.peer.emit("add-transceiver", direction, Gst.Caps.from_string(CAPS))
        reply = self.ask("create-offer", None)  # its values live as long as it
        self.ask("set-local-description", reply.get_value("offer"))
        if not self.gathered.wait(20):
            raise RuntimeError("no candidates")
        offer = self.peer.get_property("local-description").sdp.as_text()
        with urllib.request.urlopen(url + "offer", offer.encode(), timeout=30) as response:
            answer = GstSdp.SDPMessage.new_from_text(response.read().decode())[1]
        kind = GstWebRTC.WebRTCSDPType.ANSWER
        self.ask("set-remote-description", GstWebRTC.WebRTCSessionDescription.new(kind, answer))

    def on_gathering(self, *_) -> None:
        if self.peer.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            self.gathered.set()

    def ask(self, name: str, *arguments) -> Gst.Structure:
        promise = Gst.Promise.new()
        self.peer.emit(name, *arguments, promise)
        promise.wait()
        return promise.get_reply()

    def colors(self) -> int:
        """The number of colors of the next frame, scaled to 16x16; 0 if none arrives."""
        sample = self.sink.try_pull_sample(40 * Gst.SECOND)
        if sample is None:
            return 0
        buffer = sample.get_buffer()
        data = buffer.extract_dup(0, buffer.get_size())
        return len({data[i : i + 3] for i in range(0, len(data), 3)})

    def close(self) -> None:
        self.pipeline.set_state(Gst.State.NULL)


class WebRtcOut(unittest.TestCase):
    def setUp(self) -> None:
        self.program = subprocess.Popen([sys.executable, EXAMPLE, "--port", "0"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.program.stdout.close)
        self.addCleanup(self.program.wait)
        self.addCleanup(self.program.kill)
        self.url = self.program.stdout.readline().strip()
        self.assertTrue(self.url.startswith("http://localhost:"), self.url)

    def test_frames_arrive_at_viewers(self) -> None:
        with urllib.request.urlopen(self.url, timeout=30) as page:
            self.assertIn(b"RTCPeerConnection", page.read())
        for number in range(2):  # the second one joins in mid-stream, and needs a key frame
            viewer = Viewer(self.url)
            counts = [viewer.colors() for _ in range(5)]
            viewer.close()
            print(f"viewer {number}: colors of frames {counts}")
            self.assertGreater(min(counts), 64)
        self.program.send_signal(signal.SIGINT)
        self.assertEqual(self.program.wait(20), 0)

    def test_offers_without_vp8_are_rejected(self) -> None:
        with self.assertRaises(urllib.error.HTTPError) as failure:
            urllib.request.urlopen(self.url + "offer", b"v=0", timeout=30)
        self.assertEqual(failure.exception.code, 400)
        self.assertEqual(failure.exception.read(), b"the offer has no VP8 video")


if __name__ == "__main__":
    Gst.init(None)
    for element, package in (("nicesink", "gstreamer1.0-nice"), ("vp8enc", "gstreamer1.0-plugins-good"),
                             ("webrtcbin", "gstreamer1.0-plugins-bad")):
        if Gst.ElementFactory.find(element) is None:
            skip(f"needs the GStreamer element {element} (Debian: {package})")
    unittest.main()
