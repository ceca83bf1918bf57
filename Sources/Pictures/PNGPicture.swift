import CPNG

/// PNG by libpng's simplified interface, which converts every variant to eight bits and reports errors as values.
enum PNGPicture {
    static func decode(_ bytes: [UInt8]) throws(PictureError) -> Pixels {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        var pixels = Pixels(width: 0, height: 0, bytes: [])
        var failure: PictureError?
        bytes.withUnsafeBytes { source in
            // The image keeps the address of the bytes, so everything happens while they stay in place.
            guard png_image_begin_read_from_memory(&image, source.baseAddress, source.count) != 0 else {
                failure = .damaged
                return
            }
            (pixels.width, pixels.height) = (Int(image.width), Int(image.height))
            do throws(PictureError) {
                try PictureLimits.check(width: pixels.width, height: pixels.height)
            } catch {
                failure = error
                return
            }
            image.format = rgba
            // Browsers take deep pictures for sRGB as well; libpng takes them for linear light unless told.
            image.flags |= deepIsStandard
            pixels.bytes = [UInt8](repeating: 0, count: pixels.width * pixels.height * 4)
            let status = pixels.bytes.withUnsafeMutableBytes { target in
                png_image_finish_read(&image, nil, target.baseAddress, Int32(pixels.width * 4), nil)
            }
            if status == 0 { failure = .damaged }
        }
        if let failure { throw failure }
        return pixels
    }

    /// `PNG_FORMAT_RGBA`, a macro that is not imported: colour and opacity.
    private static let rgba: UInt32 = 0x02 | 0x01
    /// `PNG_IMAGE_FLAG_16BIT_sRGB`, another one.
    private static let deepIsStandard: UInt32 = 0x04
}
