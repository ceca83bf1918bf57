import Library

/// Writes stories in one format, in the order in which they come.
protocol StoryWriter {
    /// Writes one story; returns whether the format has a place for it.
    mutating func add(_ story: ExportedStory) throws -> Bool
    /// Whether the stories are to come a second time, for their further places, which the format has after them.
    var wantsPlaces: Bool { get }
    /// Writes the further places of one story.
    mutating func addPlaces(of view: StoryView) throws
    /// Writes what follows the last story.
    mutating func finish() throws
}

extension StoryWriter {
    var wantsPlaces: Bool { false }
    mutating func addPlaces(of view: StoryView) throws {}
}

/// A format that is text from the beginning to the end.
protocol TextForm {
    /// What stands before the first story.
    var head: [UInt8] { get }
    /// What follows the last story.
    var foot: [UInt8] { get }
    /// What stands between two stories.
    var separator: [UInt8] { get }
    /// A story; `nil` if the format has no place for it.
    func bytes(of story: ExportedStory) -> [UInt8]?
}

extension TextForm {
    var head: [UInt8] { [] }
    var foot: [UInt8] { [] }
    var separator: [UInt8] { [] }
}

/// Writes a text format to an output, story by story.
struct TextWriter<Form: TextForm>: StoryWriter {
    private let form: Form
    private let output: ([UInt8]) throws -> Void
    private var isFirst = true

    /// Writes what stands before the first story.
    init(_ form: Form, to output: @escaping ([UInt8]) throws -> Void) throws {
        (self.form, self.output) = (form, output)
        let head = form.head
        if !head.isEmpty { try output(head) }
    }

    mutating func add(_ story: ExportedStory) throws -> Bool {
        guard let bytes = form.bytes(of: story) else { return false }
        try output(isFirst ? bytes : form.separator + bytes)
        isFirst = false
        return true
    }

    mutating func finish() throws {
        let foot = form.foot
        if !foot.isEmpty { try output(foot) }
    }
}
