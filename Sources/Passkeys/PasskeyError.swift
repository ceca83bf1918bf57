/// The reason why an answer of an authenticator is not accepted.
package enum PasskeyError: Error, Hashable, Sendable, CaseIterable {
    /// The bytes are not what a browser sends.
    case unreadable
    /// The challenge is not one of this service, or was given to somebody else.
    case unknownChallenge
    /// The challenge has expired.
    case expiredChallenge
    /// The answer is to another challenge.
    case wrongChallenge
    /// The answer was made for the other ceremony: adding instead of signing in, or the reverse.
    case wrongCeremony
    /// A page of another origin asked for the answer.
    case wrongOrigin
    /// The page that asked for the answer was embedded in a page of another origin.
    case embedded
    /// The passkey belongs to another site.
    case wrongSite
    /// Nobody was present at the authenticator.
    case absentUser
    /// The authenticator did not check who was present.
    case unverifiedUser
    /// The key is of a kind that was not asked for, or is not a valid key.
    case unknownKey
    /// The signature does not fit.
    case wrongSignature
    /// The counter of signatures went backwards: the passkey may have been copied.
    case counterWentBack
}
