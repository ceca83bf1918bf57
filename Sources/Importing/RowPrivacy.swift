import Formats
import Stories

/// Recognises a row whose own words say that it is not for everybody, in fields that are read as something else.
///
/// A tag "private", a title "RESTRICTED – Interview" or a text "Please do not publish" is how people mark single stories
/// where a file has no column for it.
package enum RowPrivacy {
    /// Returns whether a whole tag or keyword restricts what has it.
    package static func marks(_ tag: String) -> Bool { PrivacyWords.marksRow(tag) }

    /// Returns whether a text that stands alone in its row restricts other rows, as a note below a table does.
    static func marksAlone(_ text: String, on today: CalendarDay?) -> Bool {
        if PrivacyWords.isPlea(text) || PrivacyWords.isMarked(text, on: today) { return true }
        if PrivacyWords.marksText(text, on: today) { return true }
        if PrivacyTerm.isOver(text, on: today) { return false }
        let words = PrivacyWords.words(text)
        // "The Secret Garden" and "Private John Smith" are stories without a place.
        return PrivacyWords.marksRow(text, on: today) || words.count <= 2 && PrivacyWords.namesRestriction(text)
            || words.count <= 3 && PrivacyWords.hasPhrase(words)
            || words.count <= 8 && PrivacyWords.isNote(words, ImportField.normalized(text))
    }

    /// Fails a row that marks itself so and says nowhere who may see it, or warns of it if the privacy given for the whole
    /// file is public.
    ///
    /// The error is the row's, so that skipping bad rows leaves it out. A restriction that ended before `today` is none.
    static func check(_ record: inout ImportRecord, given: Privacy?, on today: CalendarDay?) {
        guard given == nil || given == .public else { return }
        if let text = record.texts.first(where: PrivacyWords.isWish) {
            let shown = ImportText.shortened(ImportText.line(text), limit: 60)
            record.warn(.text, "\"\(shown)\" may ask not to publish the story; if so, make it private")
        }
        let tag = record.tagTexts.first { PrivacyWords.marksRow($0, on: today) }
        guard let (field, text) = tag.map({ (.tags, $0) }) ?? mark(record, on: today) else { return }
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

    private static func mark(_ record: ImportRecord, on today: CalendarDay?) -> (ImportField, String)? {
        let folders = record.values[.collection]?.split(separator: "/").map { String($0).trimmed } ?? []
        let isFolder = { PrivacyWords.marksRow($0, on: today) || PrivacyWords.isMarked($0, on: today) }
        if let folder = folders.first(where: isFolder) { return (.collection, folder) }
        if let kind = record.values[.kind], PrivacyWords.marksRow(kind, on: today) { return (.kind, kind) }
        if let title = record.values[.title],
            PrivacyWords.isDemand(title) || PrivacyWords.isMarked(title, on: today)
        {
            return (.title, title)
        }
        // A comment behind a text may begin with a mark as well.
        return record.texts.first { PrivacyWords.marksText($0, on: today) }.map { (.text, $0) }
    }
}

extension ImportRecord {
    /// The text, also without addresses, which may stand between the words of a demand, and the paragraphs behind it.
    fileprivate var texts: [String] { [values[.text], bareText].compactMap(\.self) + paragraphs }

    /// The tags as they are split later.
    fileprivate var tagTexts: [String] {
        guard let text = values[.tags] else { return [] }
        return lists[.tags] ?? ImportText.array(text) ?? ImportText.parts(text, splitsAtCommas: true)
    }
}
