import Foundation
import Storage
import Stories
import Testing

@Suite("Records of backups and checks")
struct UpkeepRecordTests {
    @Test("REL-05 A record is read back as it was written, each kind by itself, and a damaged one is none")
    func roundTrip() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("upkeep-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("a.db").path
        #expect(UpkeepRecord(.backup, besideDatabase: path) == nil)
        let now = Timestamp(milliseconds: 1_780_000_000_123)
        let record = UpkeepRecord(.backup, at: now, outcome: "verified", figures: ["bytes": 12_345, "stories": 7])
        try record.write(besideDatabase: path)
        try UpkeepRecord(.check, at: now, outcome: "healthy").write(besideDatabase: path)
        #expect(UpkeepRecord(.backup, besideDatabase: path) == record)
        #expect(UpkeepRecord(.check, besideDatabase: path)?.outcome == "healthy")
        for damage in ["", "{", "[]", #"{"at_ms":1e300,"outcome":"x"}"#, #"{"at_ms":1,"outcome":2}"#] {
            try Data(damage.utf8).write(to: URL(fileURLWithPath: path + ".backup.json"))
            #expect(UpkeepRecord(.backup, besideDatabase: path) == nil, "\(damage)")
        }
    }
}
