/// Recognises texts whose bytes are valid in Windows-1252 and make no words of Western Europe there.
enum ForeignLetters {
    /// Returns whether most letters beyond ASCII stand in rows, as Cyrillic, Greek, Chinese, Japanese and Korean ones do.
    ///
    /// "Москва" in Windows-1251 is "Ìîñêâà" in Windows-1252; Western languages have one or two such letters side by side.
    /// - Complexity: O(bytes).
    static func areInRuns(_ bytes: ArraySlice<UInt8>) -> Bool {
        var (foreign, western) = (0, 0)
        var run: (length: Int, letters: Int) = (0, 0)
        func end() {
            let isForeign = run.length >= 4 || (run.length == 3 && run.letters >= 2)
            if isForeign { foreign += run.length } else { western += run.letters }
            run = (0, 0)
        }
        for byte in bytes {
            if byte >= 0x80 {
                run.length += 1
                if byte >= 0xC0 { run.letters += 1 }
            } else if run.length > 0 {
                end()
            }
        }
        end()
        return max(foreign, katakana(bytes)) > western
    }

    /// Returns the number of bytes in rows of three or more letters of Shift-JIS, whose second byte may be one of ASCII.
    private static func katakana(_ bytes: ArraySlice<UInt8>) -> Int {
        var (count, pairs) = (0, 0)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let isPair = (0x81...0x9F).contains(bytes[index]) && index + 1 < bytes.endIndex && bytes[index + 1] >= 0x40
            if isPair {
                pairs += 1
            } else {
                if pairs >= 3 { count += 2 * pairs }
                pairs = 0
            }
            index += isPair ? 2 : 1
        }
        return pairs >= 3 ? count + 2 * pairs : count
    }

    /// Returns whether signs stand within words, as where Polish "Wałęsa" is read as "Wa³êsa".
    ///
    /// - Complexity: O(bytes).
    static func areSigns(_ bytes: ArraySlice<UInt8>) -> Bool {
        var (foreign, western) = (0, 0)
        var (beforeLast, last): (UInt8, UInt8) = (0x20, 0x20)
        for byte in bytes {
            if byte >= 0xC0 { western += 1 }
            if signs.contains(last), isLetter(beforeLast), isLetter(byte) { foreign += 1 }
            (beforeLast, last) = (last, byte)
        }
        // Of ten Polish letters beyond ASCII, about five are such signs.
        return foreign > 0 && 4 * foreign > western
    }

    /// The bytes that are signs in Windows-1252 and letters of Central Europe in Windows-1250 or ISO 8859-2:
    /// £, ¥, ¯, ±, ³, ¶, ¹, ¼, ¾ and ¿ are Ł, Ą, Ż, ą, ł, ś, ą, Ľ, ž and ż.
    private static let signs: Set<UInt8> = [0xA3, 0xA5, 0xAF, 0xB1, 0xB3, 0xB6, 0xB9, 0xBC, 0xBE, 0xBF]

    /// Letters of ASCII and of both encodings.
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) || byte >= 0xC0 }
}
