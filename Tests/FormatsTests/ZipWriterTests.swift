import Formats
import Foundation
import Geometry
import Testing
import TestSupport

@Suite("Sequentially written zip archives")
struct ZipWriterTests {
    /// What Python's reader finds: a line with name, size, and checksum of every entry, after testing all of them.
    private static func listing(_ bytes: [UInt8]) throws -> [String] {
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: URL(filePath: folder.path("a.zip")))
        let script = """
            from sys import argv; import zipfile, hashlib
            archive = zipfile.ZipFile(argv[1])
            assert archive.testzip() is None
            for entry in archive.infolist():
                print(entry.filename, entry.file_size, hashlib.sha256(archive.read(entry)).hexdigest()[:8])
            """
        return try run("python3", ["-c", script, folder.path("a.zip")]).split(separator: "\n").map(String.init)
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let run = try ProgramRun(program, arguments)
        #expect(run.status == 0, "\(program)")
        return String(decoding: run.output, as: UTF8.self)
    }

    private static func archive(_ entries: [(name: String, pieces: [[UInt8]])], isLarge: Bool) throws -> [UInt8] {
        let zip = ZipWriter()
        var bytes: [UInt8] = []
        for (name, pieces) in entries {
            try zip.begin(name, isLarge: isLarge)
            for piece in pieces {
                try zip.write(piece)
                bytes += zip.takeOutput()
            }
        }
        try zip.finish()
        return bytes + zip.takeOutput()
    }

    @Test("Another program reads the archive, in chunks of any size", arguments: [false, true])
    func readBack(isLarge: Bool) throws {
        var generator = SplitMix64(seed: 11)
        let noise = (0..<300_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let text = Array(String(repeating: "again and again, ", count: 20_000).utf8)
        let bytes = try ZipWriterTests.archive(
            [
                ("empty.json", []),
                ("noise", stride(from: 0, to: 300_000, by: 1_000).map { Array(noise[$0..<$0 + 1_000]) }),
                ("größe.txt", [text, [], Array("end".utf8)]),
            ],
            isLarge: isLarge
        )
        let found = try ZipWriterTests.listing(bytes)
        #expect(found.count == 3)
        #expect(found.first?.hasPrefix("empty.json 0 e3b0c442") == true)
        #expect(found.dropFirst().first?.hasPrefix("noise 300000 ") == true)
        #expect(found.last?.hasPrefix("größe.txt 340003 ") == true)
        #expect(bytes.count < 310_000)
        #expect(
            try ZipWriterTests.archive([("a", [text])], isLarge: isLarge)
                == ZipWriterTests.archive([("a", [text])], isLarge: isLarge)
        )
    }

    @Test("The checksum detects a damaged archive")
    func damaged() throws {
        var bytes = try ZipWriterTests.archive([("a", [Array("some text of some length".utf8)])], isLarge: false)
        bytes[40] ^= 0xFF
        let folder = try TemporaryFolder()
        try Data(bytes).write(to: URL(filePath: folder.path("a.zip")))
        let script = """
            from sys import argv, exit; import zipfile, zlib
            try:
                exit(0 if zipfile.ZipFile(argv[1]).testzip() == 'a' else 1)
            except zlib.error:
                exit(0)
            """
        _ = try ZipWriterTests.run("python3", ["-c", script, folder.path("a.zip")])
    }
}
