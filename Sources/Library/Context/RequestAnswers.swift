import Crypto
import Logging
import Storage
import Stories
import Synchronization

/// Carries out requests with an `Idempotency-Key` once, and answers repetitions within a day as the first time.
///
/// A record that the request was carried out is part of the transaction of its change (``RequestMark``); its answer is
/// stored after it. If the process ends in between, a repetition learns that the change is stored, and changes nothing.
/// Answers are sealed under the key of the request, which is not stored, because they can hold secrets such as new keys.
package struct RequestAnswers: StoreService {
    /// A request with a key.
    package struct KeyedRequest: Sendable {
        /// The method and the path, with which a key is independent of its use elsewhere.
        package let route: String
        /// The key, as the client sent it.
        package let key: String
        /// The rest of what the request asks for: its query and body.
        package let content: [UInt8]
        /// Who sends it.
        package let principal: Principal

        /// Creates a request.
        package init(route: String, key: String, content: [UInt8], principal: Principal) {
            self.route = route
            self.key = key
            self.content = content
            self.principal = principal
        }
    }

    /// The maximum length of an answer that is kept, in bytes.
    package static let mostBytes = 65_536
    private static let purpose = "answer of a request"
    private static let day: Int64 = 86_400_000

    package let context: StoreContext
    private let underWay = RequestsUnderWay()

    package init(context: StoreContext) { self.context = context }

    /// Carries out a request by `work`, which returns the bytes of its answer, or returns the bytes of the answer that it
    /// got before; `nil` stands for an answer that is not kept.
    ///
    /// A request that fails may be repeated under its key.
    ///
    /// - Throws: ``Refusal`` if the key was used for another request (422), if the first one is still under way, or if its
    ///   answer was not kept (409); any error of `work`.
    package func once(
        _ request: KeyedRequest,
        _ work: @Sendable () async throws -> [UInt8]?
    ) async throws -> (answer: [UInt8]?, isRepetition: Bool) {
        let mark = mark(request)
        guard underWay.begin(mark.owner, mark.key) else { throw Refusal.requestUnderWay }
        defer { underWay.end(mark.owner, mark.key) }
        let seal = RowSeal(
            secrets: store.keys.known(.sealing).map { $0 + Array(request.key.utf8) },
            purpose: RequestAnswers.purpose
        )
        if let earlier = try await earlier(mark) {
            guard earlier.digest == mark.digest else { throw Refusal.keyReused }
            let kept = earlier.answer.flatMap { seal.open($0, of: mark.owner) }
            guard let answer = kept else { throw Refusal.answerLost }
            return (answer, true)
        }
        let answer: [UInt8]?
        do {
            answer = try await RequestMark.$current.withValue(mark) { try await work() }
        } catch {
            // After a failed disk nobody knows whether it was carried out, so the record stays as it is on the disk.
            if mark.isRecorded { try? await store.write { try $0.dropAnswer(of: mark) } }
            throw error
        }
        if let answer, answer.count <= RequestAnswers.mostBytes, store.isWritable {
            await keep(try seal.seal(answer, of: mark.owner, random: random), of: mark)
        }
        return (answer, false)
    }

    /// Stores an answer; the request was carried out, so the client gets its answer even if it cannot be kept.
    private func keep(_ sealed: [UInt8], of mark: RequestMark) async {
        let yesterday = yesterday
        do {
            try await store.write { transaction in
                try transaction.dropRequestAnswers(of: mark.owner, before: yesterday)
                try transaction.saveAnswer(sealed, of: mark)
            }
        } catch {
            store.logger.warning("the answer of a request could not be kept", metadata: ["why": "\(error)"])
        }
    }

    /// Requests before this have been forgotten.
    ///
    /// By the time that is certain: a clock that was set forward a day must not make a repetition a new request.
    private var yesterday: Timestamp {
        Timestamp(milliseconds: context.certainTime.milliseconds - RequestAnswers.day)
    }

    private func earlier(_ mark: RequestMark) async throws -> (digest: [UInt8], answer: [UInt8]?)? {
        let yesterday = yesterday.milliseconds
        return try await store.read { try $0.requestAnswer(mark.key, of: mark.owner, since: yesterday) }
    }

    private func mark(_ request: KeyedRequest) -> RequestMark {
        func digest(_ parts: [[UInt8]]) -> [UInt8] {
            var hash = SHA256()
            for part in parts {
                hash.update(data: Array("\(part.count) ".utf8))
                hash.update(data: part)
            }
            return Array(hash.finalize())
        }
        let user = request.principal.viewer.user
        return RequestMark(
            owner: [request.principal.account ?? "", user?.rawValue ?? ""].joined(separator: "|"),
            key: digest([Array(request.route.utf8), Array(request.key.utf8)]),
            user: user,
            digest: digest([request.content]),
            at: now()
        )
    }
}

/// The keys of requests that are being carried out in this process.
private final class RequestsUnderWay: Sendable {
    private struct Name: Hashable, Sendable {
        let owner: String
        let key: [UInt8]
    }

    private let names = Mutex<Set<Name>>([])

    /// Notes a key; returns `false` if it is in use.
    func begin(_ owner: String, _ key: [UInt8]) -> Bool {
        names.withLock { $0.insert(Name(owner: owner, key: key)).inserted }
    }

    func end(_ owner: String, _ key: [UInt8]) {
        _ = names.withLock { $0.remove(Name(owner: owner, key: key)) }
    }
}
