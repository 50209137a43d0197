"""Prints how the source tree is shaped: sizes of files, and the number of places that a change touches.

shape.py SOURCE_DIR

Each measure has its limit beside it. The exit status is 0 whether the tree keeps the limits or not.
"""

import pathlib
import re
import signal
import statistics
import sys

LONG_FILE = 600
# Lines of the product and of tests/ at commit f8829187, and the rows of the table in CONTRIBUTING.md, before the tree
# became smaller.
LINES_BEFORE = {"product": 80_680, "tests": 62_603}
ROWS_BEFORE = 50
# Operators with attributes and a kernel of their own. Their names contain no word of another operator.
OPERATORS = ("depth_to_space", "top_k")
# Lines of a file that are further apart are different places.
PLACE = 20
PATH_HEADING = "### Files of this path"

BINDING = re.compile(r"(?:\bgl|\.|->)((?:Bind(?!Attrib|Frag)[A-Z]\w*|ActiveTexture|UseProgram)\()")
PLANAR = re.compile(r"\bGST_VIDEO_FORMAT_(?:NV12|NV21|I420|YV12|P010_10LE|YUY2|UYVY)\b")


class Tree:
  """The text files of the source tree by their paths. Comments of C++ do not count as code."""

  def __init__(self, root):
    self.root = root
    self.folders = {}
    for line in (root / "dev.d/folders.txt").read_text(encoding="utf-8").splitlines():
      if line and not line.startswith("#"):
        kind, names = line.split(":")
        self.folders[kind] = names.split()
    for folder in sum(self.folders.values(), []):
      if not (root / folder).is_dir():
        sys.exit(f"dev.d/folders.txt: no directory {folder}")
    self.product = self.cpp(*self.folders["product"])
    self.tests = self.cpp("tests")

  def read(self, path):
    return (self.root / path).read_text(encoding="utf-8").splitlines()

  def files(self, *folders, endings):
    paths = (path for folder in folders for path in sorted((self.root / folder).rglob("*")) if path.is_file())
    return {
        path.relative_to(self.root).as_posix(): path.read_text(encoding="utf-8").splitlines()
        for path in paths
        if path.name.endswith(endings)
    }

  def cpp(self, *folders):
    return self.files(*folders, endings=(".h", ".cpp"))


def code_of(lines):
  """The lines without comments. Those of C fill whole lines here."""
  return ["" if line.lstrip().startswith(("/*", "* ")) else line.split("//")[0] for line in lines]


def lines_in(files):
  return sum(len(lines) for lines in files.values())


def count_lines(pattern, files):
  """How many times code of each file matches, for the files that do."""
  counts = {path: sum(len(pattern.findall(line)) for line in code_of(lines)) for path, lines in files.items()}
  return {path: count for path, count in counts.items() if count}


def places_of_operator(tree, name):
  """Groups of lines in the engine and its shaders that name the operator in any spelling."""
  words = name.split("_")
  pattern = re.compile("_?".join(words), re.IGNORECASE)
  sources = tree.files("gpu_engine", "shaders", endings=(".h", ".cpp", ".comp", ".glsl", "CMakeLists.txt"))
  places = 0
  files = 0
  for lines in sources.values():
    last = None
    for number, line in enumerate(code_of(lines)):
      if pattern.search(line):
        files += last is None
        places += last is None or number - last > PLACE
        last = number
  return places, files


def elements_with_models(tree):
  """For each element with a model: files named after it or its directory, and files elsewhere whose code names it."""
  plugin = {path: lines for path, lines in tree.product.items() if path.startswith("gst_plugin/")}
  for path in sorted(plugin):
    match = re.fullmatch(r"gst_plugin/(\w+)/gl(\w+)\.cpp", path)
    if not match or match[1] != match[2]:
      continue
    folder, room = path.rsplit("/", 1)[0], match[2]
    own = [
        other
        for other in plugin
        if re.fullmatch(rf"{folder}/(?:(?:gl)?{room}\w*\.(?:h|cpp)|log\.h|shaders\.h)", other)
    ]
    names = re.compile(rf"\bgl{room}\b")
    elsewhere = [
        other
        for other in count_lines(names, tree.files(*tree.folders["product"], endings=(".h", ".cpp", "CMakeLists.txt")))
        if not other.startswith(f"{folder}/")
    ]
    yield f"gl{room}", own, elsewhere


def files_of_path(tree):
  """The files that docs/architecture.md lists as those of the path of a frame, or None."""
  page = tree.read("docs/architecture.md")
  if PATH_HEADING not in page:
    return None
  section = page[page.index(PATH_HEADING) + 1 :]
  end = next((number for number, line in enumerate(section) if line.startswith("#")), len(section))
  return sorted(set(re.findall(r"`([\w/]+\.(?:h|cpp))`", "\n".join(section[:end]))))


def rows_of_rooms(tree):
  page = tree.read("CONTRIBUTING.md")
  section = page[page.index("## Where things are") + 1 :]
  end = next(number for number, line in enumerate(section) if line.startswith("## "))
  return sum(line.startswith("| `") for line in section[:end])


def by_file(counts):
  return [f"  {count:4}  {path}" for path, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


class Table:
  """Rows of a measure, its value, and its limit; then the details of some."""

  def __init__(self):
    self.details = []
    print(f"{'measure':58} {'now':>8}  {'limit':>12}")

  def row(self, measure, value, limit="", kept=None, details=()):
    verdict = "" if kept is None else "  kept" if kept else "  not kept"
    shown = f"{value:,}" if isinstance(value, int) else str(value)
    print(f"{measure:58} {shown:>8}  {limit:>12}{verdict}".rstrip())
    if details:
      self.details.append((measure, details))

  def at_most(self, measure, value, limit, details=()):
    self.row(measure, value, f"<= {limit:,}", value <= limit, details)

  def print_details(self):
    for measure, lines in self.details:
      print(f"\n{measure}:")
      print("\n".join(lines))


def main():
  # As other tools: `./dev shape | head` ends it quietly.
  signal.signal(signal.SIGPIPE, signal.SIG_DFL)
  tree = Tree(pathlib.Path(sys.argv[1]))
  table = Table()
  sizes = [len(lines) for lines in tree.product.values()]
  table.at_most("C++ files of the product", len(sizes), 560)
  median = int(statistics.median(sizes))
  table.row("median of their lines", median, ">= 100", median >= 100)
  table.row("files of at most 60 lines", sum(size <= 60 for size in sizes))
  table.row("files of at most 30 lines", sum(size <= 30 for size in sizes))
  long = {path: len(lines) for path, lines in (tree.product | tree.cpp("bench", "tests", "examples")).items()}
  long = {path: lines for path, lines in long.items() if lines > LONG_FILE}
  table.at_most(f"C++ files of more than {LONG_FILE} lines, with tests", len(long), 0, by_file(long))
  for kind, files in (("product", tree.product), ("tests", tree.tests)):
    table.at_most(f"lines of C++ of the {kind}", lines_in(files), LINES_BEFORE[kind] - 5_000)

  elements = {path: lines for path, lines in tree.product.items() if path.startswith(("gst_plugin/", "obs_plugin/"))}
  bindings = count_lines(BINDING, {path: lines for path, lines in elements.items() if "gst_plugin/gl/" not in path})
  table.at_most("GL binding calls of the elements outside gst_plugin/gl", sum(bindings.values()), 0, by_file(bindings))

  path = files_of_path(tree)
  if path is None:
    missing = [f"  docs/architecture.md has no section \"{PATH_HEADING.strip('# ')}\""]
    table.row("files on the path of a frame through glsegment", "unnamed", "<= 10", False, missing)
    table.row("lines of these files", "unnamed", "<= 1,800", False)
  else:
    lines = {name: len(tree.read(name)) for name in path}
    table.at_most("files on the path of a frame through glsegment", len(path), 10, by_file(lines))
    table.at_most("lines of these files", sum(lines.values()), 1_800)

  for operator in OPERATORS:
    places, files = places_of_operator(tree, operator)
    details = [f"  lines of the engine and its shaders that name it, in {files} files; {PLACE} lines apart are two places"]
    table.at_most(f"places that name the operator {operator}", places, 9, details)
  for element, own, elsewhere in elements_with_models(tree):
    table.at_most(f"files named after the element {element}", len(own), 6, [f"  {name}" for name in own])
    table.at_most(f"other files whose code names {element}", len(elsewhere), 1, [f"  {name}" for name in elsewhere])
  planar = count_lines(PLANAR, {name: lines for name, lines in elements.items() if "/y4m/" not in name})
  table.at_most("files that name planar pixel formats", len(planar), 1, by_file(planar))

  table.at_most("lines of dev", len(tree.read("dev")), 150)
  table.at_most("rows of the table \"Where things are\" in CONTRIBUTING.md", rows_of_rooms(tree), ROWS_BEFORE // 2)
  table.print_details()


main()
