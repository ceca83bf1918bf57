/// The position of an operation in a trace, as `traceparent` of W3C Trace Context carries it.
public struct TraceParent: Hashable, Sendable, CustomStringConvertible {
    /// The id of a whole trace, 128 bits that are not all zero.
    public struct TraceID: Hashable, Sendable, CustomStringConvertible {
        /// The first 64 bits.
        public let high: UInt64
        /// The last 64 bits.
        public let low: UInt64

        /// Creates an id; `nil` if all bits are zero.
        public init?(high: UInt64, low: UInt64) {
            guard high != 0 || low != 0 else { return nil }
            (self.high, self.low) = (high, low)
        }

        /// The 32 hexadecimal digits.
        public var description: String { TraceParent.hex(high) + TraceParent.hex(low) }
    }

    /// The trace.
    public let trace: TraceID
    /// The operation within it; never zero.
    public let span: UInt64
    /// Whether the caller that began the trace asked for it to be recorded.
    public let isSampled: Bool

    /// Creates a position; `nil` if the span is zero.
    public init?(trace: TraceID, span: UInt64, isSampled: Bool) {
        guard span != 0 else { return nil }
        (self.trace, self.span, self.isSampled) = (trace, span, isSampled)
    }

    /// Reads a header of version 00; `nil` for anything else, also for later versions and for repeated headers.
    ///
    /// Flags other than "sampled" mean nothing in this version; they are read and not passed on.
    public init?(_ text: String) {
        let bytes = Array(text.utf8.prefix(TraceParent.length + 1))
        guard bytes.count == TraceParent.length, bytes.starts(with: "00-".utf8), bytes[35] == TraceParent.dash,
            bytes[52] == TraceParent.dash, let high = TraceParent.number(bytes[3..<19]),
            let low = TraceParent.number(bytes[19..<35]), let trace = TraceID(high: high, low: low),
            let span = TraceParent.number(bytes[36..<52]), let flags = TraceParent.number(bytes[53..<55])
        else { return nil }
        self.init(trace: trace, span: span, isSampled: flags & 1 == 1)
    }

    /// The header of version 00.
    public var description: String { "00-\(trace)-\(spanText)-\(isSampled ? "01" : "00")" }

    /// The 16 hexadecimal digits of the span.
    public var spanText: String { TraceParent.hex(span) }

    /// The name of the header.
    public static let header = "traceparent"
    /// The length of a header of version 00.
    private static let length = 55
    private static let dash = UInt8(ascii: "-")

    /// Returns 16 hexadecimal digits.
    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Reads hexadecimal digits, in lower case as the specification wants them; at most 16.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
