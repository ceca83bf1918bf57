/// The query of a request; its values are read through the parameters that declare them.
package struct QueryValues: Sendable {
    /// The message for a missing required parameter.
    package static let missing = "is missing"

    /// Every name with its values in the given order, decoded; lists are split at commas.
    package let all: [String: [String]]

    /// Reads a query without checks, for routes that tolerate everything their clients send.
    package init(unchecked text: String?) throws {
        all = try QueryString(text).values.mapValues { try $0.map { try QueryString.decode($0) } }
    }

    /// Reads a query that may contain only the declared parameters.
    ///
    /// - Throws: ``InvalidParameter`` for an unknown, repeated or missing parameter, or a text that its declaration
    ///   rejects; ``Problem`` for a query that cannot be decoded.
    package init(_ text: String?, declaring parameters: ParameterList) throws {
        let declared = parameters.declarations
        var checked: [String: [String]] = [:]
        for (name, values) in try QueryString(text).values.sorted(by: { $0.key < $1.key }) {
            guard let parameter = declared.first(where: { $0.name == name }) else {
                throw QueryValues.unknown(name, declared)
            }
            let texts = try QueryValues.texts(values, of: parameter)
            if !texts.isEmpty { checked[name] = texts }
        }
        for parameter in declared where parameter.isRequired && checked[parameter.name] == nil {
            throw parameter.invalid(QueryValues.missing)
        }
        all = checked
    }

    private static func unknown(_ name: String, _ declared: [ParameterDeclaration]) -> InvalidParameter {
        let known = declared.map(\.name).joined(separator: ", ")
        let advice =
            switch declared.count {
            case 0: "this address has no parameters"
            case 1: "the only parameter here is \(known)"
            default: "the parameters here are \(known)"
            }
        return InvalidParameter(name: name, message: "is unknown; \(advice)")
    }

    private static func texts(_ values: [String], of parameter: ParameterDeclaration) throws -> [String] {
        guard parameter.isList || values.count == 1 else { throw parameter.invalid("must be given only once") }
        let texts = try values.flatMap { try parameter.isList ? QueryString.list($0) : [QueryString.decode($0)] }
        for text in texts {
            do throws(ParameterMismatch) {
                try parameter.admit(text)
            } catch {
                throw parameter.invalid(error.message)
            }
        }
        return texts
    }

    /// The value of a declared part.
    package subscript<Part: QueryPart>(_ part: Part) -> Part.Value {
        get throws { try part.value(of: self) }
    }

    /// Returns only the declared parameters, without empty texts; lists are split as in a checked query.
    package func filled(of declarations: [ParameterDeclaration]) -> QueryValues {
        var texts: [String: [String]] = [:]
        for parameter in declarations {
            let given = (all[parameter.name] ?? []).filter { !$0.isEmpty }
            texts[parameter.name] = given.isEmpty ? nil : parameter.isList ? given : [given[0]]
        }
        return QueryValues(all: texts)
    }

    private init(all: [String: [String]]) { self.all = all }

    /// Checks the texts of declared parameters, of a query that was read without checks.
    ///
    /// - Throws: ``InvalidParameter`` for a text that its declaration rejects.
    package func check(_ declarations: [ParameterDeclaration]) throws {
        for parameter in declarations {
            for text in texts(of: parameter) {
                do throws(ParameterMismatch) {
                    try parameter.admit(text)
                } catch {
                    throw parameter.invalid(error.message)
                }
            }
        }
    }

    /// Returns the texts of one parameter.
    package func texts(of parameter: ParameterDeclaration) -> [String] { all[parameter.name] ?? [] }

    /// Returns the texts of the given parameters by name, without those that are absent.
    package func texts(of parameters: [ParameterDeclaration]) -> [String: [String]] {
        var texts: [String: [String]] = [:]
        for parameter in parameters { texts[parameter.name] = all[parameter.name] }
        return texts
    }

    /// Returns the texts of all parameters except those with the given names.
    package func texts(without names: Set<String>) -> [String: [String]] { all.filter { !names.contains($0.key) } }

    /// The query with a leading question mark, sorted by name; empty without parameters.
    package var address: String { QueryValues.address(all) }

    /// Returns the query, with a leading question mark, after setting one parameter to `text`.
    package func address(setting parameter: ParameterDeclaration, to text: String) -> String {
        var texts = all
        texts[parameter.name] = [text]
        return QueryValues.address(texts)
    }

    private static func address(_ texts: [String: [String]]) -> String {
        let pairs = texts.map { ($0.key, $0.value.map(QueryValues.escaped).joined(separator: ",")) }.sorted { $0 < $1 }
        return pairs.isEmpty ? "" : "?" + pairs.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Percent-encodes all but the unreserved characters of RFC 3986, so that a comma in a value is no separator.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(Character(UnicodeScalar(byte)))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return result
    }
}
