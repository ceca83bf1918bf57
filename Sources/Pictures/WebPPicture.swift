import CWebP

/// WebP by Google's library, the only one that reads all of it.
enum WebPPicture {
    /// Decodes a picture, reduced while it is decoded if its longer side has more than twice `side` pixels.
    static func decode(_ bytes: [UInt8], side: Int) throws(PictureError) -> Pixels {
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&config) != 0 else { throw .outOfMemory }
        defer { WebPFreeDecBuffer(&config.output) }
        let status = bytes.withUnsafeBufferPointer { WebPGetFeatures($0.baseAddress, $0.count, &config.input) }
        guard status == VP8_STATUS_OK else { throw .damaged }
        guard config.input.has_animation == 0 else { throw .animated }
        let (width, height) = (Int(config.input.width), Int(config.input.height))
        try PictureLimits.check(width: width, height: height)
        let isOpaque = config.input.has_alpha == 0
        var size = (width: width, height: height)
        if max(width, height) > 2 * side {
            let longest = max(width, height)
            size = (max(1, width * 2 * side / longest), max(1, height * 2 * side / longest))
            config.options.use_scaling = 1
            (config.options.scaled_width, config.options.scaled_height) = (Int32(size.width), Int32(size.height))
        }
        config.output.colorspace = MODE_RGBA
        var pixels = Pixels(
            width: size.width,
            height: size.height,
            bytes: [UInt8](repeating: 0, count: size.width * size.height * 4)
        )
        let decoded = pixels.bytes.withUnsafeMutableBufferPointer { target in
            config.output.is_external_memory = 1
            config.output.u.RGBA.rgba = target.baseAddress
            config.output.u.RGBA.stride = Int32(size.width * 4)
            config.output.u.RGBA.size = target.count
            return bytes.withUnsafeBufferPointer { WebPDecode($0.baseAddress, $0.count, &config) }
        }
        switch decoded {
        case VP8_STATUS_OK:
            // A lossless picture has a fourth channel in any case; it counts only if the header says so.
            if isOpaque { for index in stride(from: 3, to: pixels.bytes.count, by: 4) { pixels.bytes[index] = 255 } }
            return pixels
        case VP8_STATUS_OUT_OF_MEMORY: throw .outOfMemory
        default: throw .damaged
        }
    }
}
