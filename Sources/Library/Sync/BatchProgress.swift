import Formats
import Stories

/// The progress of a batch: the outcomes of its first items.
///
/// Stored under the request's key between two transactions, so that repeating the request continues an interrupted
/// batch.
struct BatchProgress: Sendable {
    /// The number of items done.
    private(set) var done = 0
    /// The number of items done by kind of outcome.
    private(set) var counts: [BatchOutcome.Kind: Int] = [:]
    /// The stories created or changed, in the order of the items.
    private(set) var touched: [StoryID] = []
    /// The outcomes as encoded by ``BatchOutcome/Writer``: the elements of a JSON array.
    private var outcomes: [UInt8] = []

    private static let listStart = Array(#""items":["#.utf8)
    private static let end = Array("]}".utf8)

    init() {}

    /// Reads the stored state of an unfinished batch; returns `nil` for the answer of a finished one.
    init?(stored bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, limits: .init(bytes: .max)), let done = json["done"]?.integer,
            let counts = json["counts"]?.object, let touched = json["touched"]?.array,
            let start = BatchProgress.listStart(in: bytes)
        else { return nil }
        self.done = done
        for (name, count) in counts {
            guard let kind = BatchOutcome.Kind(rawValue: name), let count = count.integer else { return nil }
            self.counts[kind] = count
        }
        for text in touched {
            guard let id = text.string.flatMap({ StoryID($0) }) else { return nil }
            self.touched.append(id)
        }
        outcomes = Array(bytes[start..<bytes.count - BatchProgress.end.count])
    }

    /// Adds the outcome of the next item, written by `write`.
    mutating func add(_ outcome: BatchOutcome, writtenBy write: BatchOutcome.Writer) {
        if done > 0 { outcomes.append(UInt8(ascii: ",")) }
        outcomes += write(outcome, done)
        defer { done += 1 }
        guard outcome.subject != .mark else { return }
        counts[outcome.kind, default: 0] += 1
        if outcome.kind == .created || outcome.kind == .updated, let id = outcome.id { touched.append(id) }
    }

    /// The answer, once all items are done.
    var answer: [UInt8] { Array("{".utf8) + BatchProgress.listStart + outcomes + BatchProgress.end }

    /// The state to store while some items are not done yet.
    var stored: [UInt8] {
        var json = JSONWriter(capacity: 100)
        json.beginObject()
        for (kind, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            json.member(kind.rawValue, count)
        }
        json.endObject()
        let ids = touched.map { "\"\($0)\"" }.joined(separator: ",")
        let head =
            Array("{\"done\":\(done),\"counts\":".utf8) + json.bytes + Array(",\"touched\":[\(ids)],".utf8)
        return head + BatchProgress.listStart + outcomes + BatchProgress.end
    }

    /// Returns the index of the first element of the list; the bytes of ``listStart`` cannot occur before the list.
    private static func listStart(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= listStart.count + end.count else { return nil }
        for start in 0...bytes.count - listStart.count - end.count
        where bytes[start] == listStart[0] && bytes[start..<start + listStart.count].elementsEqual(listStart) {
            return start + listStart.count
        }
        return nil
    }
}
