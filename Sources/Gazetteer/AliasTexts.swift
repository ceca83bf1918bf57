/// The additional names of places in their original spelling, to display when one of them was typed.
///
/// Searches use folded names, which cannot be converted back.
struct AliasTexts: Sendable {
    /// The length in bytes of a record in `places`: the place number and the start of its names in `texts`, u32 each.
    ///
    /// Records are sorted by place number.
    static let recordLength = 8

    /// For each place the number of its names, u16, and then each name after its length in one byte.
    let texts: ByteView
    let places: ByteView

    /// Returns the names of a place in order.
    ///
    /// - Complexity: O(log *n*) in the number of places with additional names.
    func names(of place: Int) -> [String] {
        var (low, high) = (0, places.count / Self.recordLength)
        while low < high {
            let middle = (low + high) / 2
            let found = Int(places.load(middle * Self.recordLength, as: UInt32.self))
            if found < place { low = middle + 1 } else { high = middle }
        }
        guard Int(places.load(low * Self.recordLength, as: UInt32.self)) == place,
            low < places.count / Self.recordLength
        else { return [] }
        var offset = Int(places.load(low * Self.recordLength + 4, as: UInt32.self))
        let count = Int(texts.load(offset, as: UInt16.self))
        offset += 2
        var names: [String] = []
        for _ in 0..<count where offset < texts.count {
            let length = Int(texts.load(offset, as: UInt8.self))
            names.append(String(decoding: texts.part(offset: offset + 1, length: length), as: UTF8.self))
            offset += 1 + length
        }
        return names
    }
}

extension GazetteerIndex {
    /// Returns the name of a place that folds to `key`, in its original spelling; the capitalised key if there is none.
    func alias(of place: PlaceRecord, like key: [UInt8]) -> String {
        for name in aliasTexts.names(of: place.number) {
            let folded = FoldedText(name)
            let words = 0..<folded.tokens.count
            if folded.key(words, canonical: false) == key || folded.key(words, canonical: true) == key { return name }
        }
        // Codes and abbreviations are short and in capitals.
        let text = String(decoding: key, as: UTF8.self)
        return key.count <= 3
            ? text.uppercased()
            : text.split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ")
    }
}

extension FoldedText {
    /// Returns whether the name, with or without a leading article, starts with one of the given keys.
    func starts(withAnyOf keys: [[UInt8]]) -> Bool {
        let all = 0..<tokens.count
        var starts = [0]
        if all.count > 1, bytes(of: tokens[0]).elementsEqual("the".utf8) { starts.append(1) }
        return starts.contains { start in
            let words = start..<all.count
            let forms = [key(words, canonical: false), key(words, canonical: true)]
            return forms.contains { form in keys.contains { form.starts(with: $0) } }
        }
    }
}
