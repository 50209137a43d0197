#!/usr/bin/env python3
# Asks an RTSP server for what would change the media that all clients share, and reports each status. Prints "fine" if the
# stream can still be opened.   hostile_rtsp.py PORT PATH
import re
import socket
import sys

port, path = int(sys.argv[1]), sys.argv[2]
url = f"rtsp://127.0.0.1:{port}{path}"
UDP = "RTP/AVP;unicast;client_port=25000-25001"
TCP = "RTP/AVP/TCP;unicast;interleaved=0-1"


class Client:
    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.number = 0
        self.data = b""

    def ask(self, method, target=url, headers="", body=""):
        self.number += 1
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        self.socket.sendall(f"{method} {target} RTSP/1.0\r\nCSeq: {self.number}\r\n{headers}{length}\r\n{body}".encode())
        reply = re.compile(rb"RTSP/1\.0 (\d+)[^\r]*\r\n((?:[^\r]+\r\n)*)\r\n")
        while True:  # the answer is among the frames of the stream
            for found in reply.finditer(self.data):
                if f"CSeq: {self.number}\r\n".encode() in found.group(2):
                    return int(found.group(1)), found.group(2).decode()
            more = self.socket.recv(65536)
            if not more:
                return 0, ""
            self.data = self.data[-4096:] + more if len(self.data) > 1_000_000 else self.data + more

    def set_up(self, transport, headers=""):
        self.ask("DESCRIBE", headers="Accept: application/sdp\r\n")
        status, text = self.ask("SETUP", url + "/stream=0", f"Transport: {transport}\r\n{headers}")
        assert status == 200, f"SETUP: {status}"
        return "Session: " + re.search(r"Session: ([^;\r]+)", text).group(1) + "\r\n"

    def close(self):
        self.socket.close()


def play(transport, headers="", setup=""):
    client = Client()
    session = client.set_up(transport, setup)
    status, text = client.ask("PLAY", headers=session + headers)
    print("PLAY", headers.strip() or setup.strip() or transport, status, "Scale" in text, flush=True)
    client.close()


play(UDP)
play(TCP)
for header in ("Scale: -1", "Scale: 0", "Speed: 8", "Range: npt=5-1", "Range: clock=20200101T000000Z-", "Rate-Control: no"):
    play(TCP, header + "\r\n")
play(TCP, setup="Blocksize: 1\r\n")
play(TCP, setup="Blocksize: 65000\r\n")

client = Client()
session = client.set_up(TCP)
client.ask("PLAY", headers=session)
for method, headers, body in (
    ("PAUSE", "", ""),
    ("PLAY", "", ""),
    ("SET_PARAMETER", "", ""),
    ("SET_PARAMETER", "Content-Type: text/parameters\r\n", "rate: 5\r\n"),
    ("GET_PARAMETER", "", ""),
    ("RECORD", "", ""),
    ("ANNOUNCE", "Content-Type: application/sdp\r\n", "v=0\r\n"),
):
    print(method, "with a body" if body else "", client.ask(method, headers=session + headers, body=body)[0], flush=True)
client.close()

client = Client()
client.socket.sendall(f"GET_PARAMETER {url} RTSP/1.0\r\nCSeq: 1\r\nContent-Length: 2000000000\r\n\r\n".encode())
print("2 GB:", client.socket.recv(65536).split(b"\r\n")[0].decode() or "closed", flush=True)
client.close()

for i in range(3):
    client = Client()
    status = client.ask("DESCRIBE", headers="Accept: application/sdp\r\n")[0]
    client.close()
    assert status == 200, f"DESCRIBE: {status}"
print("fine")
