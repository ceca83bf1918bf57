/// The small picture of a story: its name and its size in pixels; the store keeps its bytes apart.
public struct StoryPicture: Hashable, Sendable {
    /// The media type of every such picture.
    public static let mediaType = "image/jpeg"

    /// The number that stands for the bytes: other bytes have another one.
    public let version: UInt64
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int

    /// Creates the description of a picture.
    public init(version: UInt64, width: Int, height: Int) {
        self.version = version
        self.width = width
        self.height = height
    }

    /// The version as 16 lower-case hexadecimal digits.
    public var name: String { StoryPicture.name(of: version) }

    /// Returns a version as 16 lower-case hexadecimal digits.
    public static func name(of version: UInt64) -> String {
        let digits = String(version, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Reads a version from 16 lower-case hexadecimal digits; returns `nil` for any other text.
    public static func version(named name: some StringProtocol) -> UInt64? {
        guard let version = UInt64(name, radix: 16), StoryPicture.name(of: version) == name else { return nil }
        return version
    }
}

// Pictures.
extension StoryLimits {
    /// The maximum size of a picture that is sent, in bytes.
    public static let pictureBytes = 10_000_000
    /// The maximum number of pixels along a side of the picture that is kept.
    public static let pictureSide = 400
}
