import Stories

extension StoryEndpoints {
    /// The most stories that are asked for by name.
    static let mostIDs = 100

    /// The stories that a list is asked for by name; `nil` without any.
    static func ids(_ call: Call) throws -> Set<StoryID>? {
        guard let texts = call.query["ids"] else { return nil }
        guard texts.count <= mostIDs else { throw Problem.parameter("ids", "names more than \(mostIDs) stories") }
        return Set(
            try texts.map { text in
                guard let id = StoryID(text) else { throw Problem.parameter("ids", "must be ids of stories") }
                return id
            }
        )
    }
}
