/// A picture within an e-mail: nothing is loaded from anywhere when it is read.
public struct InlinePicture: Hashable, Sendable {
    /// The picture as PNG.
    public let png: [UInt8]
    /// The width in pixels, as it is shown.
    public let width: Int
    /// The height in pixels, as it is shown.
    public let height: Int
    /// What it shows, for those who do not see it.
    public let alternative: String

    /// Creates a picture from its parts.
    public init(png: [UInt8], width: Int, height: Int, alternative: String) {
        self.png = png
        self.width = width
        self.height = height
        self.alternative = alternative
    }
}
