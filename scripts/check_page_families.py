"""The flows of check-page that families do together: members, invitations, named places, trips, and on this day."""
import time
import urllib.parse


class FamilyFlows:
    """What a family does together, by keyboard alone; mixed into the check of one page. What it makes it removes again."""

    def check_families(self):
        self.check_on_this_day()
        if not self.options.token:
            return
        self.check_members()
        self.check_invitation_by_code()
        if not self.options.without_map:
            self.check_places()
        self.check_trips()

    def send(self, method, path, body=None):
        """Changes something beside the page, as who is signed in."""
        answer = self.page.request.fetch(urllib.parse.urljoin(self.options.address, path), method=method, data=body,
                                         headers={"Waymark-Page": "1"})
        return answer.json() if answer.body() else None

    def typed(self, selector, text):
        self.page.locator(selector).focus()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def says(self, selector, words):
        said = "([path, words]) => document.querySelector(path)?.innerText.includes(words)"
        self.expect(self.until(said, [selector, words]), f"{selector} does not say “{words}”")

    def from_account(self, button):
        """Opens something from the dialog of the account."""
        self.press("#account")
        self.page.wait_for_selector("#signed-in[open]")
        self.press(button)

    def check_fits(self, selector):
        """Nothing of a panel or dialog is wider than the screen, and its buttons are large enough for a finger."""
        node = self.page.locator(selector)
        wide = node.evaluate("node => node.scrollWidth > node.clientWidth + 1 || node.getBoundingClientRect().right > innerWidth + 1")
        self.expect(not wide, f"{selector} is wider than the screen")
        small = node.evaluate("""node => [...node.querySelectorAll("button, select, input:not([type=radio]), summary")]
            .filter(one => one.checkVisibility()).filter(one => { const box = one.getBoundingClientRect(); return box.height < 24 || box.width < 24; })
            .map(one => one.innerText || one.id)""")
        self.expect(small == [], f"{selector} has targets that are too small: {small}")

    def check_on_this_day(self):
        """The button narrows everything to today's day of any year, as a chip that can be removed."""
        day = time.strftime("%m-%d")
        self.press("#on-this-day")
        self.expect(self.until("day => location.hash.includes(`on=${day}`)", day), "“On this day” does not stand in the address")
        self.page.wait_for_selector("#chips .chip")
        self.settle()
        box = self.ask(f"/v1/stories?limit=1&on={day}")["numberMatched"]
        self.expect(self.counts()[1] <= box, f"the list has more than the {box} stories of this day")
        self.expect(self.page.locator("#on-this-day").get_attribute("aria-pressed") == "true", "the button does not say that it is on")
        self.picture("on-this-day")
        self.check_axe("on this day")
        self.press("#chips .chip")
        self.expect(self.until("() => !location.hash.includes('on=')", None), "removing the chip leaves the day")
        self.settle()
        self.follow("on=06-19")
        self.page.wait_for_selector("#chips .chip")
        self.settle()
        self.expect("19 June" in self.page.inner_text("#chips"), "a link to a day is not said as a day")
        found = self.ask("/v1/stories?limit=1&on=06-19&bbox=-180,-90,180,90")["numberMatched"]
        self.expect(self.counts()[1] <= found, f"a link to 19 June lists more than its {found} stories")
        self.press("#on-this-day")
        self.expect(self.until("() => !location.hash.includes('on=')", None), "the button does not end the day")
        self.settle()

    def check_members(self):
        """A family is made, somebody invited, the invitation withdrawn, the family renamed and deleted."""
        self.from_account("#families-open")
        self.page.wait_for_selector("#family-name")
        self.picture("families")
        self.check_axe("with the families open")
        self.check_fits("#families")
        self.press("#families form button[type=submit]")
        self.says("#families", "Name the family first.")
        self.typed("#family-name", "Flow test")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#invite-whom")
        self.says("#families-title", "Flow test")
        self.typed("#invite-whom", "not an address")
        self.page.keyboard.press("Enter")
        self.says("#families .field-problem", "not a valid e-mail")
        self.typed("#invite-whom", "aunt@example.org")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#invitation-link")
        self.expect("/#invitation=" in self.page.input_value("#invitation-link"), "the invitation has no link")
        self.code = self.page.inner_text(".invitation-code")
        self.expect(self.page.locator("#families .qr").evaluate("image => image.complete && image.naturalWidth > 20"), "the QR code is no image")
        self.settle()
        self.picture("invited")
        self.check_axe("with an invitation made")
        self.check_fits("#families")
        self.page.locator("#families .qr").scroll_into_view_if_needed()
        self.picture("invited-code")

    def elsewhere(self, user=None):
        """The page as somebody else has it open: nobody signed in, or another user of the demo."""
        width, height = (self.page.viewport_size[name] for name in ("width", "height"))
        context = self.page.context.browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
        if user:
            context.request.post(urllib.parse.urljoin(self.options.address, "/v1/session"), data={"demo_user": user}, headers={"Waymark-Page": "1"})
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.goto(self.options.address)
        page.wait_for_selector("#on-this-day")
        return page

    def check_somebody_else(self):
        """Another user accepts an invitation, is given a role, and leaves; who invited sees what became of it."""
        me = self.ask("/v1/session")
        others = [user for user in me["ways"]["demo_users"] if user["id"] != me["user"]["id"]]
        if not others:
            return print(f"{self.name}: no other user of a demo, accepting an invitation not tried")
        self.page.locator("#families input[value=user]").focus()
        self.page.keyboard.press("Space")
        self.typed("#invite-whom", others[0]["id"])
        self.page.keyboard.press("Enter")
        self.says("#families", "is invited")
        mine, self.page = self.page, self.elsewhere(others[0]["id"])
        try:
            self.from_account("#families-open")
            self.says("#families", "invites you to the family Flow test")
            self.picture("received")
            self.check_axe("with an invitation received")
            self.press("#families .together-card button:text-is('Accept')")
            self.says("#families", "You belong to Flow test now.")
            theirs, self.page = self.page, mine
            self.press("#families button:text-is('All families')")
            self.press("#families [aria-label='Open Flow test']")
            self.says("#members-title", "2 members")
            role = self.page.locator("#families select[aria-label^='Role of']")
            role.focus()
            role.select_option("admin")
            self.says("#families", "is admin now")
            self.check_fits("#families")
            self.picture("members")
            self.check_axe("with members and their roles")
            self.page = theirs
            self.press("#families [aria-label='Open Flow test']")
            leave = "#families button:text-is('Leave the family')"
            self.page.wait_for_selector(leave)
            self.press(leave)
            self.page.keyboard.press("Enter")
            self.says("#families", "You left Flow test.")
            self.press("#families details summary")
            self.says("#families details", "accepted")
        finally:
            if self.page is not mine:
                self.page.context.close()
                self.page = mine
        self.press("#families button:text-is('All families')")
        self.press("#families [aria-label='Open Flow test']")
        self.says("#members-title", "1 member")
        self.expect(self.until("() => document.querySelector('#families .outcome.accepted') !== null", None), "who invited does not see that it was accepted")

    def check_invitation_by_code(self):
        """The short code leads to the invitation; what became of it is listed; the family goes again."""
        mine, self.page = self.page, self.elsewhere()
        try:
            self.press("#account")
            self.typed("#code", self.code.lower().replace("-", " "))
            self.page.keyboard.press("Enter")
            self.says("#invitation-words", "invites you to the family Flow test")
            self.expect(self.page.locator("#join-form").is_visible(), "the code of an invitation offers no account")
            self.picture("by-code")
        finally:
            self.page.context.close()
            self.page = mine
        self.check_somebody_else()
        self.press("#families [aria-label^='Withdraw']")
        self.says("#families", "is withdrawn")
        self.press("#families details:has(.outcome.withdrawn) summary")
        self.says("#families .outcome.withdrawn", "withdrawn")
        self.picture("outcome")
        self.check_axe("with the outcome of an invitation")
        self.press("#families details:has(#family-rename) summary")
        self.typed("#family-rename", "Flow test two")
        self.page.keyboard.press("Enter")
        self.says("#families-title", "Flow test two")
        end = "#families button:text-is('Delete the family')"
        self.press(end)
        self.page.keyboard.press("Enter")
        self.says("#families", "is deleted")
        left = [family["name"] for family in self.ask("/v1/families?limit=100")["families"]]
        self.expect(not any(name.startswith("Flow test") for name in left), "the deleted family stays")
        self.page.keyboard.press("Escape")
        self.settle()

    def check_places(self):
        """An area is named with a radius, drawn, renamed and removed."""
        self.follow("map=15/33.7554/-84.3736")
        self.page.wait_for_selector("#on-this-day")
        self.settle()
        self.from_account("#places-open")
        self.page.wait_for_selector("#name-area")
        self.press("#name-area")
        self.page.wait_for_selector("#place-name")
        self.settle()
        self.typed("#place-name", "Grandmother’s porch")
        slider = self.page.locator("#place-radius")
        slider.focus()
        before = self.page.locator(".named-place.draft").get_attribute("r")
        for _ in range(6):
            self.page.keyboard.press("ArrowRight")
        self.settle()
        self.expect(slider.get_attribute("aria-valuetext") == "105 m", "the slider does not say its metres")
        self.expect(self.page.locator(".named-place.draft").count() == 1 and before, "the area is not drawn while it is chosen")
        # A press on the map moves the area there, and is heard once.
        place = self.page.locator(".named-place.draft").bounding_box()
        free = """([x, y, width, height]) => [[0.3, 0.75], [0.7, 0.3], [0.5, 0.9], [0.3, 0.2], [0.9, 0.6], [0.1, 0.6]].map(([across, down]) => [x + across * width, y + down * height])
            .find(([x, y]) => document.elementFromPoint(x, y)?.matches("canvas"))"""
        spot = self.page.evaluate(free, [place[name] for name in ("x", "y", "width", "height")])
        if spot and self.page.evaluate("navigator.maxTouchPoints > 0"):
            self.page.touchscreen.tap(*spot)
        elif spot:
            self.page.mouse.click(*spot)
        else:  # on a very low screen the map is out of sight: the button is there all the same
            self.press("#named-places form button:text-is('Move it to the middle of the map')")
        self.says("#named-places .panel-state", "The area is moved.")
        now = self.page.locator(".named-place.draft").bounding_box()
        self.expect(not spot or abs(now["x"] + now["width"] / 2 - spot[0]) < 4, "the area is not where the map was pressed")
        self.picture("place-form")
        self.check_axe("naming an area")
        self.check_fits("#named-places")
        self.press("#named-places button[type=submit]")
        self.says("#named-places", "is on the map")
        self.expect(self.until("() => document.querySelectorAll('.named-place').length > 0", None), "the named place is not on the map")
        self.expect(self.until("() => [...document.querySelectorAll('.place-label')].some(one => one.textContent.includes('porch'))", None), "the place has no label")
        self.picture("place-named")
        self.check_axe("with named places open")
        row = "#named-places li:has-text('porch')"
        self.press(f"{row} button:text-is('Change')")
        self.page.wait_for_selector("#place-name")
        self.typed("#place-name", "The old porch")
        self.page.keyboard.press("Enter")
        self.says("#named-places", "The old porch")
        self.press(f"{row} button:text-is('Remove')")
        self.page.keyboard.press("Enter")
        self.says("#named-places", "no longer named")
        self.expect(self.until("() => ![...document.querySelectorAll('.place-label')].some(one => one.textContent.includes('porch'))", None), "the place stays on the map")
        self.page.keyboard.press("Escape")
        self.expect(self.page.locator("#named-places").is_hidden(), "Escape does not close the named places")

    def check_trips(self):
        """A trip is made, stories come into it from the list, are ordered by keys, walked through, and the trip goes again."""
        user = self.ask("/v1/session")["user"]["id"]
        self.remove_trip(user)
        mine = [self.send("POST", "/v1/stories", {"kind": "photo", "title": f"Stop {name}", "privacy": "private", "location": {"lat": lat, "lon": -84.37}})
                for name, lat in (("A", 33.75), ("B", 33.76), ("C", 33.77))]
        try:
            self.follow(f"stories={','.join(story['id'] for story in mine)}")
            self.page.wait_for_selector("#list > li:nth-child(3)")
            self.settle()
            for number in range(3):
                self.press(f"#list > li:nth-child({number + 1}) .own button:text-is('Add to a trip')")
                self.page.wait_for_selector("#trip-add[open] #trip-choice")
                if number == 0:
                    self.page.locator("#trip-choice").select_option("new")
                    self.typed("#trip-name", "Flow trip")
                    self.picture("trip-add")
                    self.check_axe("adding to a trip")
                    self.check_fits("#trip-add")
                else:
                    self.page.locator("#trip-choice").select_option("trip Flow trip")
                self.press("#trip-add button[type=submit]")
                self.expect(self.until("() => !document.querySelector('#trip-add').open", None), "putting a story into a trip does not end")
                self.settle()
            self.press("#trips-open")
            self.page.wait_for_selector("#trips li button")
            self.settle()
            self.picture("trips")
            self.check_axe("with the trips open")
            self.check_fits("#trips")
            self.press("#trips li button:has-text('Flow trip')")
            self.page.wait_for_selector("#trip-stops li:nth-child(3)")
            titles = lambda: self.page.locator("#trip-stops bdi").all_inner_texts()
            first = titles()
            self.press("#trip-stops li:nth-child(1) .trip-stop", "Alt+ArrowDown")
            self.says("#trips .panel-state", "is number 2 now")
            self.expect(titles() == [first[1], first[0], first[2]], "Alt and an arrow key do not move a stop")
            self.press("#trip-stops li:nth-child(3) .trip-tools button:not(:disabled)")
            self.says("#trips .panel-state", "is number 2 now")
            trip = next(one for one in self.ask("/v1/collections?limit=100")["collections"] if one["title"] == "Flow trip" and one["owner"] == user)
            kept = [story["properties"]["title"] for story in self.ask(f"/v1/collections/{trip['id']}/stories")["features"]]
            self.expect(self.until("kept => JSON.stringify([...document.querySelectorAll('#trip-stops bdi')].map(one => one.innerText)) === JSON.stringify(kept)", kept), "the order is not kept")
            if not self.options.without_map:
                self.expect(self.page.locator(".trip-path").count() == 1 and self.page.locator(".stop").count() == 3, "the path of the trip is not drawn")
            for _ in range(2):
                self.press("#trip-next")
            self.says("#trip-now", "2 of 3")
            self.settle()
            self.picture("trip")
            self.check_axe("walking through a trip")
            self.check_fits("#trips")
            self.press("#trips button:text-is('Delete this trip')")
            self.page.keyboard.press("Enter")
            self.says("#trips", "is deleted")
            self.page.keyboard.press("Escape")
            self.expect(self.page.locator(".trip-path").count() == 0, "the path of a closed trip stays on the map")
        finally:
            for story in mine:
                self.send("DELETE", f"/v1/stories/{story['id']}")
            self.remove_trip(user)

    def remove_trip(self, user):
        """Removes the trip of this check, also where an earlier run was cut off."""
        for trip in self.ask("/v1/collections?limit=100")["collections"]:
            if trip["title"] == "Flow trip" and trip["owner"] == user:
                self.send("DELETE", f"/v1/collections/{trip['id']}")
