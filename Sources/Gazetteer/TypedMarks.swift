/// The non-ASCII letters of a text, such as those with accents.
struct TypedMarks: Sendable {
    private var letters: [ArraySlice<UInt8>] = []

    /// Collects the letters of a text in UTF-8.
    init(_ text: [UInt8]) {
        var index = 0
        while index < text.count, letters.count < 16 {
            var end = index + 1
            while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
            if text[index] >= 0x80 { letters.append(text[index..<end]) }
            index = end
        }
    }

    /// Returns whether there are any such letters and all of them occur in `name`.
    func allMatch(in name: UnsafeRawBufferPointer) -> Bool {
        guard !letters.isEmpty else { return false }
        return letters.allSatisfy { letter in
            name.count >= letter.count
                && (0...(name.count - letter.count))
                    .contains { start in
                        letter.indices.allSatisfy { name[start + $0 - letter.startIndex] == letter[$0] }
                    }
        }
    }
}
