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

    // MARK: Columns

    @Test(
        "A column whose name says little is none about privacy if all of its cells are empty or open",
        arguments: [
            ("Access", ["Open for research", "Open"]), ("Access", ["", ""]), ("Restrictions", ["None", ""]),
            ("Restrictions", ["No restrictions", "There are no restrictions on access."]), ("Restrictions", [""]),
            ("Access restrictions", ["no"]), ("p_accessrestrict", ["Open"]), ("Access Rights", ["Open to all"]),
            ("Conditions of access", ["Unrestricted", "None"]), ("Accès", ["Libre"]),
            ("Restrictive covenant", ["yes"]), ("Restrictive covenants", ["until 1948"]),
        ]
    )
    func openColumns(column: String, values: [String]) throws {
        let result = try table(column, values)
        #expect(!result.isRefused && result.stories.count == values.count, "\(result.errors)")
    }

    @Test(
        "PRV-01 Any other value of such a column counts, and so does a gap between open ones",
        arguments: [
            ("Access", ["Open", ""]), ("Access", ["Open", "Closed until 2050"]), ("Access", ["Open to staff"]),
            ("Access", ["None"]), ("Access", ["no"]), ("Access", ["Open?"]), ("Access", ["Open after 2040"]),
            ("Access", ["private"]), ("Restrictions", ["None", "family"]), ("Restrictions", ["None, but ask Ana"]),
            ("Restrictions", ["yes"]), ("Access level", [""]), ("Public access", [""]), ("Restricted", [""]),
            ("privacy level", [""]), ("visibility", [""]), ("Confidential", [""]), ("Embargo", ["none"]),
            ("Restrictive covenant", ["do not publish"]), ("Private access", ["open"]),
        ]
    )
    func restrictingColumns(column: String, values: [String]) throws {
        #expect(try table(column, values).isRefused)
    }

    @Test("PRV-01 Of features, those without the property are gaps, and what is nested is looked at by itself")
    func openProperties() throws {
        #expect(try !features(#""access":"open""#, #""access":"Open for research""#).isRefused)
        #expect(try !features(#""restrictions":"None""#, "").isRefused)
        #expect(try features(#""access":"open""#, "").isRefused)
        #expect(try features("", #""access":"open""#).isRefused)
        #expect(try features(#""admin":{"access":"open"}"#, "").isRefused)
        #expect(try features(#""access":"private","admin":{"access":"open"}"#, #""access":"open""#).isRefused)
        #expect(try features(#""access":"open","admin":{"access":"private"}"#, #""access":"open""#).isRefused)
        let many = (0..<1_100).map { "\"p\($0)\":1" }.joined(separator: ",")
        #expect(try features(many + #","restrictions":"family""#).isRefused)
    }

    @Test("PRV-01 An extension that opens one waypoint says nothing of the others")
    func openWaypoints() throws {
        let waypoint = "<wpt lat=\"1\" lon=\"2\"><name>A</name><extensions><access>open</access></extensions></wpt>"
        #expect(try !Fixture.text("<gpx>\(waypoint)</gpx>", name: "a.gpx").isRefused)
        #expect(try Fixture.text("<gpx>\(waypoint)<wpt lat=\"1\" lon=\"2\"/></gpx>", name: "a.gpx").isRefused)
    }

    @Test(
        "A school or its owner may be private, and a shop closed",
        arguments: [
            ("School type", ["Private", "Public"]), ("Ownership", ["Private"]), ("Owner type", ["Private"]),
            ("Sector", ["private", "public"]), ("School status", ["Closed", "Private"]),
            ("Business status", ["Closed"]),
            ("Status", ["Closed", "Demolished"]), ("Status", ["Operating", "Closed"]), ("@access", ["private", "yes"]),
            ("access", ["private", "customers"]),
        ]
    )
    func places(column: String, values: [String]) throws {
        #expect(try !table(column, values).isRefused)
    }

    @Test(
        "PRV-01 Other values there, and the same ones under other names, restrict",
        arguments: [
            ("School type", ["Private", "Family"]), ("Ownership", ["Confidential"]), ("Ownership", ["Do not publish"]),
            ("School publication", ["private"]), ("Status", ["Closed"]), ("Status", ["Closed", "Open"]),
            ("Status", ["Closed", "Demolished", "Private"]), ("Interview status", ["Closed", "Demolished"]),
            ("Business status", ["Draft"]), ("@access", ["private", "restricted"]),
            ("access", ["customers", "family"]),
            ("access", ["private", "yes"]), ("owner", ["private"]),
        ]
    )
    func stories(column: String, values: [String]) throws {
        #expect(try table(column, values).isRefused)
    }

    @Test(
        "Other columns show that access is about a road, and closed about a shop",
        arguments: [
            ("highway,surface,access", "service,gravel,private", true),
            ("@id,amenity,access", "way/1,parking,private", true),
            ("opening_hours,Status", "Mo-Fr 9-17,Closed", true), ("opening_hours,Closed", "Mo-Fr 9-17,yes", true),
            ("opening_hours,Closed", "Mo-Fr 9-17,private", false), ("opened,Closed", "1990,yes", false),
            // A geocoder adds such columns, and archives have a date of opening.
            ("osm_id,osm_type,amenity,access", "1,way,Smith House,private", false),
            ("highway,surface,access", "service,gravel,restricted", false), ("opened,Status", "1990,Closed", false),
        ]
    )
    func neighbours(columns: String, values: String, isRead: Bool) throws {
        #expect(try Fixture.text("title,\(columns)\nA,\(values)\n").isRefused != isRead)
    }

    // MARK: Terms

    @Test(
        "A term that ended in a year before this one restricts nothing",
        arguments: [
            "sealed until 1998", "Closed until 1998-05-01", "Embargoed until 1 January 2001",
            "restricted until 05/2020",
            "Withheld until 2025",
        ]
    )
    func ended(term: String) throws {
        for column in ["Notes", "Status", "Access"] { #expect(try !table(column, [term]).isRefused, "\(column)") }
        for row in ["Choir (\(term)),,", "A,\(term),", "A,,\(term)"] {
            #expect(try !Fixture.text("title,text,tags,lat,lon\n\(row),1,2\n").isRefused, "\(row)")
        }
        #expect(try !Fixture.text("\(term)\nid,title,lat,lon\n1,A,1,2\n").isRefused)
        let undated = try Fixture.read(Array("title,tags,lat,lon\nA,sealed until 1998,1,2\n".utf8)) { $0.today = nil }
        #expect(undated.isRefused)
    }

    @Test(
        "PRV-01 A term that may not have ended, or is not all that is said, restricts",
        arguments: [
            "sealed until 2050", "sealed until 2026", "sealed until 12/26", "Sealed until 1998?", "closed until 1450",
            "sealed until the death of the donor", "closed until 1998; then family only", "sealed until 1998 and 2050",
            "sealed until 1998 or death",
        ]
    )
    func lasting(term: String) throws {
        for column in ["Notes", "Status", "Access"] { #expect(try table(column, [term]).isRefused, "\(column)") }
    }

    @Test(
        "PRV-01 In titles an event of history is no mark, and what may be a rank is one",
        arguments: [
            ("\"Smith, John (Private)\",He joined the 5th Infantry", false), ("\"Smith, John (Pvt.)\",", true),
            ("Embargo (1807),", true), ("Embargo – 1807-1809,", true),
            ("\"Smith, John (Private)\",He joined the choir", false),
            ("\"Smith, John (PRIVATE)\",He joined the 5th Infantry", false),
            ("Interview with Ann Hill (Private),She joined the 5th Infantry", false),
            ("Embargo (2050),", false), ("Embargo (2019),", false), ("Embargo: Choir,", false),
        ]
    )
    func titles(row: String, isRead: Bool) throws {
        #expect(try Fixture.text("title,text,lat,lon\n\(row),1,2\n").isRefused != isRead)
    }

    // MARK: Names

    private func isRefused(named name: String) throws -> [Bool] {
        let feature = #"{"type":"Feature","geometry":null,"properties":{"title":"A"}}"#
        let placemark = "<Placemark><name>A</name></Placemark>"
        return [
            try Fixture.text("\(name)\nid,title,lat,lon\n1,A,1,2\n").isRefused,
            try Fixture.text(
                "<kml><Document><Folder><name>\(name)</name>\(placemark)</Folder></Document></kml>",
                name: "a.kml"
            )
            .isRefused,
            try Fixture.text(
                #"{"type":"FeatureCollection","name":"\#(name)","features":[\#(feature)]}"#,
                name: "a.geojson"
            )
            .isRefused,
        ]
    }

    @Test(
        "The name of a file, sheet or folder may be about private homes and hidden gems",
        arguments: [
            "Hidden history", "Hidden gems", "Private homes", "Private schools", "Private schools of Georgia",
            "Georgia private schools", "Private homes and gardens in Atlanta", "Secret gardens", "PRIVATE SCHOOLS",
        ]
    )
    func topics(name: String) throws {
        #expect(try isRefused(named: name) == [false, false, false])
    }

    @Test(
        "PRV-01 A name that says more than a topic, or less, restricts",
        arguments: [
            "Private", "hidden", "PRIVATE – family only", "Not for publication", "Internal use only", "Hidden Private",
            "Hidden photos", "Hidden Stories", "Hidden Atlanta", "Hidden Reed", "Hidden Reed Family",
            "Hidden - Atlanta", "Secret Smith",
            "Private stories",
            "Private home videos", "PRIVATE homes", "Private: homes", "Private homes only",
            "Private homes of our family",
            "Private homes and notes", "Private homes of living people",
        ]
    )
    func marks(name: String) throws {
        #expect(try isRefused(named: name) == [true, true, true])
    }

    // MARK: Messages

    @Test("PRV-01 One error names all columns that seem to say who may see a story")
    func allColumns() throws {
        let file = "title,Access,Notes,Consent,visibility\nA,closed,x,no,1\n"
        let errors = try Fixture.text(file).errors.map(\.message)
        #expect(errors.count == 1)
        let start = "Access looks like a privacy setting, and so do Consent, visibility. Give --map 'privacy=Access'"
        #expect(
            errors.first?.hasPrefix(start) == true && errors.first?.hasSuffix("; do the same for the others") == true
        )
        let two = try features(#""consent":"no","visibility":1"#).errors.map(\.message)
        #expect(two.first?.hasPrefix("consent looks like a privacy setting, and so does visibility. Give") == true)
        let many = "title," + (0..<30).map { "private\($0)" }.joined(separator: ",") + "\nA\n"
        #expect(try Fixture.text(many).errors.first?.message.contains("private19 and 10 more. Give") == true)
    }

    @Test(
        "PRV-01 Where the whole file is given as public, a warning names each such column once",
        arguments: [
            (
                "a.csv", "title,Access,Notes,Consent,\nA,closed,x,no,private\nB,closed,x,no,private\n",
                ["Access", "Consent", "column 5, which has no name,"]
            ),
            ("a.json", #"[{"title":"A","access":"closed","admin":{"privacy":"private"}}]"#, ["access", "privacy"]),
            (
                "a.gpx",
                "<gpx><wpt lat=\"1\" lon=\"2\"><name>W</name><extensions><privacy>private</privacy></extensions></wpt></gpx>",
                ["privacy"]
            ),
        ]
    )
    func publicFiles(name: String, text: String, columns: [String]) throws {
        for privacy in Privacy.allCases {
            let read = try Fixture.read(Array(text.utf8), name: name) {
                ($0.privacy, $0.privacyIsGiven) = (privacy, true)
            }
            let words = " looks like a privacy setting and is not read; stories without a privacy are public"
            let expected = privacy == .public ? columns.map { $0 + words } : []
            #expect(read.warnings.map(\.message).filter { $0.hasSuffix(words) } == expected)
            #expect(!read.isRefused, "\(read.errors)")
        }
    }

    @Test("PRV-01 A warning of a column stands in front of those of rows, of which only the first are shown")
    func firstWarnings() throws {
        let rows = (0..<(ImportResult.problemLimit + 5)).map { "A\($0),private,x" }.joined(separator: "\n")
        let read = try Fixture.read(Array("title,tags,visibility\n\(rows)\n".utf8)) {
            ($0.privacy, $0.privacyIsGiven) = (.public, true)
        }
        #expect(read.warningSummary(limit: 1).first?.contains("visibility looks like a privacy setting") == true)
        #expect(read.warnings.count == ImportResult.problemLimit)
        // And the remark that the column was not read.
        #expect(read.warningCount == ImportResult.problemLimit + 7)
    }
}
