/// A file whose entries become features: KML, OHMS or GEDCOM.
public struct FeatureDocument: Sendable {
    /// The entries in file order, numbered from one.
    public private(set) var features: [GeoJSONFeature] = []
    /// What was not read, for people, each without a full stop.
    public internal(set) var remarks: [String] = []
    /// What the file says about itself or about groups of its entries, at most 1,000.
    package internal(set) var notes: [FileNote] = []

    /// The maximum nesting of elements.
    static let depth = 128

    /// Adds an entry without a problem; properties without a value are left out.
    mutating func add(
        id: String?,
        position: GeoJSONFeature.Position? = nil,
        geometryType: String? = nil,
        geometry: JSONValue? = nil,
        problem: String? = nil,
        properties: [String: JSONValue],
        identity: [String: JSONValue] = [:],
        links: [WebLink] = [],
        paragraphs: [String] = []
    ) {
        features.append(
            GeoJSONFeature(
                number: features.count + 1,
                id: id,
                hasInexactID: false,
                position: position,
                geometryType: geometryType,
                geometry: geometry,
                properties: properties.filter { $0.value != .string("") && $0.value != .array([]) },
                foreign: [:],
                problem: problem,
                identity: identity.mapValues { $0 == .string("") ? .null : $0 },
                links: links,
                paragraphs: paragraphs
            )
        )
    }

    /// Adds what the file says about itself.
    mutating func note(_ name: String, _ value: String) {
        if !value.isEmpty, notes.count < 1_000 { notes.append(FileNote(name: name, value: value)) }
    }

    /// Reads an XML document into a handler.
    static func read(_ bytes: [UInt8], into handler: inout some XMLElementHandler) throws(FeatureDocumentError) {
        do {
            try XMLScanner.read(try XMLText.prepared(bytes), depth: depth, into: &handler)
        } catch let failure as XMLFailure {
            throw FeatureDocumentError(failure)
        } catch let failure as XMLText.Failure {
            throw FeatureDocumentError(failure)
        } catch let failure as FeatureDocumentError {
            throw failure
        } catch {
            throw FeatureDocumentError(line: nil, reason: "the file cannot be read")
        }
    }
}

/// The reason a document cannot be read.
public struct FeatureDocumentError: Error, Equatable, Sendable {
    /// The line, starting at one, or `nil` for the whole file.
    public let line: Int?
    /// The error and how to fix it, without a full stop.
    public let reason: String

    init(line: Int?, reason: String) {
        self.line = line
        self.reason = reason
    }

    fileprivate init(_ failure: XMLFailure) {
        switch failure {
        case .malformed(let line, let words): self.init(line: line, reason: "the XML is damaged: \(words)")
        case .tooDeep(let line):
            self.init(line: line, reason: "elements are nested more than \(FeatureDocument.depth) deep")
        case .declaresDocumentType(let line):
            let reason = "the file declares a document type or entities, which are not read; remove them"
            self.init(line: line, reason: reason)
        }
    }

    fileprivate init(_ failure: XMLText.Failure) {
        switch failure {
        case .unknownEncoding(let name):
            self.init(line: 1, reason: "the encoding \(name.prefix(40)) is not known; save the file as UTF-8")
        case .invalidBytes(let line):
            self.init(line: line, reason: "the line has bytes that are invalid in the encoding of the file")
        }
    }
}
