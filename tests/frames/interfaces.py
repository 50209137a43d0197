"""What the plugins and libraries offer: the pages of gst-inspect-1.0, and exported symbols."""
import difflib
import re
import subprocess

PLUGINS = {"libgstsightglass.so": "sightglass", "libgstsightglasstest.so": "sightglasstest"}
LIBRARIES = ["gst_plugin/libgstsightglass.so", "gst_plugin/libgstsightglasstest.so",
             "gst_plugin/tracer/gl_watch/libsightglass-gl-watch.so", "capi/libsightglass.so",
             "introspection/libsightglass-metadata.so", "obs_plugin/obs-sightglass.so"]


def output_of(machine, *command):
    return subprocess.run(command, env=machine.environment, capture_output=True, text=True, check=True).stdout


def pages(machine):
    """The page of every feature, without the rows of the plugin: these have the folder and the version."""
    sections = {}
    for plugin in PLUGINS.values():
        features = re.findall(r"^  (\S+): ", output_of(machine, "gst-inspect-1.0", plugin), re.M)
        for feature in features:
            page = output_of(machine, "gst-inspect-1.0", "--no-colors", feature)
            page = re.sub(r"^Plugin Details:\n(  .*\n)*\n?", "", page, flags=re.M)
            sections[f"gst-inspect-1.0 {feature}"] = [line.rstrip() for line in page.splitlines() if line.strip()]
    return sections


def symbols(machine):
    sections = {}
    for library in LIBRARIES:
        path = machine.build / library
        if path.exists():
            table = output_of(machine, "nm", "--dynamic", "--defined-only", "--format=posix", str(path))
            sections[f"symbols of {path.name}"] = sorted(" ".join(row.split(" ")[:2]) for row in table.splitlines())
    return sections


def read(path):
    """The first lines, and the sections by name."""
    head, *parts = re.split(r"^== (.*)\n", path.read_text(), flags=re.M)
    return head, {name: body.rstrip("\n").split("\n") for name, body in zip(parts[::2], parts[1::2])}


def write(path, machine):
    sections = {**pages(machine), **symbols(machine)}
    if path.exists():
        # Libraries that were not built stay as they are.
        sections = {**{name: lines for name, lines in read(path)[1].items() if name.startswith("symbols")}, **sections}
    text = "# What the plugins and libraries offer; `./dev frames-test --record` writes this file.\n"
    text += f"device: {machine.device}\n"
    path.write_text(text + "".join(f"\n== {name}\n" + "".join(f"{line}\n" for line in sections[name])
                                   for name in sorted(sections)))


def compare(path, machine):
    """Whether they are as recorded. Pages also contain what GStreamer adds: only its recorded version can be compared."""
    head, old = read(path)
    version = machine.device.rsplit(", ", 1)[1]
    same_version = f", {version}\n" in head
    new = symbols(machine)
    if same_version:
        new = {**pages(machine), **new}
    else:
        print(f"Pages of gst-inspect-1.0 are not compared: they are of another version than {version}")
    equal = True
    for name in [name for name in old if name in new or same_version]:
        if name not in new and name.startswith("symbols"):
            print(f"{name}: not compared, because it was not built")
            continue
        changes = list(difflib.unified_diff(old[name], new.get(name, []), name + ", recorded", name + ", now", n=0, lineterm=""))
        equal = equal and not changes
        print("\n".join(changes), end="\n" if changes else "")
    for name in new.keys() - old.keys():
        print(f"{name}: not in the record")
        equal = False
    print("pages and symbols: " + ("as recorded" if equal else "different"))
    return equal
