import Notifications
import Storage
import Stories

// Sign-in links by e-mail.
extension SignInService {
    /// The maximum number of accounts named in one e-mail.
    static let accountsPerMail = 5

    /// Whether the operator has set up e-mail.
    package var canMail: Bool { egress.writer.credentials.allow(.email) }

    /// Notes that somebody asked for a sign-in e-mail to an address.
    ///
    /// Nothing is looked up meanwhile; see ``SignInMails``.
    ///
    /// - Throws: ``Refusal``: conflict if the operator has not set up e-mail, too many beyond the client's limit; never
    ///   for any reason that concerns the address.
    package func requestMail(to address: String, by client: String?) throws {
        guard canMail else {
            throw Refusal(.conflict, "no-email", "This service sends no e-mail. Ask its operator for a code.")
        }
        try limits.countMailRequest(by: client, at: context.clock.lasting)
        mails.add(address)
    }

    /// Enqueues an e-mail with a link for each account that has the address; returns the number of accounts.
    ///
    /// - Throws: `StoreError` if the database fails.
    @discardableResult
    package func mail(to address: String) async throws -> Int {
        guard canMail, Invitation.isEmail(address), limits.allowsMail(to: address, at: context.clock.lasting) else {
            return 0
        }
        let users = try await store.read { try $0.users(withEmail: address, limit: SignInService.accountsPerMail) }
        guard !users.isEmpty else { return 0 }
        let codes = users.map { _ in SignInCode(.linked, random: random) }
        var generator = random
        let (channel, now) = (StoryID(using: &generator).description, now())
        try await store.write { [self] transaction in
            try enqueue(Array(zip(users, codes)), through: channel, at: now, in: transaction)
        }
        return users.count
    }

    /// Stores the codes, and enqueues the e-mail, whose links are sealed like the secrets of channels.
    private func enqueue(
        _ codes: [(user: User, code: SignInCode)],
        through id: String,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws {
        let end = now.advanced(byMilliseconds: Int64(SignInService.mailSeconds) * 1_000)
        // The address as an account has it, not as somebody typed it.
        guard let first = codes.first?.user, let address = first.email else { return }
        var fields = ["address": address]
        for (number, (user, code)) in codes.enumerated() {
            try transaction.insert(
                StoredSignInCode(
                    digest: code.digest(keys: store.keys),
                    user: user.id,
                    kind: .mail,
                    email: user.email,
                    createdAt: now,
                    expiresAt: end
                )
            )
            fields["code\(number)"] = code.text
        }
        let channel = ChannelRow(
            id: id,
            user: first.id,
            kind: .email,
            name: nil,
            target: try ChannelSeal(keys: store.keys).seal(fields, of: id, random: random),
            state: .single,
            createdAt: now
        )
        try transaction.save(channel)
        try transaction.enqueue(
            feed.messageID(of: "waymark sign-in mail 1|\(id)"),
            type: .signInMail,
            through: channel,
            at: now,
            expiresAt: end
        )
    }
}
