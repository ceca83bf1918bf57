import Formats
import Library

/// A command that an operator's program passes on to a running service.
struct OperatorRequest: Sendable {
    let arguments: [String]
    let isTerminal: Bool
    /// The version of the operator's program.
    let version: String
    /// The version of this program.
    let serviceVersion = Release.version

    init(arguments: [String], isTerminal: Bool) {
        (self.arguments, self.isTerminal, version) = (arguments, isTerminal, Release.version)
    }

    /// Reads a request; `nil` for other bytes.
    init?(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes, limits: .init(bytes: OperatorSocket.mostBytes)),
            let arguments = json["arguments"]?.array, let version = json["version"]?.string
        else { return nil }
        self.arguments = arguments.compactMap(\.string)
        isTerminal = json["terminal"]?.bool ?? false
        self.version = version
    }

    /// The request as bytes.
    var bytes: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("arguments", arguments)
        json.member("terminal", isTerminal)
        json.member("version", version)
        json.endObject()
        return json.bytes
    }
}
