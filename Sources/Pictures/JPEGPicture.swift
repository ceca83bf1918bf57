import CTurboJPEG

/// JPEG by libjpeg-turbo: chosen for decoding at a fraction of the size, and because browsers use it.
enum JPEGPicture {
    /// Decodes a picture, reduced by a factor as long as its longer side keeps at least twice `side` pixels.
    static func decode(_ bytes: [UInt8], side: Int) throws(PictureError) -> Pixels {
        guard let handle = tjInitDecompress() else { throw .outOfMemory }
        defer { tjDestroy(handle) }
        var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
        let isRead =
            bytes.withUnsafeBufferPointer {
                tjDecompressHeader3(handle, $0.baseAddress, UInt($0.count), &width, &height, &sampling, &space)
            } == 0
        guard isRead || tjGetErrorCode(handle) == warning else { throw .damaged }
        try PictureLimits.check(width: Int(width), height: Int(height))
        let size = reduced(width: Int(width), height: Int(height), side: side)
        let isInk = space == Int32(TJCS_CMYK.rawValue) || space == Int32(TJCS_YCCK.rawValue)
        var pixels = Pixels(
            width: size.width,
            height: size.height,
            bytes: [UInt8](repeating: 255, count: size.width * size.height * 4)
        )
        let format = Int32((isInk ? TJPF_CMYK : TJPF_RGBA).rawValue)
        switch decode(bytes, into: &pixels, format: format, by: handle) {
        case .whole, .blemished: break
        // Some cameras leave out the marker of the end alone. With it, a picture that lacks nothing else is whole.
        case .endsEarly:
            let ended = bytes + [0xFF, 0xD9]
            guard decode(ended, into: &pixels, format: format, by: handle) == .whole else { throw .damaged }
        case .lacksData, .failed: throw .damaged
        }
        if isInk { convertInk(&pixels.bytes) }
        return pixels
    }

    /// How decoding went.
    private enum Decoding {
        case whole
        /// With a warning about a blemish, such as bytes after the end; decoders show such pictures.
        case blemished
        /// The bytes end before the picture does.
        case endsEarly
        /// Something is missing within the picture.
        case lacksData
        case failed
    }

    private static func decode(
        _ bytes: [UInt8],
        into pixels: inout Pixels,
        format: Int32,
        by handle: tjhandle
    ) -> Decoding {
        let (width, height) = (Int32(pixels.width), Int32(pixels.height))
        let isDecoded =
            bytes.withUnsafeBufferPointer { source in
                pixels.bytes.withUnsafeMutableBufferPointer { target in
                    tjDecompress2(
                        handle,
                        source.baseAddress,
                        UInt(source.count),
                        target.baseAddress,
                        width,
                        width * 4,
                        height,
                        format,
                        Int32(TJFLAG_LIMITSCANS)
                    )
                }
            } == 0
        if isDecoded { return .whole }
        guard tjGetErrorCode(handle) == warning else { return .failed }
        // The library has one code for all warnings. The words are those of jerror.h, which are not translated.
        let words = tjGetErrorStr2(handle).map { String(cString: $0) } ?? ""
        if words.hasPrefix("Premature end of JPEG file") { return .endsEarly }
        return words.contains("premature end of data segment") ? .lacksData : .blemished
    }

    private static let warning = Int32(TJERR_WARNING.rawValue)

    /// Returns the smallest size the decoder offers whose longer side has at least twice `side` pixels.
    private static func reduced(width: Int, height: Int, side: Int) -> (width: Int, height: Int) {
        var count: Int32 = 0
        guard let factors = tjGetScalingFactors(&count) else { return (width, height) }
        var best = (width: width, height: height)
        for factor in UnsafeBufferPointer(start: factors, count: Int(count)) where factor.num < factor.denom {
            let (numerator, denominator) = (Int(factor.num), Int(factor.denom))
            let size = (
                width: (width * numerator + denominator - 1) / denominator,
                height: (height * numerator + denominator - 1) / denominator
            )
            if max(size.width, size.height) >= 2 * side, size.width < best.width { best = size }
        }
        return best
    }

    /// Converts cyan, magenta, yellow and black, stored inverted as Adobe's programs do, to red, green, blue, opaque.
    private static func convertInk(_ bytes: inout [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: 4) {
            let black = Int(bytes[start + 3])
            for channel in 0..<3 { bytes[start + channel] = UInt8(Int(bytes[start + channel]) * black / 255) }
            bytes[start + 3] = 255
        }
    }

    /// Encodes opaque pixels as JPEG.
    static func encode(_ pixels: Pixels, quality: Int32 = 82) throws(PictureError) -> [UInt8] {
        guard let handle = tjInitCompress() else { throw .outOfMemory }
        defer { tjDestroy(handle) }
        var output: UnsafeMutablePointer<UInt8>?
        var length: UInt = 0
        defer { tjFree(output) }
        let status = pixels.bytes.withUnsafeBufferPointer {
            tjCompress2(
                handle,
                $0.baseAddress,
                Int32(pixels.width),
                Int32(pixels.width * 4),
                Int32(pixels.height),
                Int32(TJPF_RGBX.rawValue),
                &output,
                &length,
                Int32(TJSAMP_420.rawValue),
                quality,
                0
            )
        }
        guard status == 0, let output else { throw .outOfMemory }
        return Array(UnsafeBufferPointer(start: output, count: Int(length)))
    }
}
