import Foundation

/// Looks for what must not be left in files: texts and numbers in every form a program could have stored them in.
struct ByteSearch {
    private let needles: [(name: String, bytes: [UInt8])]

    init(texts: [String], degrees: [Double]) {
        var needles: [(String, [UInt8])] = []
        for text in texts {
            needles.append(("\(text) in UTF-8", Array(text.utf8)))
            for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
                needles.append(("\(text) in \(encoding)", [UInt8](text.data(using: encoding) ?? Data())))
            }
        }
        for value in degrees {
            needles.append(("\(value) as text", Array(String(String(value).prefix(value < 0 ? 8 : 7)).utf8)))
            needles += ByteSearch.both("\(value) as double", value.bitPattern)
            // The spatial index rounds a box outwards to 32-bit floats, by a few units in the last place.
            let near = Float(value)
            for float in [near, near.nextUp, near.nextDown, near.nextUp.nextUp, near.nextDown.nextDown] {
                needles += ByteSearch.both("\(value) as float", float.bitPattern)
            }
        }
        self.needles = needles
    }

    private static func both(_ name: String, _ bits: some FixedWidthInteger) -> [(String, [UInt8])] {
        [
            (name, withUnsafeBytes(of: bits.bigEndian) { Array($0) }),
            (name + ", reversed", withUnsafeBytes(of: bits.littleEndian) { Array($0) }),
        ]
    }

    /// What is found in the files of a folder and its folders, named.
    func findings(in folder: URL) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try names.sorted()
            .flatMap { name -> [String] in
                guard let data = FileManager.default.contents(atPath: folder.appending(path: name).path) else {
                    return []
                }
                return try findings(in: data).map { "\(name): \($0)" }
            }
    }

    /// What is found in bytes.
    func findings(in data: Data) throws -> [String] {
        needles.filter { data.range(of: Data($0.bytes)) != nil }.map(\.name)
    }
}
