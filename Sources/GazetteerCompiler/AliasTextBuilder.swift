/// Collects the additional names of places during compilation.
struct AliasTextBuilder: Sendable {
    private static let longestName = 255

    /// Names that have not been taken yet.
    private var bytes: [UInt8] = []
    /// The number of bytes already taken.
    private var taken = 0
    private var starts: [(draft: UInt32, start: UInt32)] = []

    /// The number of bytes not taken yet.
    var held: Int { bytes.count }

    /// Stores the additional names of a place; the last call for a place counts.
    mutating func add(_ names: [String], for draft: Int) {
        let texts = names.map { Array($0.utf8) }.filter { !$0.isEmpty && $0.count <= Self.longestName }
        guard !texts.isEmpty, taken + bytes.count < Int(UInt32.max) - (1 << 24) else { return }
        starts.append((UInt32(truncatingIfNeeded: draft), UInt32(truncatingIfNeeded: taken + bytes.count)))
        bytes.append(littleEndian: UInt16(truncatingIfNeeded: min(texts.count, Int(UInt16.max))))
        for text in texts.prefix(Int(UInt16.max)) {
            bytes.append(UInt8(truncatingIfNeeded: text.count))
            bytes.append(contentsOf: text)
        }
    }

    /// Returns the bytes collected since the last call.
    mutating func take() -> [UInt8] {
        taken += bytes.count
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Returns pairs of a place and the start of its names, sorted by place; `ranks` are the final numbers of the
    /// drafts.
    func records(ranks: [some BinaryInteger]) -> [UInt32] {
        var last: [UInt32: UInt32] = [:]
        for (draft, start) in starts { last[UInt32(ranks[Int(draft)])] = start }
        return last.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    }
}
