import Importing
import Stories
import Testing

@Suite("Tables of photographs without titles")
struct PhotoTableTests {
    private static let header = "SourceFile,FileName,GPSLatitude,GPSLongitude,Description"

    private func read(_ text: String, privacy: Privacy? = .private) throws -> ImportResult {
        try Fixture.read(Array(text.utf8)) { options in
            guard let privacy else { return }
            (options.privacy, options.privacyIsGiven) = (privacy, true)
        }
    }

    @Test("The name of the file is the title, or a short caption, as of a folder of photographs")
    func titles() throws {
        let result = try read(
            Self.header + "\n./b/Old Mill.v2.jpg,Old Mill.v2.jpg,33.75,-84.39,\n"
                + "C:\\c\\1.jpg,1.jpg,33.75,-84.39,The ferry\n/d/2.jpg,2.jpg,,,\"Two\nlines\"\n/d/.jpg,.jpg,,,\n"
        )
        #expect(result.stories.map(\.title) == ["Old Mill.v2", "The ferry", "2", ".jpg"])
        #expect(result.stories.map(\.text) == [nil, nil, "Two\nlines", nil])
        #expect(result.stories.first?.sourceID == "./b/Old Mill.v2.jpg")
    }

    @Test("PRV-08 Photographs may be of homes: such a table is not published by default")
    func privacy() throws {
        let text = Self.header + "\na.jpg,a.jpg,33.75,-84.39,\n"
        let refused = try read(text, privacy: nil)
        #expect(refused.isRefused && refused.errors.first?.message.contains("--privacy public") == true)
        let saying = text.replacing("Description", with: "privacy").replacing(",\n", with: ",private\n")
        #expect(try read(saying, privacy: nil).stories.map(\.privacy) == [.private])
    }

    @Test(
        "Other tables keep needing a column for the title, and one that is there counts",
        arguments: [
            ("FileName,lat,lon\na.jpg,1,2\n", true), ("source_file,lat,lon\na.jpg,1,2\n", true),
            ("SourceFile,Title,lat,lon\na.jpg,,1,2\n", true), ("SourceFile,Title,lat,lon\na.jpg,Mill,1,2\n", false),
        ]
    )
    func others(text: String, isRefused: Bool) throws {
        #expect(try read(text).isRefused == isRefused)
    }
}
