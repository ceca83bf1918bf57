import Notifications
import Stories

// The format of a line.
extension ErasureList {
    /// Returns a line as text, without a line feed.
    func text(of entry: Entry) -> String {
        let version = entry.state != nil ? 3 : entry.until == nil ? 1 : 2
        var said = "\(version) \(entry.id) \(entry.at.milliseconds) \(entry.kind.rawValue) \(entry.subject)"
        if let until = entry.until { said += " \(until.milliseconds)" }
        if let state = entry.state { said += " \(entry.number) \(state)" }
        return said + " \(ErasureList.code(of: Array(said.utf8), key: key))"
    }

    private static func code(of line: [UInt8], key: [UInt8]) -> StoryID {
        KeyedID.make(secret: key, message: Array("line|".utf8) + line)
    }

    /// Returns the closed lines of a file, and the bytes of the open ones after them.
    static func read(_ file: String, key: [UInt8]) throws -> (lines: ErasureLines, tail: [UInt8]) {
        let bytes = try ErasureFile.read(file)
        let end = closedEnd(of: bytes)
        var lines = ErasureLines([], size: end)
        for entry in try entries(bytes[..<end], file: file, key: key) { lines.add(entry) }
        return (lines, Array(bytes[end...]))
    }

    /// Returns the end of the last closed line: one with a line feed and without the continuation mark.
    private static func closedEnd(of bytes: [UInt8]) -> Int {
        var end = bytes.count
        while let feed = bytes[..<end].lastIndex(of: UInt8(ascii: "\n")) {
            guard bytes[..<feed].suffix(2).elementsEqual(goesOn.utf8) else { return feed + 1 }
            end = feed
        }
        return 0
    }

    /// Returns the lines in these bytes.
    ///
    /// - Throws: ``StoreError`` naming the first line that does not fit the key.
    static func entries(_ bytes: ArraySlice<UInt8>, file: String, key: [UInt8]) throws -> [Entry] {
        try bytes.split(separator: UInt8(ascii: "\n")).enumerated()
            .map { number, line in
                let isOpen = line.suffix(2).elementsEqual(goesOn.utf8)
                guard let entry = entry(isOpen ? line.dropLast(2) : line, key: key) else {
                    throw StoreError(
                        .failed,
                        "Line \(number + 1) of \(file) does not fit the erasures.key beside it. Restore both from one "
                            + "backup. Without them an older database could bring back erased data."
                    )
                }
                return entry
            }
    }

    /// The mark after each line of a commit except the last.
    static let goesOn = " +"

    /// Reads a line.
    ///
    /// Version 1: number, time, kind, subject, code. Version 2 has an end time before the code; version 3, a narrowing,
    /// its place in the list and the state.
    private static func entry(_ line: ArraySlice<UInt8>, key: [UInt8]) -> Entry? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let counts: [UInt8: Int] = [UInt8(ascii: "1"): 6, UInt8(ascii: "2"): 7, UInt8(ascii: "3"): 8]
        guard words.count >= 6, words[0].count == 1, let version = words[0].first, counts[version] == words.count,
            let id = digest(words[1]), let time = integer(words[2]), let kind = Kind(rawValue: word(words[3])),
            let subject = digest(words[4]), let last = words.last, let code = digest(last),
            code == ErasureList.code(of: Array(line.dropLast(last.count + 1)), key: key)
        else { return nil }
        var entry = Entry(id: id, at: Timestamp(milliseconds: time), kind: kind, subject: subject, until: nil)
        if version == UInt8(ascii: "2") {
            guard let end = integer(words[5]) else { return nil }
            entry = Entry(
                id: id,
                at: entry.at,
                kind: kind,
                subject: subject,
                until: Timestamp(milliseconds: end)
            )
        } else if version == UInt8(ascii: "3") {
            guard let place = integer(words[5]).flatMap({ Int(exactly: $0) }), place > 0 else { return nil }
            (entry.number, entry.state) = (place, word(words[6]))
        }
        return entry
    }

    private static func word(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func digest(_ bytes: ArraySlice<UInt8>) -> StoryID? { StoryID(word(bytes)) }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64? { Int64(word(bytes)) }
}
