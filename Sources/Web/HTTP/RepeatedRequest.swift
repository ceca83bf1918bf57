import Formats
import HTTPTypes
import Library
import Synchronization

extension Endpoint {
    /// Whether a repetition with the same `Idempotency-Key` gets the first answer, by the machinery of all routes.
    ///
    /// Not needed where a repetition changes nothing anyway (PUT and DELETE). Not possible without an account: the keys of
    /// all strangers would be mixed. Not done where the route has its own way, as for new stories, batches and recorded
    /// traces, whose positions are recognised.
    package var repeatsSafely: Bool {
        let isOfAccount =
            switch access {
            case .user, .service, .operators: true
            case .anyone, .link: false
            }
        let hasOwnWay = headers.contains(.idempotencyKey) || body?.isRaw ?? false
        return [.post, .patch].contains(method) && isOfAccount && !hasOwnWay && !isLive
    }

    /// The header fields that a route reads, with those that the machinery of all routes reads for it.
    package var readHeaders: [Header] { repeatsSafely ? headers + [.idempotencyKey] : headers }
}

/// A request with an `Idempotency-Key`.
enum RepeatedRequest: Sendable {
    /// Runs `work`, or returns the answer that the same request got before.
    ///
    /// - Throws: ``Problem`` (400) for a key that is too long; any error of ``RequestAnswers/once(_:_:)``.
    static func answer(
        _ call: Call,
        query: String?,
        body: [UInt8],
        keeping answers: RequestAnswers?,
        _ work: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        guard let answers, call.endpoint.repeatsSafely, let key = call.headers[.idempotencyKey] else {
            return try await work()
        }
        guard (1...Endpoint.Header.idempotencyKey.maxBytes).contains(key.utf8.count) else {
            throw Problem(.badRequest, "bad-header", "The Idempotency-Key must have 1 to 255 bytes.")
        }
        let request = RequestAnswers.KeyedRequest(
            route: "\(call.method.rawValue) \(call.path)",
            key: key,
            content: Array((query ?? "").utf8) + [0] + body,
            principal: call.principal
        )
        // An answer that is not kept still goes to the client that asked first.
        let first = FirstAnswer()
        let outcome = try await Problem.mappingRefusals {
            try await answers.once(request) {
                let answer = try await work()
                first.set(answer)
                return encode(answer)
            }
        }
        if let answer = first.answer { return answer }
        guard let answer = outcome.answer.flatMap(decode) else { throw Problem(Refusal.answerLost) }
        return answer
    }

    /// Returns an answer as bytes; `nil` for one that is written while it is sent.
    static func encode(_ answer: Answer) -> [UInt8]? {
        guard answer.stream == nil, answer.live == nil, answer.packedBody == nil else { return nil }
        var json = JSONWriter(capacity: answer.body.count * 4 / 3 + 300)
        json.beginObject()
        json.member("status", answer.status.code)
        json.member("type", answer.mediaType)
        json.key("headers")
        json.beginArray()
        for field in answer.headers { json.value([field.name.rawName, field.value]) }
        json.endArray()
        json.member("body", Base64.encode(answer.body))
        json.endObject()
        return json.bytes
    }

    /// Returns the answer that ``encode(_:)`` made bytes of; `nil` for other bytes.
    static func decode(_ bytes: [UInt8]) -> Answer? {
        guard let json = try? JSONValue(parsing: bytes, limits: .init(bytes: .max)),
            let status = json["status"]?.integer, (100...999).contains(status), let type = json["type"]?.string,
            let body = json["body"]?.string.flatMap({ Base64.decode($0) })
        else { return nil }
        var headers = HTTPFields()
        for field in json["headers"]?.array ?? [] {
            guard let name = field[0]?.string.flatMap({ HTTPField.Name($0) }), let value = field[1]?.string else {
                return nil
            }
            headers.append(HTTPField(name: name, value: value))
        }
        return Answer(status: .init(code: status), mediaType: type, headers: headers, body: body)
    }
}

/// The answer of a request that was carried out now.
private final class FirstAnswer: Sendable {
    private let kept = Mutex<Answer?>(nil)

    var answer: Answer? { kept.withLock(\.self) }

    func set(_ answer: Answer) { kept.withLock { $0 = answer } }
}
