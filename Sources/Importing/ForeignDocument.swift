/// A document in XML or JSON that stories are not read from, recognised so that the refusal can say what to do.
enum ForeignDocument {
    /// The number of bytes by which a document is recognised.
    private static let head = 1 << 14

    /// Returns the reason that XML cannot be read; it is of none of the formats that are.
    static func refusal(ofXML bytes: [UInt8]) -> String {
        let start = text(bytes)
        let root = outermost(of: start)
        return
            "the file is \(kind(root, start)), from which stories are not read; save it as a table with the columns title, "
            + "lat and lon; \(ImportFile.readFormats)"
    }

    /// Returns the reason that JSON cannot be read; `nil` unless it is a location history of Google.
    static func refusal(ofJSON bytes: [UInt8]) -> String? {
        guard bytes.prefix(64).first(where: { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }).map(isOpening) == true
        else {
            return nil
        }
        let start = text(bytes)
        let has = { (name: String) in start.contains("\"\(name)\"") }
        guard !has("title"), !has("geometry") else { return nil }
        let isRecord = has("locations") && has("latitudeE7")
        let isTimeline = has("semanticSegments") || (has("startTime") && (has("topCandidate") || has("timelinePath")))
        if isRecord || isTimeline {
            return
                "the file is a location history of Google: its positions have no titles and become no stories; 'waymark replay' "
                + "feeds it to the evaluator as a recording"
        }
        guard has("timelineObjects") else { return nil }
        return "the file is a month of Google's Semantic Location History, which is not read; 'waymark replay' reads "
            + "Records.json and Timeline.json as recordings"
    }

    private static func isOpening(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    /// Returns the beginning; the zeros of UTF-16 are left out, because only names in ASCII are looked for.
    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(head).filter { $0 != 0 }, as: UTF8.self)
    }

    /// Returns the name of the outermost element without its prefix, or an empty one.
    private static func outermost(of text: String) -> String {
        // Instructions, comments and document types begin with other characters.
        let tag = text.split(separator: "<", maxSplits: 1_000).first { $0.first?.isLetter == true }
        let name = tag?.prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" } ?? ""
        return name.split(separator: ":").last.map(String.init) ?? ""
    }

    private static func kind(_ root: String, _ start: String) -> String {
        switch root.lowercased() {
        case "oai-pmh": return "an answer of OAI-PMH"
        case "vfpdata", "dataroot", "pastperfect": return "a database in XML, as PastPerfect and Access export it"
        case "ead": return "a finding aid in EAD"
        case "mods", "modscollection": return "MODS"
        case "mets": return "METS"
        case "tei": return "TEI"
        case "html": return "a page of the web"
        case "osm": return "data of OpenStreetMap"
        case "rss", "feed": return "a news feed"
        case "trainingcenterdatabase": return "a recording in TCX"
        case "svg": return "a drawing in SVG"
        default: break
        }
        if start.contains("MARC21/slim") { return "MARC in XML" }
        if start.contains("purl.org/dc/") { return "Dublin Core in XML" }
        return root.isEmpty ? "XML" : "XML with the outermost element \(root.prefix(40))"
    }
}
