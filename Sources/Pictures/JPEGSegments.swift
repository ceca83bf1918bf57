/// The segments before the picture itself in a JPEG (ITU-T T.81 §B.1.1.3), in which programs write about it.
struct JPEGSegments: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position = 2

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the marker and the content of the next segment; `nil` at the picture, or where the file is damaged.
    mutating func next() -> (marker: UInt8, content: ArraySlice<UInt8>)? {
        while position + 4 <= bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            // Fill bytes may precede a marker.
            if marker == 0xFF {
                position += 1
                continue
            }
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            // The picture itself begins: what comes before it has been seen.
            guard marker != 0xDA, length >= 2, position + 2 + length <= bytes.count else { return nil }
            let start = position + 4
            position += 2 + length
            return (marker, bytes[start..<position])
        }
        return nil
    }
}
