/// What a text search looks at in one story, and who may search which part of it.
public struct SearchableText: Sendable {
    /// The story.
    public let id: StoryID
    /// What everybody who sees the story may search: lower-cased title, text, topics, persons and mentions.
    public let text: String
    /// Whose layer the story is in.
    public let layer: VisibilityLayer
    /// The lower-cased names of its place, which only those may search who get the exact point.
    public let placeText: String
    /// The layers whose viewers get the exact point.
    public let exactLayers: [VisibilityLayer]

    /// Creates what is searched in a story; of the story nothing else is read than who sees what.
    public init(_ story: Story, text: String, placeText: String) {
        id = story.id
        self.text = text
        layer = story.layer
        self.placeText = placeText
        exactLayers = story.exactLayers
    }
}
