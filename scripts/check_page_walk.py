"""The flows of check-page on the page /walk: a way past a story, drawn and walked by keyboard, step by step."""
import json
import urllib.parse


class WalkFlows:
    """What a developer does to see why a notification comes; mixed into the check of one page, as ExploreFlows is."""

    def check_walk(self):
        """Needs somebody who is signed in, and a story with a place."""
        found = self.ask("/v1/stories?limit=50").get("features", [])
        places = [feature["geometry"]["coordinates"] for feature in found if feature.get("geometry")]
        self.page.goto(urllib.parse.urljoin(self.options.address, "/walk"), wait_until="commit")
        self.page.wait_for_selector("#account:not(:empty)")
        self.settle()
        self.picture("walk")
        self.check_axe("on the page of walks")
        self.check_reflow()
        if not places:
            return
        self.check_walk_refusals()
        longitude, latitude = places[0]
        for offset in (-0.006, 0, 0.006):
            self.page.fill("#point", f"{latitude + offset:.6f}, {longitude:.6f}")
            self.page.keyboard.press("Enter")
        self.expect(self.page.locator("#points > li").count() == 3, "three points typed are not three points of the way")
        self.press("#undo")
        self.page.fill("#point", f"{latitude + 0.006:.6f} {longitude:.6f}")
        self.press("#add-point")
        self.page.check("#forget")
        self.page.fill("#radius", "150")
        self.press("#walk")
        self.page.wait_for_selector("#result:not([hidden])")
        self.settle()
        self.check_walk_result()
        self.check_walk_file(latitude, longitude)
        self.page.goto(self.options.address, wait_until="commit")
        self.page.wait_for_selector("#list > li")
        self.settle()

    def check_walk_refusals(self):
        """What is missing or wrong is said, and the focus goes there."""
        self.press("#walk")
        self.expect(self.focused() == "point" and "two points" in self.page.inner_text("#form-problem"), "a walk without a way is not refused in words")
        self.page.fill("#point", "nowhere at all 123456")
        self.page.keyboard.press("Enter")
        self.expect(self.until("_ => document.querySelector('#point-problem').innerText !== ''", None), "a place that is not known is not refused")
        self.page.fill("#noise", "900")
        self.page.fill("#point", "1, 1")
        self.page.keyboard.press("Enter")
        self.page.fill("#point", "1, 1.001")
        self.page.keyboard.press("Enter")
        self.press("#walk")
        self.expect(self.focused() == "noise", "a number out of bounds does not get the focus")
        self.check_axe("with a number refused")
        self.page.fill("#noise", "0")
        self.press("#clear")
        self.expect(self.page.locator("#points > li").count() == 0, "removing all points leaves some")

    def check_walk_result(self):
        """The list says each step, the keys move through them, and what is downloaded is what is shown."""
        self.expect(self.focused() == "result-title", "the result does not take the focus")
        self.expect("fence" in self.page.inner_text("#result-state"), "the result does not say what was near the way")
        events = self.page.locator("#events button")
        self.expect(events.count() > 0, "a walk past a story lists no step at which something changed")
        self.picture("walk-result")
        self.check_axe("with the result of a walk")
        self.check_reflow()
        self.press("#next")
        second = self.page.inner_text("#step")
        self.expect(second.startswith("Step 2 of"), "the next step is not shown")
        self.press("#previous")
        self.expect(self.page.inner_text("#step").startswith("Step 1 of"), "the step before is not shown")
        last = events.last
        last.focus()
        self.page.keyboard.press("Enter")
        self.expect(last.get_attribute("aria-current") == "step", "a step of the list is not marked as the one shown")
        self.expect("Rule:" in self.page.inner_text("#step") or "Notification" in self.page.inner_text("#step") or "visit" in self.page.inner_text("#step"),
                    "a step does not say why")
        self.picture("walk-step")
        self.press("#first")
        self.page.select_option("#pace", "600")
        self.press("#play")
        moved = self.until("_ => !document.querySelector('#step').innerText.startsWith('Step 1 of')", None)
        self.expect(moved, "a walk that plays does not move")
        self.press("#play")
        with self.page.expect_download() as download:
            self.press("#download")
        lines = [json.loads(line) for line in download.value.path().read_text(encoding="utf-8").splitlines()]
        steps = sum(line["type"] == "step" for line in lines)
        self.expect(second.startswith(f"Step 2 of {steps},"), f"the download has {steps} steps, not as many as the page")

    def check_walk_file(self, latitude, longitude):
        """A recording is taken as a file."""
        rows = "".join(f"2026-03-02T08:00:{second:02}Z,{latitude},{longitude},8\n" for second in range(0, 60, 5))
        self.page.check("input[name=way][value=file]")
        self.page.set_input_files("#file", {"name": "walk.csv", "mimeType": "text/csv", "buffer": f"time,lat,lon,accuracy\n{rows}".encode()})
        self.press("#walk")
        taken = self.until("_ => document.querySelector('#result-state').innerText.startsWith('12 fixes')", None)
        self.expect(taken, "a recording of twelve fixes is not walked")
