package import Passkeys
package import Storage
package import Stories

/// Adds, lists and removes the passkeys of users, and signs people in with them (WebAuthn Level 2).
package struct PasskeyService: StoreService {
    /// The maximum number of passkeys of a user.
    package static let maximum = 20

    /// A question to an authenticator.
    package struct Question: Sendable {
        /// The random bytes to sign.
        package let challenge: [UInt8]
        /// What the browser returns with the answer.
        package let ticket: String
    }

    /// A question for a new passkey.
    package struct NewQuestion: Sendable {
        /// The challenge with its ticket.
        package let question: Question
        /// How the authenticator will know the user: random bytes that are not the user's id.
        package let handle: [UInt8]
        /// The account, whose name the authenticator shows.
        package let user: User
        /// The ids of the passkeys that the user has, so that no device gets a second one.
        package let known: [[UInt8]]
    }

    /// The answer to a question for a new passkey.
    package struct NewAnswer: Sendable {
        /// The ticket of the question.
        package let ticket: String
        /// The attestation object.
        package let attestation: [UInt8]
        /// The client data.
        package let clientData: [UInt8]

        /// Creates a value from its parts.
        package init(ticket: String, attestation: [UInt8], clientData: [UInt8]) {
            self.ticket = ticket
            self.attestation = attestation
            self.clientData = clientData
        }
    }

    /// The answer that signs in.
    package struct Answer: Sendable {
        /// The ticket of the question.
        package let ticket: String
        /// The id that the authenticator gave the passkey.
        package let credential: [UInt8]
        /// How the authenticator knows the user.
        package let handle: [UInt8]
        /// The authenticator's data.
        package let authenticatorData: [UInt8]
        /// The client data.
        package let clientData: [UInt8]
        /// The signature.
        package let signature: [UInt8]

        /// Creates a value from its parts.
        package init(
            ticket: String,
            credential: [UInt8],
            handle: [UInt8],
            authenticatorData: [UInt8],
            clientData: [UInt8],
            signature: [UInt8]
        ) {
            self.ticket = ticket
            self.credential = credential
            self.handle = handle
            self.authenticatorData = authenticatorData
            self.clientData = clientData
            self.signature = signature
        }
    }

    package let context: StoreContext
    private let signIns: SignInService
    private let challenges = PasskeyChallenges()

    /// Creates a value from its parts.
    package init(context: StoreContext, signIns: SignInService) {
        self.context = context
        self.signIns = signIns
    }

    /// Returns the passkeys of a user, newest first.
    package func passkeys(of user: UserID) async throws -> [StoredPasskey] {
        try await store.read { try $0.passkeys(of: user) }
    }

    /// Removes a passkey of a user at once; sessions that it began go on.
    ///
    /// Restoring an older copy of the database does not bring it back.
    ///
    /// - Throws: ``Refusal/notFound`` for an unknown passkey and one of another user.
    package func remove(_ id: StoryID, of user: UserID) async throws {
        let now = now()
        guard try await store.write({ try $0.endPasskey(id, of: user, at: now) }) else { throw Refusal.notFound }
    }

    private func ticket(
        opening text: String,
        for purpose: ChallengeTicket.Purpose,
        _ binding: String
    ) throws
        -> ChallengeTicket
    {
        try ChallengeTicket(
            opening: text,
            for: purpose,
            key: challenges.key(random: random),
            binding: binding,
            at: context.clock.lasting
        )
    }

    private func question(_ ticket: ChallengeTicket, _ binding: String) -> Question {
        let text = ticket.sealed(key: challenges.key(random: random), binding: binding)
        return Question(challenge: ticket.challenge, ticket: text)
    }
}

// Adding passkeys.
extension PasskeyService {
    /// Asks for a new passkey of a user.
    ///
    /// Only the session of the page with the id `session` can answer.
    ///
    /// - Throws: ``Refusal``: not found for an unknown user, a conflict at ``maximum``.
    package func begin(adding user: UserID, in session: String) async throws -> NewQuestion {
        let (account, known) = try await store.read { (try $0.user(user), try $0.passkeys(of: user)) }
        guard let account else { throw Refusal.notFound }
        guard known.count < PasskeyService.maximum else { throw Refusal.tooManyPasskeys }
        let handle = known.last?.handle ?? random.bytes(ChallengeTicket.challengeBytes)
        let challenge = random.bytes(ChallengeTicket.challengeBytes)
        let ticket = ChallengeTicket(.adding, challenge: challenge, handle: handle, at: context.clock.lasting)
        return NewQuestion(
            question: question(ticket, PasskeyService.binding(user, session)),
            handle: handle,
            user: account,
            known: known.map(\.credential)
        )
    }

    /// Adds the passkey that an authenticator has made.
    ///
    /// - Throws: ``PasskeyError``; ``Refusal``: gone if the question was answered before, a conflict at ``maximum`` and
    ///   for a passkey that is known.
    package func add(
        _ answer: NewAnswer,
        named name: DisplayName,
        for user: UserID,
        in session: String,
        at party: RelyingParty
    ) async throws -> StoredPasskey {
        let ticket = try ticket(opening: answer.ticket, for: .adding, PasskeyService.binding(user, session))
        let made = try NewPasskey(
            attestation: answer.attestation,
            clientData: answer.clientData,
            challenge: ticket.challenge,
            at: party
        )
        try challenges.take(ticket, at: context.clock.lasting)
        var generator = random
        let passkey = StoredPasskey(
            id: StoryID(using: &generator),
            credential: made.credential,
            user: user,
            handle: ticket.handle,
            party: party.id,
            name: name.text,
            algorithm: made.key.algorithm.rawValue,
            key: made.key.bytes,
            counter: made.counter,
            isSynced: made.isSynced,
            createdAt: now()
        )
        try await store.write { transaction in
            guard try transaction.passkey(credential: passkey.credential) == nil else { throw Refusal.knownPasskey }
            guard try transaction.passkeys(of: user).count < PasskeyService.maximum else {
                throw Refusal.tooManyPasskeys
            }
            try transaction.insert(passkey)
        }
        return passkey
    }

    private static func binding(_ user: UserID, _ session: String) -> String { "\(session)|\(user)" }
}

// Signing in.
extension PasskeyService {
    /// Asks for any passkey of this service; the question is the same for everybody, whoever has one.
    package func beginSignIn() -> Question {
        let challenge = random.bytes(ChallengeTicket.challengeBytes)
        return question(ChallengeTicket(.signingIn, challenge: challenge, at: context.clock.lasting), "")
    }

    /// Begins a session for the owner of a passkey.
    ///
    /// Of several simultaneous uses of an answer exactly one succeeds.
    ///
    /// - Throws: ``PasskeyError``; ``Refusal``: forbidden for an unknown passkey, gone if the question was answered
    ///   before.
    package func begin(
        by answer: Answer,
        at party: RelyingParty,
        _ arrival: SignInService.Arrival
    ) async throws -> SignInService.Begun {
        let ticket = try ticket(opening: answer.ticket, for: .signingIn, "")
        let assertion = try PasskeyAssertion(
            authenticatorData: answer.authenticatorData,
            clientData: answer.clientData,
            signature: answer.signature,
            challenge: ticket.challenge,
            at: party
        )
        let known = try await store.read { try $0.passkey(credential: answer.credential) }
        guard let known, known.party == party.id, isSameSecret(known.handle, answer.handle),
            let algorithm = PasskeyKey.Algorithm(rawValue: known.algorithm)
        else { throw Refusal.unknownPasskey }
        try assertion.verify(with: PasskeyKey(algorithm, known.key))
        try challenges.take(ticket, at: context.clock.lasting)
        let (now, drawn) = (now(), SecretText.new(.session, random: random))
        return try await store.write { [signIns] transaction in
            // It may have been removed, or used, meanwhile.
            guard let current = try transaction.passkey(credential: answer.credential), current.id == known.id else {
                throw Refusal.unknownPasskey
            }
            try assertion.checkCounter(after: current.counter)
            try transaction.noteUse(ofPasskey: current.id, counter: assertion.counter, at: now.startOfHour)
            return try signIns.begin(drawn, for: current.user, arrival, at: now, in: transaction)
        }
    }
}

extension Refusal {
    fileprivate static let tooManyPasskeys = Refusal(
        .conflict,
        "too-many-passkeys",
        "You have \(PasskeyService.maximum) passkeys, the maximum. Remove one first."
    )

    fileprivate static let knownPasskey = Refusal(
        .conflict,
        "known-passkey",
        "This passkey is already in use here. Remove it first, or choose another device."
    )
}
