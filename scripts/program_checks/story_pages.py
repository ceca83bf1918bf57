"""The stories' own pages, read with the HTML parser of Python: what is in them, and that hostile words stay words."""
import html.parser
import json
import urllib.error
import urllib.request

from program_checks.parts import part

EMPTY = {"meta", "link", "img", "br"}
HOSTILE = [
    "<script>alert(1)</script>", "</title><script>alert(1)</script>", "\" onmouseover=\"alert(1)", "<img src=x onerror=alert(1)>",
    "</h1></article></main></body>", "<!-- ", "&lt;b&gt; &amp", "\u202eevil\u202d", "\u2066a", "<\u0301b>", "\u2028line", "a" * 600, "<" * 600,
]


class Page(html.parser.HTMLParser):
    """A page as a browser reads it: its elements, the text of each, and whether all end as they begin."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.comments, self.is_balanced = [], [], 0, True
        self.feed(text)
        self.close()
        self.is_balanced = self.is_balanced and not self.open

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", **dict(attributes)}
        self.elements.append(element)
        if tag not in EMPTY:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.elements.append({"tag": tag, "text": "", **dict(attributes)})

    def handle_endtag(self, tag):
        if self.open and self.open[-1]["tag"] == tag:
            self.open.pop()
        else:
            self.is_balanced = False

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def handle_comment(self, data):
        self.comments += 1

    def all(self, tag):
        return [element for element in self.elements if element["tag"] == tag]

    def graph(self):
        return {element["property"]: element["content"] for element in self.all("meta") if element.get("property", "").startswith("og:")}


@part()
def story_pages(here):
    """Reads pages of public, family and private stories, of hostile words, and of stories that are not there."""
    database = ["--database", "pages.db"]
    for user in ("ana", "ben"):
        here.run("users", "add", user, *database)
    tokens = {user: here.run("tokens", "issue", "--user", user, *database).stdout.strip() for user in ("ana", "ben")}
    with here.serving(*database) as (address, _):
        for words in HOSTILE:
            hostile(here, address, tokens["ana"], words)
        story = made(address, tokens["ana"], title="The porch", text="One.\n\nTwo.", location={"lat": 33.7554, "lon": -84.3736})
        page = read(address, story)[2]
        here.check([element["text"] for element in page.all("h1")] == ["The porch"], "the title is the heading")
        here.check(page.graph().get("og:title") == "The porch" and page.graph().get("og:description") == "One. Two.", "other sites show it", page.graph())
        here.check("33.7554" in page.all("main")[0]["text"], "the place is named")
        absences(here, address, tokens, story)
        for name in ("story.js", "story.css"):
            with urllib.request.urlopen(f"{address}/assets/{name}") as answer:
                here.check(answer.status == 200, f"the page's {name} is there")


def hostile(here, address, token, words):
    """A story of such words in every field has a page with the same elements as any other, and the words as text."""
    fields = {"text": words, "tags": [words[:200]], "people": [words[:200]], "collection": words[:200], "alt": words[:200]}
    story = made(address, token, title=words, location={"lat": 1, "lon": 2, "name": words[:200]}, **fields)
    if story is None:
        here.check(False, "a story may have such words", words[:40])
        return
    status, headers, page = read(address, story)
    policy = headers["content-security-policy"]
    here.check(status == 200 and "script-src 'self';" in policy and "unsafe" not in policy, "the policy is strict", policy)
    here.check(page.is_balanced and page.comments == 0, "all elements end as they begin", words[:40])
    here.check(len(page.all("script")) == 1 and len(page.all("title")) == 1 and len(page.all("main")) == 1, "no element is added", words[:40])
    handlers = [name for element in page.elements for name in element if name.startswith("on") or name == "style"]
    here.check(not handlers, "no attribute is added", handlers)
    here.check(page.all("h1")[0]["text"] == words and page.all("h1")[0].get("dir") == "auto", "the heading is what was written", page.all("h1"))
    shown = page.all("title")[0]["text"] + "".join(page.graph().values())
    here.check(not any(mark in shown for mark in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"), "no text is turned in a tab or on other sites", words[:40])


def absences(here, address, tokens, story):
    """A private story, a deleted one and none answer alike, and only a public one says something to other sites."""
    ana, ben = tokens["ana"], tokens["ben"]
    send(address, "PATCH", f"/v1/stories/{story}", ana, {"privacy": "private"})
    own = read(address, story, ana)
    here.check(own[0] == 200 and not own[2].graph(), "a private story says nothing to other sites", own[2].graph())
    deleted = made(address, ana, title="Gone")
    send(address, "DELETE", f"/v1/stories/{deleted}", ana)
    answers = [raw(address, name, token) for token in (None, ben) for name in (story, deleted, "0" * 32, "none")]
    here.check(all(answer == answers[0] for answer in answers) and answers[0][0] == 404, "absence looks the same to everybody", answers)


def made(address, token, **fields):
    status, body = send(address, "POST", "/v1/stories", token, {"kind": "photo", **fields})
    return body["id"] if status == 201 else None


def send(address, method, path, token, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else {}
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"{}")


def raw(address, story, token=None):
    """Status, headers but the date, and bytes of a page."""
    headers = {"X-Request-Id": "same", **({"Authorization": f"Bearer {token}"} if token else {})}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{address}/stories/{story}", headers=headers)) as answer:
            found = answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        found = error.code, error.headers, error.read()
    return found[0], sorted((name, value) for name, value in found[1].items() if name.lower() != "date"), found[2]


def read(address, story, token=None):
    status, headers, body = raw(address, story, token)
    return status, {name.lower(): value for name, value in headers}, Page(body.decode())
