#!/usr/bin/env python3
"""Serves the video of a pipeline to browsers with WebRTC: one encoder, and one webrtcbin per viewer.

    webrtc_out.py --source "v4l2src ! videoconvert ! glupload" --port 8080

Open http://localhost:8080/ in a browser. The page posts an offer to /offer and gets the answer, with all candidates.
There is no STUN server: viewers must be on the same network. Needs the packages python3-gi, gir1.2-gst-plugins-bad-1.0,
gstreamer1.0-plugins-bad, gstreamer1.0-plugins-good and gstreamer1.0-nice. GST_PLUGIN_PATH must name the directory of the
plugin unless it is installed.
"""
import argparse
import http.server
import re
import sys
import threading

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

PAGE = b"""<!doctype html><title>Sightglass</title><video id="video" autoplay muted playsinline></video><script>
(async () => {
  const peer = new RTCPeerConnection();
  peer.ontrack = (event) => { document.getElementById("video").srcObject = event.streams[0]; };
  peer.addTransceiver("video", {direction: "recvonly"});
  await peer.setLocalDescription(await peer.createOffer());
  while (peer.iceGatheringState !== "complete") await new Promise((done) => setTimeout(done, 50));
  const response = await fetch("/offer", {method: "POST", body: peer.localDescription.sdp});
  await peer.setRemoteDescription({type: "answer", sdp: await response.text()});
})();
</script>"""


def ask(element: Gst.Element, signal: str, *arguments) -> Gst.Structure:
    """Emits a signal that takes a promise, and waits for the reply. Its values live as long as the reply."""
    promise = Gst.Promise.new()
    element.emit(signal, *arguments, promise)
    promise.wait()
    reply = promise.get_reply()
    if reply is not None and reply.has_field("error"):
        raise RuntimeError(reply.get_value("error").message)
    return reply


class Broadcast:
    """A pipeline that encodes once, for all viewers."""

    def __init__(self, source: str) -> None:
        self.pipeline = Gst.parse_launch(
            f"{source} ! glsegment model=figure ! gldownload ! videoconvert ! queue max-size-buffers=2"
            " ! vp8enc deadline=1 cpu-used=8 target-bitrate=2000000 ! tee name=viewers allow-not-linked=true"
        )

    def add_viewer(self, offer: str) -> str:
        """Returns the answer to the offer of a browser. The browser requests a key frame when it is connected."""
        codec = re.search(r"a=rtpmap:(\d+) VP8/90000", offer)
        if codec is None:
            raise RuntimeError("the offer has no VP8 video")
        viewer = Gst.parse_bin_from_description(
            f"queue name=input leaky=downstream ! rtpvp8pay pt={codec[1]} picture-id-mode=15-bit"
            f" ! application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload={codec[1]}"
            " ! webrtcbin name=peer bundle-policy=max-bundle",
            False,
        )
        viewer.add_pad(Gst.GhostPad.new("sink", viewer.get_by_name("input").get_static_pad("sink")))
        self.pipeline.add(viewer)
        viewer.sync_state_with_parent()
        self.pipeline.get_by_name("viewers").link(viewer)
        peer, gathered = viewer.get_by_name("peer"), threading.Event()
        peer.connect("notify::ice-gathering-state", lambda *_: peer.get_property("ice-gathering-state")
                     == GstWebRTC.WebRTCICEGatheringState.COMPLETE and gathered.set())
        peer.connect("notify::connection-state", self.on_connection_state, viewer)
        kinds = GstWebRTC.WebRTCSDPType
        try:
            _, message = GstSdp.SDPMessage.new_from_text(offer)
            ask(peer, "set-remote-description", GstWebRTC.WebRTCSessionDescription.new(kinds.OFFER, message))
            reply = ask(peer, "create-answer", None)
            ask(peer, "set-local-description", reply.get_value("answer"))
            if not gathered.wait(10):
                raise RuntimeError("gathering candidates takes too long")
        except RuntimeError:
            self.remove_viewer(viewer)
            raise
        return peer.get_property("local-description").sdp.as_text()

    def on_connection_state(self, peer: Gst.Element, _property, viewer: Gst.Bin) -> None:
        states = GstWebRTC.WebRTCPeerConnectionState
        if peer.get_property("connection-state") in (states.FAILED, states.CLOSED):
            threading.Thread(target=self.remove_viewer, args=(viewer,)).start()  # not in a thread of the viewer

    def remove_viewer(self, viewer: Gst.Bin) -> None:
        pad = viewer.get_static_pad("sink").get_peer()
        if pad is not None:
            pad.get_parent_element().release_request_pad(pad)
        viewer.set_state(Gst.State.NULL)
        self.pipeline.remove(viewer)


class Handler(http.server.BaseHTTPRequestHandler):
    def reply(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.reply(200, "text/html", PAGE) if self.path == "/" else self.send_error(404)

    def do_POST(self) -> None:
        offer = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode(errors="replace")
        try:
            self.reply(200, "application/sdp", self.server.broadcast.add_viewer(offer).encode())
        except RuntimeError as error:
            self.reply(400, "text/plain", str(error).encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", default="glfiguresrc is-live=true seed-interval=90", help="source elements")
    parser.add_argument("--address", default="127.0.0.1", help="0.0.0.0: serve other machines too")
    parser.add_argument("--port", type=int, default=8080, help="0: any port that is unused")
    options = parser.parse_args()
    Gst.init(None)
    try:
        server = http.server.ThreadingHTTPServer((options.address, options.port), Handler)
        server.broadcast = broadcast = Broadcast(options.source)
    except (GLib.Error, OSError) as error:
        sys.exit(f"webrtc_out.py: {error}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    broadcast.pipeline.set_state(Gst.State.PLAYING)
    print(f"http://localhost:{server.server_port}/", flush=True)
    bus, message = broadcast.pipeline.get_bus(), None
    try:
        while message is None:  # returns often, so that Ctrl-C works
            message = bus.timed_pop_filtered(100 * Gst.MSECOND, Gst.MessageType.ERROR | Gst.MessageType.EOS)
    except KeyboardInterrupt:
        pass
    server.shutdown()
    broadcast.pipeline.set_state(Gst.State.NULL)
    if message is not None and message.type == Gst.MessageType.ERROR:
        sys.exit(f"webrtc_out.py: {message.parse_error()[0].message}")


if __name__ == "__main__":
    main()
