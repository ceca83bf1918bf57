public import Stories

/// Parses and formats instants according to RFC 3339, such as `2026-11-21T05:40:00.123Z`.
public enum RFC3339: Sendable {
    /// Parses an instant; `nil` if it is invalid.
    ///
    /// In addition to the RFC, an offset without its colon is accepted. Fractions of any length are truncated to
    /// milliseconds. Second 60 is accepted only where a leap second can occur, at 23:59 UTC on the last day of a month,
    /// and is read as the following second.
    public static func parse(_ text: some StringProtocol) -> Timestamp? {
        parse(utf8: text.utf8)
    }

    /// Parses an instant from UTF-8, as ``parse(_:)`` does.
    public static func parse(utf8 bytes: some Sequence<UInt8>) -> Timestamp? {
        var scanner = Scanner(bytes.makeIterator())
        guard let year = scanner.number(digits: 4), scanner.next() == UInt8(ascii: "-") else { return nil }
        guard let month = scanner.number(digits: 2), scanner.next() == UInt8(ascii: "-") else { return nil }
        guard let dayOfMonth = scanner.number(digits: 2) else { return nil }
        guard year > 0, let day = CalendarDay(year: year, month: month, day: dayOfMonth) else { return nil }
        guard let letter = scanner.next(), letter | 0x20 == UInt8(ascii: "t") else { return nil }
        guard let hour = scanner.number(digits: 2), hour < 24, scanner.next() == UInt8(ascii: ":") else { return nil }
        guard let minute = scanner.number(digits: 2), minute < 60, scanner.next() == UInt8(ascii: ":") else {
            return nil
        }
        guard let second = scanner.number(digits: 2), second <= 60 else { return nil }
        guard let (fraction, mark) = scanner.fraction() else { return nil }
        guard let offset = scanner.offset(after: mark), scanner.next() == nil else { return nil }
        let seconds = Int64(day.daysSince1970) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset * 60)
        guard second < 60 || isStartOfMonth(seconds) else { return nil }
        let instant = Timestamp(milliseconds: seconds * 1000 + Int64(fraction))
        return instant.day == nil ? nil : instant
    }

    /// Returns whether `seconds` since 1970 is the first second of a month in UTC, which a leap second can precede.
    private static func isStartOfMonth(_ seconds: Int64) -> Bool {
        guard seconds.isMultiple(of: 86_400) else { return false }
        return Timestamp(milliseconds: seconds * 1000).day?.components.day == 1
    }

    /// Formats an instant in UTC, with milliseconds unless they are zero.
    ///
    /// Instants outside the years 1...9999, which the RFC cannot express, are clamped.
    public static func format(_ instant: Timestamp) -> String {
        String(decoding: bytes(instant), as: UTF8.self)
    }

    /// Formats an instant in UTC as UTF-8, as ``format(_:)`` does.
    public static func bytes(_ instant: Timestamp) -> [UInt8] {
        let milliseconds = min(latest, max(earliest, instant.milliseconds))
        // Counts whole days since year 1, so that the remainders are never negative.
        let sinceFirst = milliseconds - earliest
        let day = CalendarDay(daysSince1970: Int32(sinceFirst / 86_400_000 - 719_162))
        let ofDay = Int(sinceFirst % 86_400_000)
        let (year, month, dayOfMonth) = day.components
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(year, digits: 4, to: &text)
        append(UInt8(ascii: "-"), month, to: &text)
        append(UInt8(ascii: "-"), dayOfMonth, to: &text)
        append(UInt8(ascii: "T"), ofDay / 3_600_000, to: &text)
        append(UInt8(ascii: ":"), ofDay / 60_000 % 60, to: &text)
        append(UInt8(ascii: ":"), ofDay / 1000 % 60, to: &text)
        if !ofDay.isMultiple(of: 1000) {
            text.append(UInt8(ascii: "."))
            append(ofDay % 1000, digits: 3, to: &text)
        }
        text.append(UInt8(ascii: "Z"))
        return text
    }

    /// 0001-01-01T00:00:00Z.
    private static let earliest: Int64 = -719_162 * 86_400_000
    /// 9999-12-31T23:59:59.999Z.
    private static let latest: Int64 = 2_932_897 * 86_400_000 - 1

    private static func append(_ mark: UInt8, _ value: Int, to text: inout [UInt8]) {
        text.append(mark)
        append(value, digits: 2, to: &text)
    }

    private static func append(_ value: Int, digits: Int, to text: inout [UInt8]) {
        var unit = digits == 4 ? 1000 : digits == 3 ? 100 : 10
        while unit > 0 {
            text.append(UInt8(ascii: "0") + UInt8(value / unit % 10))
            unit /= 10
        }
    }
}

extension RFC3339 {
    private struct Scanner<Bytes: IteratorProtocol<UInt8>> {
        private var bytes: Bytes

        init(_ bytes: Bytes) { self.bytes = bytes }

        mutating func next() -> UInt8? { bytes.next() }

        /// Parses exactly the given number of digits.
        mutating func number(digits: Int) -> Int? {
            var value = 0
            for _ in 0..<digits {
                guard let digit = next()?.decimalDigit else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// Parses the milliseconds of a fraction, zero if there is none, and the byte that follows.
        mutating func fraction() -> (milliseconds: Int, mark: UInt8)? {
            guard let first = next() else { return nil }
            guard first == UInt8(ascii: ".") else { return (0, first) }
            var milliseconds = 0
            var unit = 100
            var digits = 0
            while let byte = next() {
                guard let digit = byte.decimalDigit else { return digits > 0 ? (milliseconds, byte) : nil }
                milliseconds += digit * unit
                unit /= 10
                digits += 1
            }
            return nil
        }

        /// Parses an offset from UTC whose first byte, `mark`, has already been read, and returns it in minutes.
        mutating func offset(after mark: UInt8) -> Int? {
            if mark | 0x20 == UInt8(ascii: "z") { return 0 }
            guard mark == UInt8(ascii: "+") || mark == UInt8(ascii: "-") else { return nil }
            guard let hours = number(digits: 2), hours < 24, let byte = next() else { return nil }
            guard let tens = byte == UInt8(ascii: ":") ? next()?.decimalDigit : byte.decimalDigit else { return nil }
            guard tens < 6, let ones = next()?.decimalDigit else { return nil }
            let minutes = hours * 60 + tens * 10 + ones
            return mark == UInt8(ascii: "-") ? -minutes : minutes
        }
    }
}

extension UInt8 {
    /// The value of an ASCII digit, or `nil`.
    var decimalDigit: Int? {
        let value = self &- UInt8(ascii: "0")
        return value < 10 ? Int(value) : nil
    }
}
