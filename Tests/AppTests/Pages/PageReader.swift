import Testing

/// Reads the HTML that the service writes, as strictly as it writes it: every attribute in double quotes, every element
/// ended but the empty ones.
struct PageReader {
    /// An element as it begins.
    struct Element: Hashable {
        let name: String
        let attributes: [String: String]
        /// All texts in it, joined.
        var text = ""
    }

    /// A fault in the markup.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// All elements in the order in which they begin.
    private(set) var elements: [Element] = []

    private static let empty: Set<String> = ["input", "meta", "link", "img", "br"]
    private static let entities: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'",
    ]

    /// Reads a page or a part of one.
    ///
    /// - Throws: ``Fault`` for markup that is not well formed.
    init(_ bytes: [UInt8]) throws {
        let html = try #require(String(validating: bytes, as: UTF8.self))
        var rest = Substring(html)
        if rest.hasPrefix("<!DOCTYPE html>") { rest = rest.dropFirst(15) }
        var open: [Int] = []
        while let first = rest.unicodeScalars.first {
            if first == "<" {
                let inside = try PageReader.take(&rest)
                if inside.hasPrefix("/") {
                    guard let last = open.popLast(), elements[last].name == inside.dropFirst() else {
                        throw Fault(description: "<\(inside)> ends nothing")
                    }
                } else {
                    elements.append(try PageReader.element(inside))
                    if !PageReader.empty.contains(elements[elements.count - 1].name), !inside.hasSuffix("/") {
                        open.append(elements.count - 1)
                    }
                }
            } else {
                let scalars = rest.unicodeScalars.prefix { $0 != "<" }
                let text = try PageReader.decoded(Substring(scalars))
                for index in open { elements[index].text += text }
                rest = Substring(rest.unicodeScalars.dropFirst(scalars.count))
            }
        }
        guard open.isEmpty else { throw Fault(description: "<\(elements[open[0]].name)> does not end") }
    }

    /// The first element of a name, with an attribute if one is given.
    func first(_ name: String, _ attribute: String? = nil, _ value: String? = nil) -> Element? {
        elements.first { element in
            element.name == name && (attribute.map { element.attributes[$0] == value } ?? true)
        }
    }

    /// The contents of the elements `meta` whose `property` begins with `og:`, by their name.
    var openGraph: [String: String] {
        elements.filter { $0.name == "meta" && $0.attributes["property"]?.hasPrefix("og:") == true }
            .reduce(into: [:]) { $0[$1.attributes["property"] ?? ""] = $1.attributes["content"] }
    }

    /// Takes a tag, up to the sign that ends it outside of quotes; returns what is between the signs.
    private static func take(_ rest: inout Substring) throws -> String {
        var (inside, isQuoted) = (String.UnicodeScalarView(), false)
        let scalars = rest.unicodeScalars
        var index = scalars.index(after: scalars.startIndex)
        while index < scalars.endIndex {
            let scalar = scalars[index]
            index = scalars.index(after: index)
            if scalar == ">", !isQuoted {
                rest = Substring(scalars[index...])
                return String(inside)
            }
            if scalar == "\"" { isQuoted.toggle() }
            inside.append(scalar)
        }
        throw Fault(description: "a tag does not end")
    }

    private static func element(_ inside: String) throws -> Element {
        let name = inside.prefix { $0.isLetter || $0.isNumber }
        guard !name.isEmpty else { throw Fault(description: "<\(inside)> has no name") }
        var attributes: [String: String] = [:]
        var rest = inside.dropFirst(name.count)
        while true {
            rest = rest.drop { $0 == " " || $0 == "/" }
            guard !rest.isEmpty else { break }
            let key = rest.prefix { $0 != "=" && $0 != " " && $0 != "/" }
            guard !key.isEmpty, !key.contains("\""), attributes[String(key)] == nil else {
                throw Fault(description: "<\(inside)> has a bad attribute")
            }
            rest = rest.dropFirst(key.count)
            guard rest.hasPrefix("=") else {
                attributes[String(key)] = ""
                continue
            }
            rest = rest.dropFirst()
            let scalars = rest.unicodeScalars
            guard scalars.first == "\"", let end = scalars.dropFirst().firstIndex(of: "\"") else {
                throw Fault(description: "<\(inside)> has a value without quotes")
            }
            attributes[String(key)] = try decoded(Substring(scalars[scalars.index(after: scalars.startIndex)..<end]))
            rest = Substring(scalars[scalars.index(after: end)...])
        }
        return Element(name: String(name), attributes: attributes)
    }

    /// Returns a text with its character references resolved.
    private static func decoded(_ text: Substring) throws -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.first {
            rest = rest.dropFirst()
            guard scalar == "&" else {
                result.append(scalar)
                continue
            }
            let name = String(String.UnicodeScalarView(rest.prefix { $0 != ";" }))
            guard let sign = entities[name] else { throw Fault(description: "&\(name.prefix(10)) is no reference") }
            result.append(contentsOf: sign.unicodeScalars)
            rest = rest.dropFirst(name.unicodeScalars.count + 1)
        }
        return String(result)
    }
}
