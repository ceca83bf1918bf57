/// The reason why a picture is rejected.
public enum PictureError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The bytes do not begin like a JPEG, PNG or WebP picture.
    case unknownFormat
    /// The picture is a sequence of frames.
    case animated
    /// The picture has more pixels than the limit.
    case tooManyPixels(width: Int, height: Int)
    /// The picture is damaged or incomplete.
    case damaged
    /// There is not enough memory to decode it.
    case outOfMemory

    /// The reason as a clause without a full stop.
    public var description: String {
        switch self {
        case .unknownFormat: "must be a JPEG, PNG or WebP picture"
        case .animated: "must be a single picture, not an animation"
        case .tooManyPixels(let width, let height):
            "is \(width) × \(height) pixels; the maximum is \(PictureLimits.pixels / 1_000_000) million pixels, and "
                + "\(PictureLimits.side) on a side"
        case .damaged: "is damaged or incomplete"
        case .outOfMemory: "needs more memory than is available"
        }
    }
}

/// The limits of pictures that are decoded, whatever their size in bytes.
public enum PictureLimits: Sendable {
    /// The maximum number of pixels.
    ///
    /// A PNG of this size takes 200 MB while it is decoded.
    public static let pixels = 50_000_000
    /// The maximum number of pixels along a side.
    public static let side = 20_000

    /// Checks the size that a picture's header declares, before anything is allocated for it.
    static func check(width: Int, height: Int) throws(PictureError) {
        guard width > 0, height > 0 else { throw .damaged }
        guard width <= side, height <= side, width * height <= pixels else {
            throw .tooManyPixels(width: width, height: height)
        }
    }
}

/// Pixels in rows from the top, four bytes each: red, green, blue and opacity, in sRGB.
struct Pixels: Sendable {
    var width: Int
    var height: Int
    var bytes: [UInt8]
}

/// A small picture for lists and markers.
public struct Thumbnail: Sendable {
    /// The picture as JPEG, without metadata.
    public let jpeg: [UInt8]
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int

    /// Decodes a JPEG, PNG or WebP picture and makes a small one of it, upright, at most `side` pixels on a side.
    ///
    /// Nothing but the pixels is kept: no position, no time, no camera. Transparent parts become white. A picture that
    /// is smaller already keeps its size.
    /// - Throws: ``PictureError``.
    /// - Complexity: O(*n*) in the pixels; up to 200 MB of memory while it runs, so run few at a time.
    public init(of picture: [UInt8], side: Int = 400) throws(PictureError) {
        guard let format = PictureFormat(picture) else { throw .unknownFormat }
        let decoded: Pixels
        switch format {
        case .jpeg: decoded = try JPEGPicture.decode(picture, side: side)
        case .png: decoded = try PNGPicture.decode(picture)
        case .webp: decoded = try WebPPicture.decode(picture, side: side)
        }
        let small = Scaling.fit(decoded, side: side)
        let upright = Orientation(of: picture, format).apply(to: small)
        jpeg = try JPEGPicture.encode(upright)
        (width, height) = (upright.width, upright.height)
    }
}

// For tests, which look at the pixels of what was made.
extension Thumbnail {
    /// The pixels of a JPEG in rows from the top, four bytes each.
    package static func pixels(of jpeg: [UInt8]) throws(PictureError) -> (width: Int, height: Int, bytes: [UInt8]) {
        let pixels = try JPEGPicture.decode(jpeg, side: PictureLimits.side)
        return (pixels.width, pixels.height, pixels.bytes)
    }

    /// The pixels of a drawing after it was reduced.
    package static func reduced(
        width: Int,
        height: Int,
        side: Int,
        colour: (_ column: Int, _ row: Int) -> [UInt8]
    ) -> [[UInt8]] {
        let bytes = (0..<height).flatMap { row in (0..<width).flatMap { column in colour(column, row) } }
        let small = Scaling.fit(Pixels(width: width, height: height, bytes: bytes), side: side)
        return stride(from: 0, to: small.bytes.count, by: 4).map { Array(small.bytes[$0..<($0 + 4)]) }
    }
}
