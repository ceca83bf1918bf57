/// The letters of Mac OS Roman, and how to recognise a text in it.
enum MacRoman {
    /// The letters of the bytes from 0x80 (Unicode's mapping ROMAN.TXT for Mac OS X 8.5 and later).
    private static let letters: [Unicode.Scalar] = Array(
        ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
            + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ")
            .unicodeScalars
    )

    /// Returns the letter of a byte; `nil` for zero.
    static func letter(_ byte: UInt8) -> Unicode.Scalar? {
        guard byte >= 0x80 else { return byte == 0 ? nil : Unicode.Scalar(byte) }
        let index = Int(byte) - 0x80
        return letters.indices.contains(index) ? letters[index] : nil
    }

    /// Returns whether more bytes within words are letters only in Mac Roman than only in Windows-1252.
    ///
    /// An é of Mac Roman is Ž in Windows-1252, which no word has behind a small letter; an é of Windows-1252 is È there.
    static func isLikely(_ bytes: ArraySlice<UInt8>) -> Bool {
        var (mac, windows) = (0, 0)
        var last: UInt8 = 0
        for (byte, next) in zip(bytes, bytes.dropFirst() + [0x20]) {
            if byte >= 0x80, isSmall(last) || (isLetter(last) && isSmall(next)) {
                if strange.contains(byte) { mac += 1 }
                if byte >= 0xE0 { windows += 1 }
            }
            last = byte
        }
        return mac > windows
    }

    /// The bytes that are small letters in Mac Roman and in Windows-1252 signs, capitals or nothing, and quotation marks.
    ///
    /// 0x9A is ö, and š in Windows-1252; texts with š that have other accents count those for Windows-1252.
    private static let strange: Set<UInt8> = [
        0x83, 0x84, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x8F, 0x90, 0x98, 0x9A, 0x9B, 0x9D, 0x9F,
        0xA7, 0xD3, 0xD5,
    ]

    private static func isSmall(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { isSmall(byte | 0x20) }
}
