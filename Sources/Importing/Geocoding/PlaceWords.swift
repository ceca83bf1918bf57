public import Formats

/// What a row says about its place in words.
public struct PlaceWords: Hashable, Sendable {
    /// Everything in one text: "near Macon, Ga.".
    public var text = ""
    /// The name of a place: a building, a neighbourhood, a settlement.
    public var name = ""
    /// A house number and street, or a whole address.
    public var street = ""
    /// A city, town or village.
    public var city = ""
    /// A county.
    public var county = ""
    /// A state, province or region, by its name or its code.
    public var state = ""
    /// A country, by its name or its code.
    public var country = ""
    /// A postal code.
    public var postalCode = ""

    /// Creates words: none.
    public init() {}

    /// Whether there are no words.
    public var isEmpty: Bool { parts.allSatisfy { self[keyPath: $0.path].isEmpty } }

    /// The words on one line, the smallest place first.
    public var summary: String {
        var last = ""
        var kept: [String] = []
        for part in parts {
            let word = self[keyPath: part.path]
            if !word.isEmpty, word != last { kept.append(word) }
            last = word
        }
        return kept.joined(separator: ", ")
    }

    /// The parts in the order of an address, with their names in JSON.
    private var parts: [(name: StaticString, path: WritableKeyPath<PlaceWords, String>)] {
        [
            ("text", \.text), ("name", \.name), ("street", \.street), ("city", \.city), ("county", \.county),
            ("state", \.state), ("postcode", \.postalCode), ("country", \.country),
        ]
    }

    /// The words as JSON, to be stored beside a story: an object with the parts that are not empty.
    public var json: String {
        var json = JSONWriter()
        json.beginObject()
        for part in parts where !self[keyPath: part.path].isEmpty {
            json.key(part.name)
            json.value(self[keyPath: part.path])
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Reads words from JSON; `nil` for anything but an object with at least one part.
    public init?(json: JSONValue) {
        guard json.object != nil else { return nil }
        for part in parts {
            if let text = json[part.name.description]?.string { self[keyPath: part.path] = text }
        }
        if isEmpty { return nil }
    }
}
