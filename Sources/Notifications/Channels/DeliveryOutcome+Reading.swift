import Formats
public import Stories

extension DeliveryOutcome {
    /// Interprets an endpoint's answer.
    ///
    /// - Parameters:
    ///   - answer: the answer.
    ///   - kind: the kind of channel.
    ///   - now: the time of the answer; `Retry-After` is relative to it.
    ///   - registeredAt: the time the channel was created. APNs reports when a token became invalid, and a channel
    ///   registered again since then is kept.
    public init(
        reading answer: ChannelAnswer,
        of kind: ChannelKind,
        at now: Timestamp,
        registeredAt: Timestamp? = nil
    ) {
        self =
            switch kind {
            case .email: DeliveryOutcome.ofMail(answer)
            case .apns: DeliveryOutcome.ofAPNs(answer, at: now, registeredAt: registeredAt)
            case .fcm: DeliveryOutcome.ofFCM(answer, at: now)
            case .webPush: DeliveryOutcome.ofWebPush(answer, at: now)
            case .webhook: DeliveryOutcome.ofWebhook(answer, at: now)
            case .apprise where answer.status == 204: .rejected(.notFound)
            case .ntfy, .gotify, .apprise, .mqtt: DeliveryOutcome.ofServer(answer, at: now)
            }
    }

    /// The longest pause that an endpoint can request, in milliseconds: a day.
    static let longestPause: Int64 = 86_400_000

    /// Returns the outcome of an answer that means the same for every kind of HTTP endpoint; `nil` for 4xx answers
    /// whose meaning depends on the kind.
    private static func common(_ answer: ChannelAnswer, at now: Timestamp) -> DeliveryOutcome? {
        switch answer.status {
        case 200..<300: return .delivered
        case 300..<400: return .retry(.redirected)
        case 429, 502, 503, 504:
            if let until = pause(answer, at: now) { return .throttled(until: until) }
            return .retry(answer.status == 429 ? .throttled : .serverError)
        case 500..<600: return .retry(.serverError)
        case 408: return .retry(.timedOut)
        case 425: return .retry(.serverError)
        case 413: return .rejected(.tooLarge)
        case 400, 414, 415, 422: return .rejected(.badMessage)
        case 402..<500, 401: return nil
        default: return .retry(.badAnswer)
        }
    }

    /// Returns the outcome for a webhook.
    ///
    /// Its receiver is custom code, so errors that may be temporary mistakes are retried.
    private static func ofWebhook(_ answer: ChannelAnswer, at now: Timestamp) -> DeliveryOutcome {
        if let outcome = common(answer, at: now) { return outcome }
        switch answer.status {
        case 410: return .endpointGone
        case 401, 403: return .retry(.unauthorized)
        default: return .retry(.notFound)
        }
    }

    private static func ofWebPush(_ answer: ChannelAnswer, at now: Timestamp) -> DeliveryOutcome {
        if let outcome = common(answer, at: now) { return outcome }
        switch answer.status {
        case 404, 410: return .endpointGone
        case 401, 403: return .rejected(.unauthorized)
        default: return .rejected(.badMessage)
        }
    }

    private static func ofServer(_ answer: ChannelAnswer, at now: Timestamp) -> DeliveryOutcome {
        if let outcome = common(answer, at: now) { return outcome }
        switch answer.status {
        case 410: return .endpointGone
        case 401, 403: return .rejected(.unauthorized)
        case 424: return .retry(.serverError)
        case 404: return .rejected(.notFound)
        default: return .rejected(.badMessage)
        }
    }

    private static func ofAPNs(_ answer: ChannelAnswer, at now: Timestamp, registeredAt: Timestamp?) -> DeliveryOutcome
    {
        let json = try? JSONValue(parsing: answer.body)
        let reason = json?["reason"]?.string ?? ""
        switch (answer.status, reason) {
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): return .endpointGone
        case (410, _):
            if let since = json?["timestamp"]?.integer, let registeredAt, registeredAt.milliseconds > since {
                return .retry(.serverError)
            }
            return .endpointGone
        case (403, _): return .retry(.credentials)
        case (429, "TooManyProviderTokenUpdates"): return .retry(.throttled)
        default: return common(answer, at: now) ?? .rejected(.badMessage)
        }
    }

    private static func ofFCM(_ answer: ChannelAnswer, at now: Timestamp) -> DeliveryOutcome {
        switch answer.status {
        case 401: return .retry(.credentials)
        case 403: return .rejected(.unauthorized)
        case 404:
            let code = fcmCode(answer.body)
            return code == "UNREGISTERED" ? .endpointGone : .rejected(.notFound)
        case 429 where pause(answer, at: now) == nil: return .throttled(until: now.advanced(byMilliseconds: 60_000))
        default: return common(answer, at: now) ?? .rejected(.badMessage)
        }
    }

    private static func fcmCode(_ body: [UInt8]) -> String? {
        guard let json = try? JSONValue(parsing: body) else { return nil }
        let details = json["error"]?["details"]?.array ?? []
        return details.lazy.compactMap { $0["errorCode"]?.string }.first
    }

    /// Returns the outcome for a mail server's reply.
    ///
    /// In RFC 5321, 4yz is temporary and 5yz permanent; 5.1.1 and similar codes (RFC 3463) mean that the mailbox does
    /// not exist.
    private static func ofMail(_ answer: ChannelAnswer) -> DeliveryOutcome {
        switch answer.status {
        case 200..<300: return .delivered
        case 400..<500: return .retry(.serverError)
        case 530, 534, 535, 538: return .retry(.credentials)
        case 552: return .rejected(.tooLarge)
        case 500..<600:
            let text = String(decoding: answer.body.prefix(512), as: UTF8.self)
            return ["5.1.1 ", "5.1.3 ", "5.1.6 ", "5.1.10 "].contains { text.contains($0) }
                ? .endpointGone : .rejected(.badMessage)
        default: return .retry(.badAnswer)
        }
    }

    /// Returns when an endpoint wants the next attempt, at most a day ahead; `nil` if it does not say.
    static func pause(_ answer: ChannelAnswer, at now: Timestamp) -> Timestamp? {
        guard let text = answer.retryAfter?.trimmed else { return nil }
        if (1...9).contains(text.utf8.count), let seconds = Int64(text), seconds >= 0 {
            return now.advanced(byMilliseconds: min(longestPause, seconds * 1000))
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        return min(max(date, now), now.advanced(byMilliseconds: longestPause))
    }
}

/// Dates in HTTP and e-mail.
enum HTTPDate: Sendable {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

    /// Parses the preferred format (RFC 9110, section 5.6.7), `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func parse(_ text: some StringProtocol) -> Timestamp? {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[5] == "GMT", words[0].hasSuffix(",") else { return nil }
        guard let month = months.firstIndex(of: String(words[2])), let day = number(words[1], digits: 2),
            let year = number(words[3], digits: 4), let date = CalendarDay(year: year, month: month + 1, day: day)
        else { return nil }
        let parts = words[4].split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2] else { return nil }
        guard hour < 24, minute < 60, second < 61 else { return nil }
        let seconds = Int64(date.daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        return Timestamp(milliseconds: seconds * 1000)
    }

    /// Formats a timestamp for e-mail (RFC 5322, section 3.3), `Sun, 06 Nov 1994 08:49:37 +0000`.
    static func mail(_ instant: Timestamp) -> String {
        let day = instant.day ?? CalendarDay(daysSince1970: 0)
        let (year, month, dayOfMonth) = day.components
        let ofDay = Int(instant.seconds - Int64(day.daysSince1970) * 86_400)
        let time = [ofDay / 3600 % 24, ofDay / 60 % 60, ofDay % 60].map { padded(abs($0), 2) }.joined(separator: ":")
        let weekday = weekdays[((Int(day.daysSince1970) % 7) + 7) % 7]
        return "\(weekday), \(padded(dayOfMonth, 2)) \(months[month - 1]) \(padded(year, 4)) \(time) +0000"
    }

    private static func number(_ text: some StringProtocol, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}

extension String {
    /// The text without leading and trailing whitespace.
    var trimmed: Substring {
        var text = self[...]
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
