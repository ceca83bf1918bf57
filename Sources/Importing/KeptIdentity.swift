import Formats
public import Stories

/// The id and the times of a story in our own export, for an import that keeps them.
public struct KeptIdentity: Hashable, Sendable {
    /// The id.
    public let id: StoryID
    /// When the story was made.
    public let createdAt: Timestamp
    /// When it was last changed.
    public let updatedAt: Timestamp
    /// When it got its place, and when that was last changed; tables do not say it.
    public let place: (createdAt: Timestamp, updatedAt: Timestamp)?

    /// Compares all values.
    public static func == (a: KeptIdentity, b: KeptIdentity) -> Bool {
        (a.id, a.createdAt, a.updatedAt) == (b.id, b.createdAt, b.updatedAt)
            && a.place?.createdAt == b.place?.createdAt && a.place?.updatedAt == b.place?.updatedAt
    }

    /// Hashes the id.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension ImportRow {
    /// Returns the id and the times of a row of our own export; an error if one of them is missing or impossible.
    mutating func keptIdentity() -> KeptIdentity? {
        guard let text = record.values[.id], let id = StoryID(text) else {
            record.fail(.id, "is not the id of a story: --keep-ids is for files that 'waymark export' wrote")
            return nil
        }
        guard let createdAt = time(.createdAt), let updatedAt = time(.updatedAt) else { return nil }
        var place: (createdAt: Timestamp, updatedAt: Timestamp)?
        if let first = record.values[.locatedAt].flatMap({ RFC3339.parse($0) }),
            let last = record.values[.relocatedAt].flatMap({ RFC3339.parse($0) })
        {
            place = (first, last)
        }
        return KeptIdentity(id: id, createdAt: createdAt, updatedAt: max(createdAt, updatedAt), place: place)
    }

    private mutating func time(_ field: ImportField) -> Timestamp? {
        if let text = record.values[field] {
            if let time = RFC3339.parse(text) { return time }
            // As GDAL writes it into tables: 1936/07/04 12:00:00.5+00.
            let plain = text.replacing("/", with: "-").replacing(" ", with: "T").replacing("+00", with: "Z")
            if let time = RFC3339.parse(plain) { return time }
        }
        record.fail(field, "is missing or not a time, which --keep-ids needs")
        return nil
    }
}

extension ImportedStory {
    /// Gives a story the times that the file says, if they are to be kept.
    package func keepTimes(of story: inout Story) {
        guard let kept else { return }
        (story.updatedAt, story.shownUpdatedAt) = (kept.updatedAt, kept.updatedAt)
        story.location?.createdAt = kept.place?.createdAt ?? kept.createdAt
        story.location?.updatedAt = kept.place?.updatedAt ?? kept.updatedAt
    }
}
