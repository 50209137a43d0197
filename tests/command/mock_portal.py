#!/usr/bin/python3
# A desktop portal that shares the PipeWire node 42 without a question, or declines: mock_portal.py [decline]
import os
import sys

from gi.repository import Gio, GLib

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
XML = """<node><interface name='org.freedesktop.portal.ScreenCast'>
<method name='CreateSession'><arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>
<method name='SelectSources'><arg type='o' direction='in'/><arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>
<method name='Start'><arg type='o' direction='in'/><arg type='s' direction='in'/><arg type='a{sv}' direction='in'/>
<arg type='o' direction='out'/></method>
<method name='OpenPipeWireRemote'><arg type='o' direction='in'/><arg type='a{sv}' direction='in'/><arg type='h' direction='out'/></method>
<property name='version' type='u' access='read'/></interface></node>"""
decline = "decline" in sys.argv[1:]


def on_call(bus, sender, path, interface, method, parameters, invocation):
    arguments = parameters.unpack()
    if method == "OpenPipeWireRemote":
        descriptors = Gio.UnixFDList.new()
        index = descriptors.append(os.open("/dev/null", os.O_RDWR))
        invocation.return_value_with_unix_fd_list(GLib.Variant("(h)", (index,)), descriptors)
        return
    request = PATH + "/request/" + sender[1:].replace(".", "_") + "/" + arguments[-1]["handle_token"]
    results = {}
    if method == "CreateSession":
        results["session_handle"] = GLib.Variant("s", PATH + "/session/test/" + arguments[0]["session_handle_token"])
    if method == "Start":
        results["streams"] = GLib.Variant("a(ua{sv})", [(42, {})])
    invocation.return_value(GLib.Variant("(o)", (request,)))
    declined = 1 if decline and method == "Start" else 0
    bus.emit_signal(sender, request, "org.freedesktop.portal.Request", "Response",
                    GLib.Variant("(ua{sv})", (declined, results)))


def on_bus(bus, name):
    interface = Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0]
    bus.register_object(PATH, interface, on_call, lambda *_: GLib.Variant("u", 4), None)


Gio.bus_own_name(Gio.BusType.SESSION, NAME, Gio.BusNameOwnerFlags.NONE, on_bus, lambda *_: print("ready", flush=True), None)
GLib.MainLoop().run()
