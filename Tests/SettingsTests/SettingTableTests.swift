import Foundation
import Settings
import Testing

/// The table of settings, and the documentation that is written from it.
struct SettingTableTests {
    private static let guidePath = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scripts/guide/settings.md").standardizedFileURL

    @Test("Every setting has a name of its own that an option, a variable and a key can have")
    func names() {
        let names = SettingTable.all.map(\.name)
        #expect(Set(names).count == names.count)
        for setting in SettingTable.all {
            #expect(setting.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil, "\(setting.name)")
            #expect(setting.meaning.hasSuffix("."), "\(setting.name)")
            #expect(!SettingTable.optionsOnly.contains(setting.name))
        }
        #expect(SettingTable.setting("rate-limit")?.variable == "WAYMARK_RATE_LIMIT")
    }

    @Test("The guide to settings is the table: WAYMARK_WRITE_GUIDE=1 writes it again")
    func guide() throws {
        if ProcessInfo.processInfo.environment["WAYMARK_WRITE_GUIDE"] != nil {
            try SettingTable.guide.write(to: SettingTableTests.guidePath, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: SettingTableTests.guidePath, encoding: .utf8) == SettingTable.guide)
    }
}
