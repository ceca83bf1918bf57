"""The flows of check-page that filter, search and sort stories, all by keyboard."""
import re


def months(date):
    """A key to sort dates by, as far as they are given; stories without one come last."""
    return date or "9999"


class ExploreFlows:
    """What a reader does to find stories; mixed into the check of one page, which has `page`, `expect` and `until`."""

    def press(self, selector, key="Enter"):
        self.page.locator(selector).first.focus()
        self.page.keyboard.press(key)

    def focused(self):
        return self.page.evaluate("document.activeElement.id || document.activeElement.className")

    def hash(self):
        return self.page.evaluate("location.hash")

    def lists(self, count):
        """Waits until the list says that it is of this many stories."""
        words = f"of {count:,}" if count else ""
        listed = "words => document.querySelector('#list-count').innerText.endsWith(words) && !document.querySelector('#list-body').ariaBusy"
        return self.until(listed, words)

    def check_explore(self):
        self.check_filters()
        self.check_back()
        self.check_words()
        self.check_order()
        self.check_unplaced()

    def check_card(self):
        """A single marker opens a card, which Escape closes, and which leads to the story."""
        self.expect(self.page.evaluate("document.querySelector('#card').contains(document.activeElement)"), "the focus is not in the card")
        self.expect("story=" in self.hash(), "the address does not name the story of the card")
        self.picture("card")
        self.check_axe("with a card open")
        self.page.keyboard.press("Escape")
        self.expect(self.page.locator("#card").is_hidden(), "Escape does not close the card")
        self.expect(self.page.evaluate("document.activeElement.matches('.marker')"), "the focus did not return from the card to its marker")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#card-story")
        self.settle()
        self.press("#card-story")
        self.settle()
        self.expect(self.page.locator("#list > li").count() == 1, "the card's button does not list its story alone")
        self.check_story_page()

    def check_story_page(self):
        """The story's own page, in a tab of its own: tidy, as wide as the screen, and its panels open by keyboard."""
        address = self.page.locator("#list .story-open").first.evaluate("link => link.href")
        whole, self.page = self.page, self.page.context.new_page()
        try:
            self.page.goto(address, wait_until="load")
            self.page.wait_for_selector("#actions button")
            self.expect(self.page.locator("h1").count() == 1, "a story's page has not one heading")
            self.check_reflow()
            self.picture("story")
            for opener in self.page.locator("#actions [aria-expanded]").all():
                opener.focus()
                self.page.keyboard.press("Enter")
            self.check_axe("on a story's page")
            self.picture("story-open")
        finally:
            self.page.close()
            self.page = whole

    def check_filters(self):
        """The number beside a choice is the number of stories listed when it is chosen, and the markers follow."""
        self.press("#filter-open")
        self.page.wait_for_selector("#filters:not([hidden]) .choice")
        self.settle()
        self.expect(self.focused() == "filters-title", "the panel of filters does not take the focus")
        self.picture("filters")
        self.check_axe("with the filters open")
        self.check_reflow()
        row = self.page.locator(".filter-group:has(.choice .shape) .choice").first
        name, count = row.locator(".choice-name").inner_text(), int(row.locator(".choice-count").inner_text().replace(",", ""))
        row.locator("input").focus()
        self.page.keyboard.press("Space")
        self.expect(self.lists(count), f"choosing {name} does not list its {count} stories")
        self.settle()
        self.expect(self.page.evaluate("document.activeElement.type") == "checkbox", "choosing a filter loses the focus")
        self.expect("kind=" in self.hash(), "the address does not name the filter")
        labels = self.page.locator(".marker.single").evaluate_all("nodes => nodes.map(node => node.ariaLabel)")
        self.expect(all(label.startswith(name) for label in labels), f"markers of other kinds than {name} stay: {labels[:3]}")
        self.check_days()
        self.page.keyboard.press("Escape")
        self.expect(self.page.locator("#filters").is_hidden(), "Escape does not close the filters")
        self.expect(self.focused() == "filter-open", "the focus did not return to the button of the filters")
        self.expect("2 active" in self.page.locator("#filter-open").get_attribute("aria-label"), "the button does not say how many filters are on")
        self.picture("chips")
        self.check_axe("with filters on")

    def check_days(self):
        """The slider over the bars narrows the days, says them as dates, and steps through time."""
        slider = self.page.locator(".sliders input").first
        slider.focus()
        self.page.keyboard.press("ArrowRight")
        self.expect(re.search(r"\d{4}$", slider.get_attribute("aria-valuetext") or ""), "the slider does not say its day as a date")
        self.expect(self.until("() => /from=\\d/.test(location.hash)", None), "the slider does not narrow the days")
        self.settle()
        shown, matched = self.counts()
        fields = dict(part.split("=") for part in self.hash().lstrip("#").split("&"))
        bars = self.page.locator(".time-bar:not(.out)").count()
        self.expect(bars == self.page.locator(".time-bar").count() - 1, "the bars do not show which days are chosen")
        asked = self.ask(f"/v1/stories?limit=1&kind={fields['kind']}&from={fields['from']}&to={fields['to']}")
        self.expect(matched <= asked["numberMatched"], f"the list says {matched} of {asked['numberMatched']} in these days")

    def check_back(self):
        """A chip removes its filter; the browser's back button brings it back; one button removes all."""
        chips = self.page.locator("#chips .chip")
        self.expect(chips.count() == 2, f"{chips.count()} chips for two filters")
        self.press("#chips .chip")
        self.expect(self.until("() => document.querySelectorAll('#chips .chip').length === 1", None), "a chip does not remove its filter")
        self.expect(self.page.evaluate("document.activeElement.matches('.chip')"), "the focus does not move to the next chip")
        self.settle()
        self.page.go_back()
        self.expect(self.until("() => document.querySelectorAll('#chips .chip').length === 2", None), "the back button does not bring a filter back")
        self.settle()
        self.press("#clear-all")
        self.expect(self.until("() => !/kind=|from=/.test(location.hash)", None), "clearing all filters leaves some")
        self.settle()

    def check_words(self):
        """The box finds stories by their words, marks these, and the address brings the search back."""
        titles = [story["properties"]["title"] for story in self.ask("/v1/stories?limit=50&bbox=-180,-90,180,90")["features"]]
        words = sorted({word.lower() for title in titles for word in re.findall(r"[a-z]{5,}", title.lower())})
        word = words[len(words) // 2]
        box = self.page.locator("#place")
        box.fill(word)
        self.page.wait_for_selector("#places:not([hidden]) .story-option")
        self.settle()
        box.press("ArrowUp")
        box.press("Enter")
        self.expect(self.until("() => document.querySelectorAll('#list mark').length > 0", None), f"“{word}” is not marked in any story")
        self.settle()
        self.expect(self.counts()[1] > 0 and f"q={word}" in self.hash(), f"the address does not name the search for “{word}”")
        self.picture("words")
        self.check_axe("with words marked")
        address, listed = self.hash(), self.page.inner_text("#list-count")
        self.follow(address.lstrip("#"))
        self.page.wait_for_selector("#chips .chip")
        self.settle()
        self.expect(self.page.inner_text("#list-count") == listed and box.input_value() == word, "a link does not bring a search back")
        self.press("#chips .chip")
        self.expect(self.until("() => document.querySelector('#place').value === ''", None), "removing the search leaves its words in the box")
        self.settle()

    def check_order(self):
        """The list can be sorted by the date of the story and by distance."""
        order = self.page.locator("#sort")
        order.focus()
        self.page.keyboard.press("ArrowDown")
        self.expect(self.until("() => /sort=date/.test(location.hash)", None), "the list cannot be sorted by date")
        self.settle()
        dates = self.page.locator("#list > li").evaluate_all("items => items.map(item => item.querySelector('.facts').innerText.match(/\\b\\d{4}\\b/)?.[0] ?? null)")
        self.expect(dates == sorted(dates, key=months), f"not in the order of their dates: {dates}")
        order.select_option("nearest")
        self.expect(self.until("() => /sort=nearest/.test(location.hash)", None), "the list cannot be sorted by distance")
        self.settle()
        self.check_axe("sorted by distance")
        order.select_option("")
        self.settle()

    def check_unplaced(self):
        """Stories without a place have a list of their own."""
        count = self.ask("/v1/stories?placed=false&limit=1")["numberMatched"]
        button = self.page.locator("#unplaced")
        self.expect(button.is_visible() == (count > 0), f"the button of {count} stories without a place does not fit their number")
        if not button.is_visible():
            return
        self.press("#unplaced")
        self.expect(self.lists(count), f"the {count} stories without a place are not listed")
        self.settle()
        self.expect(self.page.locator("#list .to-map").count() == 0, "a story without a place is shown on the map")
        self.page.keyboard.press("Escape")
        self.settle()
        self.expect(self.page.locator("#back").is_hidden(), "Escape does not lead back from the stories without a place")
