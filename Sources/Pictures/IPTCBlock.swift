/// What agencies and archives write into a JPEG (IPTC-IIM 4.2), within the resources of Photoshop in APP13.
struct IPTCBlock {
    /// The data sets that are read: of record 2, those that describe the picture and its use.
    enum Field: UInt8 {
        case name = 5
        case keyword = 25
        case instructions = 40
        case headline = 105
        case copyright = 116
        case caption = 120
    }

    /// The values in the order of the file.
    private(set) var values: [(field: Field, text: String)] = []

    private static let signature = Array("Photoshop 3.0\0".utf8)
    private static let resource = Array("8BIM".utf8)
    /// The number of the resource that holds IPTC's records.
    private static let records = 0x0404
    /// The maximum number of values that are read.
    private static let most = 1_000

    /// Reads the block of a JPEG; `nil` if it has none.
    ///
    /// What is damaged has no values, and what lies beyond it may have none.
    /// - Complexity: O(bytes).
    init?(of picture: [UInt8]) {
        // A longer resource continues in the next segment.
        let joined = JPEGSegments(picture).filter { $0.marker == 0xED && $0.content.starts(with: IPTCBlock.signature) }
            .flatMap { $0.content.dropFirst(IPTCBlock.signature.count) }
        guard let records = IPTCBlock.records(in: joined[...]) else { return nil }
        read(records)
    }

    /// Returns the texts of a field.
    func texts(_ field: Field) -> [String] { values.filter { $0.field == field }.map(\.text) }

    /// Finds the resource with the records: each has a mark, a number, a name of even length, and a length.
    private static func records(in resources: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = resources
        while rest.starts(with: resource), rest.count >= 12 {
            let number = Int(rest[rest.startIndex + 4]) << 8 | Int(rest[rest.startIndex + 5])
            let name = 1 + Int(rest[rest.startIndex + 6])
            rest = rest.dropFirst(6 + name + name % 2)
            guard rest.count >= 4 else { return nil }
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard length <= rest.count else { return nil }
            if number == records { return rest.prefix(length) }
            rest = rest.dropFirst(length + length % 2)
        }
        return nil
    }

    /// Reads data sets: a mark, the number of the record and of the set, and a length of two bytes (§1.5).
    private mutating func read(_ records: ArraySlice<UInt8>) {
        var rest = records
        while rest.count >= 5, rest.first == 0x1C, values.count < IPTCBlock.most {
            let (record, set) = (rest[rest.startIndex + 1], rest[rest.startIndex + 2])
            let length = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
            rest = rest.dropFirst(5)
            // Longer ones have lengths of their own, which no text needs.
            guard length < 0x8000, length <= rest.count else { return }
            // The declared character set is often wrong; what is valid UTF-8 is hardly ever anything else.
            if record == 2, let field = Field(rawValue: set), let text = PhotoRecord.line(rest.prefix(length)) {
                values.append((field, text))
            }
            rest = rest.dropFirst(length)
        }
    }
}
