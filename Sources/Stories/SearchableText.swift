/// The searchable text of one story, with the viewers who may search each part.
public struct SearchableText: Sendable {
    /// The story's id.
    public let id: StoryID
    /// The text searchable by every viewer of the story: lower-cased title, text, topics, persons and mentions.
    public let text: String
    /// The layer of the story.
    public let layer: VisibilityLayer
    /// The lower-cased names of the story's place, searchable only by viewers of the exact point.
    public let placeText: String
    /// The layers whose viewers see the exact point.
    public let exactLayers: [VisibilityLayer]
    /// The lower-cased names of further places, each with the layers whose viewers see that place exactly (GEO-04).
    public let further: [(text: String, layers: [VisibilityLayer])]

    /// Creates the searchable text of a story; only visibility is read from the story itself and its places.
    ///
    /// `furtherTexts` are the names of the story's further places, in their order; of those that are not confirmed, none
    /// is searchable.
    public init(_ story: Story, text: String, placeText: String, furtherTexts: [String] = []) {
        id = story.id
        self.text = text
        layer = story.layer
        self.placeText = placeText
        exactLayers = story.exactLayers
        further = zip(story.places, furtherTexts)
            .filter { $0.0.isConfirmed && !$0.1.isEmpty }
            .map { ($0.1, story.exactLayers(of: $0.0.location)) }
    }
}
