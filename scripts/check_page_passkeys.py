"""The flows of check-page with passkeys: Chromium's own authenticator makes them and signs in with them.

Passkeys need an https address with a name, or localhost: elsewhere the page says so, and only that is looked at.
"""

AUTHENTICATOR = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
                 "isUserVerified": True, "automaticPresenceSimulation": True}
SAYS = "([path, words]) => document.querySelector(path)?.textContent.includes(words)"
SIGNED_OUT = "() => document.querySelector('#account')?.innerText === 'Sign in' && !document.querySelector('dialog[open]')"
SIGNED_IN = "() => document.querySelector('#account')?.innerText !== 'Sign in' && !document.querySelector('#sign-in[open]')"


class PasskeyFlows:
    """What a reader does with passkeys; mixed into the check of one page, which has `page`, `expect` and `until`."""

    def check_passkeys(self):
        if not self.ask("/v1/session")["ways"]["passkeys"]:
            return self.check_no_passkeys()
        devices = self.page.context.new_cdp_session(self.page)
        devices.send("WebAuthn.enable", {"enableUI": False})
        device = devices.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})["authenticatorId"]
        self.quiet = True  # refused answers stand in the console
        try:
            self.check_adding(devices, device)
            self.check_signing_in(devices, device)
            self.check_refusals(devices, device)
            self.check_removing(devices, device)
        finally:
            self.quiet = False
            devices.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": device})
            devices.detach()
        return None

    def check_no_passkeys(self):
        """Without an https address and a name, the page says what passkeys need, and offers none."""
        print(f"{self.name}: passkeys not tried; they need the service at https or at http://localhost")
        self.page.click("#account")
        self.expect(self.until(SAYS, ["#passkeys", "need this service to have an https address"]), "it is not said why there are no passkeys")
        self.expect(self.page.locator("#passkey-name").is_hidden(), "a passkey is offered where there can be none")
        self.page.keyboard.press("Escape")

    def keep_passkeys(self, devices, device):
        return devices.send("WebAuthn.getCredentials", {"authenticatorId": device})["credentials"]

    def check_adding(self, devices, device):
        """A passkey is named and added with the keyboard alone; the same device gets no second one."""
        self.page.locator("#account").focus()
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector("#passkey-name")
        self.expect(self.page.input_value("#passkey-name") != "", "no name is proposed for a passkey")
        self.page.locator("#passkey-name").fill("")
        self.page.keyboard.press("Enter")
        self.expect(self.until(SAYS, ["#passkey-problem", "Type a name first"]), "a passkey without a name is not asked for one")
        before = self.page.locator("#passkeys li").count()
        self.page.keyboard.type(f"Phone <b>{self.name}</b>")
        self.page.keyboard.press("Enter")
        grown = "before => document.querySelectorAll('#passkeys li').length === before + 1"
        self.expect(self.until(grown, before), f"no passkey is added: {self.page.inner_text('#passkeys')!r}")
        self.expect("not used yet" in self.page.inner_text("#passkeys li >> nth=0"), "a new passkey does not say that it was not used")
        made = self.keep_passkeys(devices, device)
        self.expect(len(made) == 1 and made[0]["isResidentCredential"], "the device keeps no passkey that it can offer by itself")
        self.settle()
        self.picture("passkeys")
        self.check_axe("with passkeys listed")
        self.check_reflow()
        self.page.fill("#passkey-name", "Again")
        self.page.click("#passkeys [type=submit]")
        self.expect(self.until(SAYS, ["#passkey-problem", "has a passkey for this account already"]), "the same device gets a second passkey")
        self.page.keyboard.press("Escape")

    def leave(self):
        """Signs out, and opens the dialog that signs in."""
        self.page.click("#account")
        self.page.wait_for_selector("#devices > li")
        self.page.click("#sign-out")
        self.expect(self.until(SIGNED_OUT, None), "signing out does not sign out")
        self.page.wait_for_selector("#list > li")
        self.settle()
        self.page.click("#account")
        self.page.wait_for_selector("#passkey-go")

    def enter(self):
        """Presses the button for a passkey with the keyboard, and waits until somebody is signed in."""
        self.page.locator("#passkey-go").focus()
        self.page.keyboard.press("Enter")
        self.expect(self.until(SIGNED_IN, None), f"a passkey does not sign in: {self.page.inner_text('#sign-in')!r}")
        self.settle()

    def refused(self, words):
        self.page.click("#passkey-go")
        self.expect(self.until(SAYS, ["#passkey-choice", words]), f"it is not said that “{words}”: {self.page.inner_text('#passkey-choice')!r}")
        self.until("() => !document.querySelector('#passkey-go').disabled", None)

    def check_signing_in(self, devices, device):
        """A passkey alone signs in, without any name typed, and its use is shown."""
        name = self.page.inner_text("#account")
        self.leave()
        self.picture("passkey-sign-in")
        self.check_axe("with a passkey to sign in by")
        self.enter()
        self.expect(self.page.inner_text("#account") == name, "a passkey signs in somebody else")
        count = self.keep_passkeys(devices, device)[0]["signCount"]
        self.expect(count > 0, "the device of the check does not count its signatures")
        self.page.click("#account")
        self.expect(self.until(SAYS, ["#passkeys li", "used "]), "the use of a passkey is not shown")
        self.page.keyboard.press("Escape")

    def check_refusals(self, devices, device):
        """A device that does not know who is there, and a passkey that may have been copied, sign nobody in."""
        self.leave()
        devices.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
        self.refused("you cancelled, or it took too long")
        devices.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": True})
        kept = self.keep_passkeys(devices, device)[0]
        self.put_back(devices, device, kept | {"signCount": 0})
        self.refused("went backwards")
        self.put_back(devices, device, kept)
        self.enter()

    def put_back(self, devices, device, credential):
        devices.send("WebAuthn.removeCredential", {"authenticatorId": device, "credentialId": credential["credentialId"]})
        devices.send("WebAuthn.addCredential", {"authenticatorId": device, "credential": credential})

    def check_removing(self, devices, device):
        """A removed passkey is gone from the list and signs in no more; adding it anew does."""
        self.page.click("#account")
        remove = self.page.locator("#passkeys li", has_text=self.name).locator("button")
        remove.wait_for()
        before = self.page.locator("#passkeys li").count()
        remove.press("Enter")
        self.expect(self.page.locator("#passkeys li").count() == before, "a passkey is removed without being asked twice")
        remove.press("Enter")
        fewer = "before => document.querySelectorAll('#passkeys li').length === before - 1"
        self.expect(self.until(fewer, before), "a passkey is not removed")
        self.expect(self.until("() => document.activeElement.id === 'passkeys-title'", None), "the focus is lost after a removal")
        self.page.keyboard.press("Escape")
        token = self.options.token
        self.leave()
        self.refused("not known here")
        self.page.keyboard.press("Escape")
        answer = self.page.evaluate("""async token => (await fetch('/v1/session', { method: 'POST', body: JSON.stringify({ token }),
            headers: { 'Content-Type': 'application/json', 'Waymark-Page': '1' } })).status""", token)
        self.expect(answer == 201, f"the token does not sign in again ({answer})")
        self.page.reload(wait_until="load")
        self.page.wait_for_selector("#list > li")
        self.settle()
