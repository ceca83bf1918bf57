package import Stories

/// The limits on attempts to sign in and on the e-mails that they cause.
///
/// They hold whatever else is limited, and depend only on what callers send, never on whether an account exists.
package final class SignInLimits: Sendable {
    /// The maximum number of short codes tried within an hour, by one client and by all together.
    ///
    /// With a thousand valid codes of 50 bits, all attempts of a year together find one with a chance of 5 in a million.
    package static let typed = (byClient: 30.0, byAll: 600.0)
    /// The maximum number of e-mails asked for within an hour: by one client, and for one mailbox.
    package static let mails = (byClient: 10.0, toMailbox: 3.0)
    /// The maximum number of answers of the provider that are looked at within an hour: from one client, and from all.
    ///
    /// Each costs the provider a request. A whole parish behind one address still gets in.
    package static let provided = (byClient: 300.0, byAll: 3_000.0)
    /// The name of all callers whose address is unknown.
    private static let unknown = "unknown"
    private static let hour = 3_600.0

    private let typedByClient = SignInLimits.perHour(typed.byClient)
    private let typedByAll = SignInLimits.perHour(typed.byAll)
    private let mailsByClient = SignInLimits.perHour(mails.byClient)
    private let providedByClient = SignInLimits.perHour(provided.byClient)
    private let providedByAll = SignInLimits.perHour(provided.byAll)
    private let mailsToMailbox = SignInLimits.perHour(mails.toMailbox)

    /// Creates limits of which nothing is used up.
    package init() {}

    private static func perHour(_ count: Double) -> TokenBuckets {
        TokenBuckets(unitsPerSecond: count / hour, burst: count)
    }

    /// Counts an attempt with a short code, right or wrong.
    ///
    /// - Throws: ``Refusal`` (429) beyond the limit, before the code is looked up.
    func countCode(by client: String?, at now: Timestamp) throws {
        try refuse(after: typedByClient.take(1, from: client ?? SignInLimits.unknown, now: now.milliseconds))
        try refuse(after: typedByAll.take(1, from: "", now: now.milliseconds))
    }

    /// Counts an answer of the provider that is about to be looked at.
    ///
    /// - Throws: ``Refusal`` (429) beyond the limit, before the provider is asked.
    package func countProvided(by client: String?, at now: Timestamp) throws {
        try refuse(after: providedByClient.take(1, from: client ?? SignInLimits.unknown, now: now.milliseconds))
        try refuse(after: providedByAll.take(1, from: "", now: now.milliseconds))
    }

    /// Counts a request for an e-mail.
    ///
    /// - Throws: ``Refusal`` (429) beyond the limit of the client.
    func countMailRequest(by client: String?, at now: Timestamp) throws {
        try refuse(after: mailsByClient.take(1, from: client ?? SignInLimits.unknown, now: now.milliseconds))
    }

    /// Counts an e-mail to a mailbox; returns whether it may be sent, which nobody sees.
    func allowsMail(to address: String, at now: Timestamp) -> Bool {
        mailsToMailbox.take(1, from: InvitationLimits.mailbox(address), now: now.milliseconds) == nil
    }

    private func refuse(after seconds: Int?) throws {
        guard let seconds else { return }
        throw Refusal.tooManyRequests(seconds: seconds)
    }
}
