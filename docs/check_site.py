"""Checks that all links of a site lead to files and anchors in it, and that pages load nothing from other servers.

check_site.py FOLDER
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
  """The anchors of a page, what it links to, and what a browser loads with it."""

  def __init__(self, path):
    super().__init__()
    self.anchors, self.links, self.loaded = set(), [], []
    self.feed(path.read_text(encoding="utf-8"))

  def handle_starttag(self, tag, attributes):
    values = dict(attributes)
    self.anchors.update(filter(None, (values.get("id"), values.get("name"))))
    if tag == "a" and values.get("href"):
      self.links.append(values["href"])
    loaded = values.get("src") or (values.get("href") if tag == "link" and values.get("rel") != "canonical" else None)
    if loaded:
      self.loaded.append(loaded)


def problems_of(path, page, pages):
  for url in page.links + page.loaded:
    parts = urllib.parse.urlsplit(url)
    if parts.scheme or parts.netloc:
      if url in page.loaded and parts.scheme != "data":
        yield f"loads {url}"
      continue
    target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
      target = target / "index.html"
    if not target.is_file():
      yield f"link to a missing file: {url}"
    elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
      yield f"link to a missing anchor: {url}"


def main():
  root = pathlib.Path(sys.argv[1]).resolve()
  pages = {path: Page(path) for path in root.rglob("*.html") if path.name != "404.html"}
  problems = [f"{path.relative_to(root)}: {problem}"
              for path, page in sorted(pages.items()) for problem in problems_of(path, page, pages)]
  print("\n".join(problems) if problems else f"{len(pages)} pages, all links are valid")
  return 1 if problems else 0


sys.exit(main())
