import Importing
import Stories
import Testing

/// Words that restrict elsewhere and are about something else here, each beside words that still restrict.
@Suite("False alarms about privacy")
struct FalseAlarmTests {
    private func table(_ column: String, _ values: [String]) throws -> ImportResult {
        try Fixture.text("title,\"\(column)\"\n" + values.map { "A,\"\($0)\"\n" }.joined())
    }

    private func features(_ properties: String...) throws -> ImportResult {
        let lines = properties.map {
            #"{"type":"Feature","geometry":null,"properties":{"title":"A"\#($0.isEmpty ? "" : "," + $0)}}"#
        }
        return try Fixture.text(lines.joined(separator: "\n") + "\n", name: "a.ndjson")
    }

    // MARK: Sentences

    @Test(
        "A sentence that tells what somebody did not do, and a notice about copies, ask for nothing",
        arguments: [
            "She never published", "He never published his book", "He said that he did not. Publish and be damned!",
            "He said: do not. Publish it all", "She never knew. The web was new",
            "Who is it? We do not know. Shown is a mill",
            "Not to be reproduced without permission", "Not to be reproduced without permission. Published in 1936",
            "Images not for sale. Published by the museum",
        ]
    )
    func tales(text: String) throws {
        for column in ["Notes", "Rights"] {
            #expect(try !table(column, [text]).isRefused, "\(column)")
        }
        let read = try Fixture.text("title,text,lat,lon\nA,\"\(text)\",1,2\n")
        #expect(!read.isRefused && read.warnings.isEmpty, "\(read.problems)")
    }

    @Test(
        "PRV-01 A plea counts wherever its sentence has it, and a second sentence that limits belongs to it",
        arguments: [
            "Never publish", "She asked never to be published", "They never shared this story with anybody",
            "Dr. Smith asked: do not, Mr. Jones, publish this", "DO NOT. PUBLISH.", "Please do not\npublish",
            "Please do not copy. Share only with the family", "He asks for patience. Do not share.",
            "Images are not for sale. Published online only with our consent", "It is not for Vol. Two of the web",
            "He never published it", "Not to be published without permission", "Please do not. publish",
        ]
    )
    func pleas(text: String) throws {
        #expect(try table("Notes", [text]).isRefused)
    }
}
