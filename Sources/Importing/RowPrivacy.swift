import Formats
import Stories

/// Recognises a row whose own words say that it is not for everybody, in fields that are read as something else.
///
/// A tag "private", a title "RESTRICTED – Interview" or a text "Please do not publish" is how people mark single stories
/// where a file has no column for it.
package enum RowPrivacy {
    /// Returns whether a whole tag or keyword restricts what has it.
    package static func marks(_ tag: String) -> Bool { PrivacyWords.marksRow(tag) }

    /// Fails a row that marks itself so and says nowhere who may see it, or warns of it if the privacy given for the whole
    /// file is public.
    ///
    /// The error is the row's, so that skipping bad rows leaves it out.
    static func check(_ record: inout ImportRecord, given: Privacy?) {
        guard given == nil || given == .public else { return }
        if let text = record.values[.text], PrivacyWords.isWish(text) {
            let shown = ImportText.shortened(ImportText.line(text), limit: 60)
            record.warn(.text, "\"\(shown)\" may ask not to publish the story; if so, make it private")
        }
        let words = record.tagTexts.lazy.filter(PrivacyWords.marksRow).map { (ImportField.tags, $0) }.first
        guard let (field, text) = words ?? mark(record) else { return }
        let shown = ImportText.shortened(ImportText.line(text), limit: 60)
        guard given == nil else {
            return record.warn(
                field,
                "\"\(shown)\" looks like a privacy setting, and the story is public as the whole file"
            )
        }
        record.fail(
            field,
            "\"\(shown)\" looks like a privacy setting; say who may see the story in a column privacy, or give a privacy for the "
                + "whole file"
        )
    }

    private static func mark(_ record: ImportRecord) -> (ImportField, String)? {
        let folders = record.values[.collection]?.split(separator: "/").map { String($0).trimmed } ?? []
        if let folder = folders.first(where: PrivacyWords.marksRow) { return (.collection, folder) }
        if let kind = record.values[.kind], PrivacyWords.marksRow(kind) { return (.kind, kind) }
        if let title = record.values[.title], PrivacyWords.isDemand(title) || PrivacyWords.isMarked(title) {
            return (.title, title)
        }
        if let text = record.values[.text], PrivacyWords.isDemand(text) { return (.text, text) }
        return nil
    }
}

extension ImportRecord {
    /// The tags as they are split later.
    fileprivate var tagTexts: [String] {
        guard let text = values[.tags] else { return [] }
        return lists[.tags] ?? ImportText.array(text) ?? ImportText.parts(text, splitsAtCommas: true)
    }
}

extension PrivacyWords {
    /// Words of ``restricting`` that may also be what a story is about.
    private static let topics: Set<String> = ["family", "friends", "secret", "internal"]
    /// Beginnings of a demand; what is not to be done follows within a few words.
    private static let demands = [
        ["do", "not"], ["don", "t"], ["dont"], ["not", "for"], ["please", "do", "not"],
        ["please", "don", "t"], ["nicht", "zur"], ["bitte", "nicht"], ["ne", "pas"], ["no", "publicar"],
        ["não", "publicar"],
    ]
    private static let demandVerbs: Set<String> = [
        "publish", "published", "publication", "share", "shared", "release", "released", "online", "internet", "web",
        "veröffentlichen", "veröffentlichung", "publier", "diffuser", "publicar",
    ]
    /// Words that mark a title in front of a colon, a dash or a bracket.
    private static let marks: Set<String> = [
        "sealed", "withheld", "embargo", "draft", "redacted", "entwurf", "brouillon", "do_not_publish",
        "not_for_publication",
    ]

    /// Returns whether a whole tag or kind restricts its story.
    static func marksRow(_ value: String) -> Bool {
        guard value.utf8.count <= 60 else { return false }
        let plain = ImportField.normalized(value)
        return restricting.contains(plain) && !topics.contains(plain) || isDemand(value)
    }

    /// Returns whether a text begins with a demand: "Please do not publish", "Not for publication".
    static func isDemand(_ value: String) -> Bool {
        guard let first = value.utf8.first(where: { $0 > 0x40 }), starts.contains(first | 0x20) else { return false }
        let words = words(String(value.prefix(80)))
        return demands.contains { demand in
            words.starts(with: demand)
                && words.dropFirst(demand.count - 1).prefix(5).contains(where: demandVerbs.contains)
        }
    }

    /// Returns whether a text begins with a weaker one: "Not to be released", which may be about the object itself.
    static func isWish(_ value: String) -> Bool {
        guard let first = value.utf8.first(where: { $0 > 0x40 }), first | 0x20 == UInt8(ascii: "n") else {
            return false
        }
        let words = words(String(value.prefix(80)))
        return words.starts(with: ["not", "to", "be"])
            && words.dropFirst(3).prefix(4).contains(where: demandVerbs.contains)
    }

    /// The first letters of all demands, by which other texts are put aside quickly.
    private static let starts = Set("dnpb".utf8)

    /// Returns whether a title begins with a restriction in brackets or in front of a colon or dash.
    static func isMarked(_ title: String) -> Bool {
        let start = title.prefix(40)
        guard let end = start.dropFirst().firstIndex(where: { ":–—-])|".contains($0) }) else { return false }
        let mark = start[..<end].drop { "[( ".contains($0) }
        let isBracket = "])".contains(start[end])
        guard isBracket == (start.first.map { "[(".contains($0) } ?? false), !mark.isEmpty else { return false }
        let isCut = start[end] == "-" && start[..<end].last != " "
        let plain = ImportField.normalized(String(mark))
        return !isCut && (restricting.contains(plain) && !topics.contains(plain) || marks.contains(plain))
    }
}
