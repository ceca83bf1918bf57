import CRSVG

/// The reason why a drawing cannot be turned into pixels.
public enum RasterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The picture would have no pixels, or more than allowed.
    case size(width: Int, height: Int)
    /// The drawing is not SVG, or damaged.
    case damaged
    /// There is not enough memory for the pixels.
    case outOfMemory

    /// The reason as a clause without a full stop.
    public var description: String {
        switch self {
        case .size(let width, let height):
            "a picture of \(width) × \(height) pixels cannot be made; the maximum is \(Raster.longestSide) on a side "
                + "and \(Raster.mostPixels / 1_000_000) million in all"
        case .damaged: "the drawing cannot be read"
        case .outOfMemory: "there is not enough memory for the picture"
        }
    }
}

/// Turns drawings into pictures of pixels.
///
/// librsvg draws text with the system's fonts, is kept by the GNOME project, written in Rust, and in every
/// distribution; the pixels are Cairo's.
public enum Raster: Sendable {
    /// The maximum number of pixels along a side.
    public static let longestSide = 16_384
    /// The maximum number of pixels.
    public static let mostPixels = 64_000_000
    /// The maximum length of a drawing in bytes.
    public static let longestDrawing = 256 << 20

    /// Draws an SVG document as PNG, in the given size in pixels.
    ///
    /// The size is checked before anything is allocated. Nothing outside of the document is read: it has no address
    /// that a reference could be resolved against.
    /// - Throws: ``RasterError``.
    /// - Complexity: O(*n*) in the pixels, and four bytes of memory for each.
    public static func png(of svg: [UInt8], width: Int, height: Int) throws(RasterError) -> [UInt8] {
        guard (1...longestSide).contains(width), (1...longestSide).contains(height), width * height <= mostPixels else {
            throw .size(width: width, height: height)
        }
        guard !svg.isEmpty, svg.count <= longestDrawing,
            let handle = rsvg_handle_new_from_data(svg, gsize(svg.count), nil)
        else { throw .damaged }
        defer { g_object_unref(handle) }
        rsvg_handle_set_dpi(handle, 96)
        guard let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height)) else {
            throw .outOfMemory
        }
        defer { cairo_surface_destroy(surface) }
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, let context = cairo_create(surface) else {
            throw .outOfMemory
        }
        defer { cairo_destroy(context) }
        var viewport = RsvgRectangle(x: 0, y: 0, width: Double(width), height: Double(height))
        guard rsvg_handle_render_document(handle, context, &viewport, nil) != 0,
            cairo_status(context) == CAIRO_STATUS_SUCCESS
        else { throw .damaged }
        cairo_surface_flush(surface)
        return try encode(surface)
    }

    private static func encode(_ surface: OpaquePointer) throws(RasterError) -> [UInt8] {
        var bytes: [UInt8] = []
        let status = withUnsafeMutablePointer(to: &bytes) { pointer in
            cairo_surface_write_to_png_stream(
                surface,
                { closure, data, length in
                    guard let closure, let data else { return CAIRO_STATUS_WRITE_ERROR }
                    closure.assumingMemoryBound(to: [UInt8].self).pointee
                        .append(contentsOf: UnsafeBufferPointer(start: data, count: Int(length)))
                    return CAIRO_STATUS_SUCCESS
                },
                pointer
            )
        }
        guard status == CAIRO_STATUS_SUCCESS else { throw .outOfMemory }
        return bytes
    }
}
