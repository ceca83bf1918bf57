"""The flows of check-page that add, change and delete stories, and the tests of the page's reader of photos."""
import base64
import json
import struct
import time

ATLANTA = (33.7554, -84.3736)


def fractions(degrees):
    """Degrees, minutes and seconds as EXIF writes them."""
    degrees = abs(degrees)
    minutes = degrees % 1 * 60
    return [(int(degrees), 1), (int(minutes), 1), (round(minutes % 1 * 60 * 10_000), 10_000)]


def exif(order, position=ATLANTA, taken="2011:05:03 14:05:09", orientation=6):
    """An APP1 segment as a camera writes it, in the byte order "<" or ">"."""
    def entry(tag, kind, count, value):
        return struct.pack(order + "HHI", tag, kind, count) + (value if isinstance(value, bytes) else struct.pack(order + "I", value))

    def directory(entries):
        return struct.pack(order + "H", len(entries)) + b"".join(entries) + bytes(4)

    main, details, place, text, numbers = 8, 60, 90, 160, 200
    latitude, longitude = position
    short = struct.pack(order + "HH", orientation, 0)
    parts = {
        0: (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, main),
        main: directory([entry(0x0112, 3, 1, short), entry(0x8769, 4, 1, details), entry(0x8825, 4, 1, place)]),
        details: directory([entry(0x9003, 2, 20, text)]),
        place: directory([entry(1, 2, 2, b"N\0\0\0" if latitude >= 0 else b"S\0\0\0"), entry(2, 5, 3, numbers),
                          entry(3, 2, 2, b"E\0\0\0" if longitude >= 0 else b"W\0\0\0"), entry(4, 5, 3, numbers + 24)]),
        text: taken.encode() + b"\0",
        numbers: b"".join(struct.pack(order + "II", *pair) for degrees in position for pair in fractions(degrees)),
    }
    tiff = bytearray(numbers + 48)
    for start, part in parts.items():
        tiff[start:start + len(part)] = part
    body = b"Exif\0\0" + bytes(tiff)
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def with_exif(jpeg, segment):
    """The picture with a segment after its first marker."""
    return jpeg[:2] + segment + jpeg[2:]


class ComposeFlows:
    """What a person does to put a story on the map; mixed into the check of one page, with a token."""

    # While the network is cut on purpose, the browser complains.
    is_cut = False

    def check_compose(self):
        if not self.options.token:
            self.press("#add")
            self.expect(self.page.locator("#sign-in[open]").count() == 1, "adding a story does not lead a visitor to sign in")
            return self.page.keyboard.press("Escape")
        self.title = f"Check of {self.name} {time.time_ns()}"
        self.check_exif()
        self.check_problems()
        self.check_photo()
        self.check_place()
        self.check_added()
        self.check_changed()
        self.check_undo()
        self.check_drafts()
        self.check_press()

    def read_exif(self, data):
        # Bytes go as base64 and are read as the page reads them.
        return self.page.evaluate(
            """async text => {
                const { readExif } = await import("/assets/exif.js");
                return readExif(Uint8Array.from(atob(text), letter => letter.charCodeAt(0)).buffer);
            }""", base64.b64encode(data).decode())

    def check_exif(self):
        """Both byte orders and all four quarters of the world are read; whatever is broken is read as nothing."""
        for order in "<>":
            for position in (ATLANTA, (-33.8568, 151.2153), (51.4779, -0.0015), (-54.8019, -68.303)):
                found = self.read_exif(with_exif(b"\xff\xd8\xff\xda", exif(order, position)))
                near = found["position"] and abs(found["position"]["lat"] - position[0]) < 1e-6 and abs(found["position"]["lon"] - position[1]) < 1e-6
                self.expect(near, f"a photo at {position} in the order {order} is read as {found['position']}")
                rest = (found["date"], found["time"], found["orientation"])
                self.expect(rest == ("2011-05-03", "14:05", 6), f"date, time and orientation are read as {rest}")
        whole = with_exif(b"\xff\xd8\xff\xda", exif("<"))
        nothing = {"position": None, "date": None, "time": None, "orientation": 1}
        for broken in (b"", b"\xff\xd8", b"\x89PNG" + bytes(40), whole[:30], b"\xff\xd8\xff\xe1\x00\x01" + bytes(20), b"\xff\xd8\xff\xe1\xff\xff" + bytes(4)):
            self.expect(self.read_exif(broken) == nothing, f"broken bytes are read as {self.read_exif(broken)}")
        for zero in ((0, 0), (95, 10)):
            self.expect(self.read_exif(with_exif(b"\xff\xd8\xff\xda", exif(">", zero)))["position"] is None, f"{zero} is taken for a place")
        self.expect(self.read_exif(with_exif(b"\xff\xd8\xff\xda", exif(">", taken="0000:00:00 00:00:00")))["date"] is None, "a camera without a clock gives a date")
        # Every byte once wrong, and every length: nothing may throw or answer out of range.
        wrong = self.page.evaluate(
            """async text => {
                const { readExif } = await import("/assets/exif.js");
                const whole = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
                const wrong = [];
                const look = (bytes, at) => {
                    try {
                        const { position, orientation } = readExif(bytes.buffer);
                        const fits = position === null || (Math.abs(position.lat) <= 90 && Math.abs(position.lon) <= 180);
                        if (!fits || !(orientation >= 1 && orientation <= 8)) wrong.push(`byte ${at}: ${JSON.stringify(position)}`);
                    } catch (error) { wrong.push(`byte ${at}: ${error}`); }
                };
                for (let at = 0; at < whole.length; at += 1) {
                    look(whole.slice(0, at), at);
                    for (const value of [0, 0x7f, 0x80, 0xff]) { const other = whole.slice(); other[at] = value; look(other, at); }
                }
                return wrong;
            }""", base64.b64encode(whole).decode())
        self.expect(wrong == [], f"broken photos are not withstood: {wrong[:3]}")

    def check_problems(self):
        """The dialog opens with the focus in it; problems stand beside their fields, as the service words them."""
        self.press("#add")
        self.page.wait_for_selector("#compose[open]")
        self.expect(self.focused() == "compose-heading", "the dialog does not take the focus")
        self.settle()
        self.picture("compose")
        self.check_axe("while a story is written")
        self.check_reflow()
        self.press("#compose-save")
        self.expect(self.focused() == "compose-title", "a missing title does not take the focus")
        self.expect(self.page.inner_text("#compose-title-problem") != "", "a missing title is not named")
        self.page.fill("#compose-title", self.title)
        self.page.fill("#compose-date", "1936-02-31")
        self.press("#compose-save")
        named = "() => document.querySelector('#compose-date-problem').innerText !== '' && document.activeElement.id === 'compose-date'"
        self.expect(self.until(named, None), "a day that there never was is not named beside its field")
        self.check_axe("with a problem named")
        self.page.fill("#compose-date", "")

    def check_photo(self):
        """A photo's place and date are offered, and nothing of them leaves the page unasked."""
        address = self.page.evaluate("""() => {
            const canvas = document.createElement("canvas");
            [canvas.width, canvas.height] = [60, 40];
            canvas.getContext("2d").fillRect(0, 0, 30, 40);
            return canvas.toDataURL("image/jpeg");
        }""")
        photo = with_exif(base64.b64decode(address.split(",")[1]), exif(">"))
        requests = []

        def note(request):
            requests.append(request)

        self.page.on("request", note)
        self.page.set_input_files("#compose-photo", {"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": photo})
        self.page.wait_for_selector("#compose-offers button")
        self.page.wait_for_timeout(300)
        telling = ("approximate-cell", "geocode", "reverse", "thumbnail", "/v1/stories", "/v1/basemaps")
        sent = [request.url for request in requests if any(part in request.url for part in telling)]
        self.page.remove_listener("request", note)
        self.expect(sent == [], f"choosing a photo asks the service: {sent}")
        self.expect(self.page.input_value("#compose-date") == "", "a photo's date is taken unasked")
        self.expect(self.page.locator("#compose-precision").is_hidden(), "a photo's place is taken unasked")
        self.press("#compose-offers [data-offer=date]")
        self.press("#compose-offers [data-offer=place]")
        self.expect(self.page.input_value("#compose-date") == "2011-05-03", "the photo's date is not taken")
        self.expect(self.page.locator("#compose-precision").is_visible(), "the photo's place is not taken")
        self.page.fill("#compose-alt", "A black half and a white one")
        self.settle()
        self.picture("compose-photo")
        self.check_axe("with a photo")

    def check_place(self):
        """Names and coordinates in any notation find a place; the pin moves by keys; the square is the service's."""
        for typed, latitude, longitude in (("32°25'48\"N 85°42'36\"W", "32.43", "85.7"), ("geo:33.7554,-84.3736", "33.755", "84.37"), ("40.7, -74.0", "40.7", "73.99")):
            self.page.fill("#compose-where", typed)
            self.page.locator("#compose-where").press("Enter")
            self.settle()
            self.page.locator(".pin").focus()
            self.page.keyboard.press("ArrowRight")
            said = self.page.inner_text(".place-said")
            self.expect(f"Moved to {latitude}" in said and longitude in said, f"after “{typed}”, the pin is not there: {said}")
        self.page.fill("#compose-where", "Springfield")
        self.page.locator("#compose-where").press("Enter")
        offered = "() => document.activeElement.matches('.found-place')"
        self.expect(self.until(offered, None), "a name of several places does not offer them")
        self.page.keyboard.press("Enter")
        self.page.fill("#compose-where", "33.7554, -84.3736")
        self.press("#compose-find")
        self.settle()
        self.page.locator("#compose-precision").select_option("0.1")
        self.page.wait_for_selector(".cell:not([hidden])")
        self.settle()
        self.picture("compose-cell")
        self.check_axe("with a square")
        self.expect("11 km" in self.page.inner_text("#compose-seen"), "the square is not described")
        self.page.locator(".pin").focus()
        before = self.page.inner_text(".place-said")
        self.page.keyboard.press("Shift+ArrowRight")
        self.expect(self.page.inner_text(".place-said") != before, "an arrow key does not move the pin")
        self.expect(self.page.evaluate("document.activeElement.matches('.pin')"), "the pin loses the focus when it moves")
        side = self.page.locator(".pin").bounding_box()
        self.expect(min(side["width"], side["height"]) >= 44, f"the pin is only {side['width']} by {side['height']} pixels large")
        self.page.locator("#compose-precision").select_option("hidden")
        self.expect(self.page.locator(".cell").is_hidden(), "a hidden place is drawn as a square")
        self.page.locator("#compose-precision").select_option("0.1")

    def check_added(self):
        """Saving sends the story once, then its picture without what the camera wrote."""
        self.page.locator("#compose input[value=private]").check()
        self.page.fill("#compose-tags", "checks\nmaps, and more")
        # The browser's protocol leaves out the bytes of a Blob, so the page's own call is watched.
        self.page.evaluate("""() => {
            const ask = window.fetch;
            window.sentPictures = [];
            window.fetch = async (url, options = {}) => {
                if (options.method === "PUT") {
                    const bytes = new Uint8Array(await new Response(options.body).arrayBuffer());
                    window.sentPictures.push(Array.from(bytes));
                }
                return ask(url, options);
            };
        }""")
        with self.page.expect_request(lambda request: request.method == "PUT") as put:
            self.press("#compose-save")
        self.page.wait_for_selector("#compose:not([open])", state="attached")
        pictures = self.page.evaluate("window.sentPictures")
        self.expect(len(pictures) == 1, f"{len(pictures)} pictures are sent")
        sent = bytes(pictures[0]) if pictures else b""
        self.expect(sent.startswith(b"\xff\xd8") and b"Exif" not in sent, "the picture is sent with what the camera wrote")
        self.expect(put.value.headers.get("content-type") == "image/jpeg", "the picture is not sent as what it is")
        self.settle()
        self.story = self.mine(self.title)
        self.expect(self.story is not None, "the story that was added is not there")
        if not self.story:
            return
        properties = self.story["properties"]
        self.expect(properties["privacy"] == "private" and properties["tags"] == ["checks", "maps, and more"], f"not as it was written: {properties['tags']}")
        self.expect(properties["thumbnail"] is not None and properties["alt"], "the story has no picture")
        self.expect((properties["location"]["precision"], properties["location"]["cell"]) == ("approximate", 0.1), "the place is not as precise as chosen")

    def mine(self, title):
        """The viewer's newest story of this title, or None."""
        found = self.ask("/v1/stories?view=mine&limit=10")["features"]
        return next((story for story in found if story["properties"]["title"] == title), None)

    def open_own(self, button):
        """Opens the story of this check, and presses one of the buttons under it."""
        self.follow(f"story={self.story['id']}")
        self.page.wait_for_selector("#list .own button")
        self.settle()
        self.press(f"#list .own button:has-text('{button}')")

    def check_changed(self):
        """Only what was changed is sent; removing the place keeps the story."""
        if not self.story:
            return
        self.open_own("Change")
        self.page.wait_for_selector("#compose[open] .pin")
        self.settle()
        self.picture("compose-change")
        self.page.fill("#compose-text", "Told later.")
        with self.page.expect_request(lambda request: request.method == "PATCH") as patch:
            self.press("#compose-save")
        self.expect(json.loads(patch.value.post_data) == {"text": "Told later."}, f"more than the change is sent: {patch.value.post_data}")
        self.page.wait_for_selector("#compose:not([open])", state="attached")
        self.open_own("Change")
        self.page.wait_for_selector("#compose-place-remove:visible")
        self.press("#compose-place-remove")
        self.press("#compose-save")
        self.page.wait_for_selector("#compose:not([open])", state="attached")
        self.settle()
        kept = self.ask(f"/v1/stories/{self.story['id']}")
        self.expect(kept.get("text") == "Told later." and kept.get("location") is None, "removing the place does not keep the rest")

    def check_undo(self):
        """A deletion can be taken back by the keyboard, and is done once it is confirmed."""
        if not self.story:
            return
        self.open_own("Delete")
        self.page.wait_for_selector("#undo:not([hidden])")
        self.expect(self.focused() == "undo-button", "the focus is not on the way back")
        self.settle()
        self.picture("undo")
        self.check_axe("with a deletion to take back")
        self.expect(self.page.locator("#list > li").count() == 0, "a deleted story is still listed")
        self.page.keyboard.press("Enter")
        self.expect(self.until("() => document.querySelectorAll('#list > li').length === 1", None), "taking back does not bring the story back")
        self.expect(self.mine(self.title) is not None, "a story that was taken back is gone")
        self.open_own("Delete")
        self.page.wait_for_selector("#undo:not([hidden])")
        with self.page.expect_request(lambda request: request.method == "DELETE"):
            self.press("#undo-now")
        self.settle()
        self.expect(self.mine(self.title) is None, "a deleted story is still there")

    def check_drafts(self):
        """Without a network a story waits, and is sent once when it returns."""
        self.follow("")
        self.page.wait_for_selector("#list > li")
        self.settle()
        title = f"{self.title} offline"
        self.is_cut = True
        self.page.context.set_offline(True)
        self.press("#add")
        self.page.wait_for_selector("#compose[open]")
        self.page.fill("#compose-title", title)
        self.press("#compose-save")
        self.page.wait_for_selector("#drafts-open:visible")
        self.expect(self.page.inner_text("#drafts-open") == "1 draft", "a story without a network is not kept")
        self.press("#drafts-open")
        self.expect(self.focused() == "drafts-title", "the list of drafts does not take the focus")
        self.picture("drafts")
        self.check_axe("with drafts")
        self.page.keyboard.press("Escape")
        self.page.context.set_offline(False)
        self.expect(self.until("() => document.querySelector('#drafts-open').hidden", None), "a draft is not sent when the network returns")
        self.is_cut = False
        self.settle()
        listed = [story for story in self.ask("/v1/stories?view=mine&limit=10")["features"] if story["properties"]["title"] == title]
        self.expect(len(listed) == 1, f"a draft was sent {len(listed)} times")
        for story in listed:
            self.page.request.delete(f"{self.options.address.rstrip('/')}/v1/stories/{story['id']}", headers={"Waymark-Page": "1"})

    def check_press(self):
        """The context key, the other mouse button and a long press add a story at a point; Escape keeps what was typed."""
        canvas = self.page.locator("#canvas canvas")
        canvas.focus()
        self.page.keyboard.press("Shift+F10")
        self.page.wait_for_selector("#compose[open] .pin")
        self.page.keyboard.press("Escape")
        self.expect(self.page.locator("#compose[open]").count() == 0, "Escape does not close the dialog")
        self.expect(self.page.locator("#drafts-open").is_hidden(), "an empty story is kept as a draft")
        if self.name.startswith("phone"):
            self.long_press(canvas)
        else:
            canvas.click(button="right", position={"x": 40, "y": 40})
        self.page.wait_for_selector("#compose[open] .pin")
        self.page.fill("#compose-title", self.title)
        self.page.keyboard.press("Escape")
        self.expect(self.page.inner_text("#drafts-open") == "1 draft", "Escape loses what was written")
        self.press("#drafts-open")
        self.press("#drafts-list button:has-text('Delete')")
        self.expect(self.until("() => document.querySelectorAll('#drafts-list > li').length === 0", None), "a draft cannot be deleted")
        self.page.keyboard.press("Escape")

    def long_press(self, canvas):
        """A finger that stays where it is for a moment."""
        box = canvas.bounding_box()
        finger = self.page.context.new_cdp_session(self.page)
        finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": box["x"] + 40, "y": box["y"] + 40}]})
        self.page.wait_for_timeout(900)
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
