package import Passkeys

extension PasskeyError: RefusalConvertible {
    /// The error for people.
    package var refusal: Refusal {
        switch self {
        case .unreadable:
            Refusal(.invalid, "passkey-unreadable", "The answer of the passkey cannot be read. Try again.")
        case .unknownChallenge, .wrongChallenge:
            Refusal(
                .forbidden,
                "passkey-other-question",
                "The passkey answered another question than the one asked here. Try again."
            )
        case .expiredChallenge:
            Refusal(.gone, "passkey-expired", "That took longer than five minutes. Try again.")
        case .wrongCeremony:
            Refusal(.forbidden, "passkey-other-purpose", "The passkey was asked for something else. Try again.")
        case .wrongOrigin, .embedded:
            Refusal(
                .forbidden,
                "passkey-other-origin",
                "Passkeys work only on the page of this service at its own address. Open that page itself, then try again."
            )
        case .wrongSite:
            Refusal(.forbidden, "passkey-other-site", "This passkey belongs to another site. Choose one of this site.")
        case .absentUser:
            Refusal(.forbidden, "passkey-nobody-there", "The device did not notice anybody. Touch it and try again.")
        case .unverifiedUser:
            Refusal(
                .forbidden,
                "passkey-unverified",
                "The device did not check who you are. Set up a PIN, a fingerprint or a face on it, then try again."
            )
        case .unknownKey:
            Refusal(
                .invalid,
                "passkey-unknown-key",
                "The passkey has a key that this service does not know: it takes ES256, EdDSA and RS256. Use another device."
            )
        case .wrongSignature: Refusal.unknownPasskey
        case .counterWentBack:
            Refusal(
                .forbidden,
                "passkey-counter",
                """
                The counter of this passkey went backwards, so there may be a copy of it in other hands. It does not sign \
                in. Sign in another way, remove the passkey under Devices, and add a new one.
                """
            )
        }
    }
}

extension Refusal {
    /// Nobody here has the passkey, or the signature does not fit; the answer is the same for both.
    static let unknownPasskey = Refusal(
        .forbidden,
        "unknown-passkey",
        "This passkey is not known here, or no longer. Sign in another way, then add it again under Devices."
    )
}
