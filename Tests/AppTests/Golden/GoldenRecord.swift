import Crypto
import Foundation

/// An answer under the name of what was asked: who asked which route about what, and in which way.
struct GoldenRecord: Sendable {
    /// The name, unique among all records: route, role, cell and variant.
    let key: String
    let route: String
    let status: Int
    /// Status, headers and body, for a person to read and for programs to compare.
    let text: String

    init(route: String, role: Role, cell: String, variant: String, ordinal: Int, reply: TwinReply) {
        self.route = route
        let name = ordinal > 1 ? "\(variant) (\(ordinal))" : variant
        key = [route, role.rawValue, cell, name].joined(separator: " | ")
        status = reply.status
        text = GoldenNormaliser.text(of: reply, route: route)
    }

    /// The first 12 hexadecimal digits of the text's SHA-256.
    var digest: String {
        SHA256.hash(data: Data(text.utf8)).prefix(6)
            .map { byte in
                let digits = String(byte, radix: 16)
                return digits.count < 2 ? "0" + digits : digits
            }
            .joined()
    }

    /// The line of the committed file.
    var line: String { "\(key) | \(status) | \(digest)" }
}

/// The committed file of records, and the folder of whole answers.
enum GoldenFile: Sendable {
    /// The file, beside the sources of this suite.
    static let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "answers.txt")

    private static let head = """
        # Every answer of the service as it was recorded: route | role | about what | variant | status | digest.
        # GoldenAnswerTests says how to record anew and how to see whole answers.

        """

    /// The recorded lines by their keys.
    static func read() throws -> [String: String] {
        let text = try String(contentsOf: url, encoding: .utf8)
        var lines: [String: String] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            lines[key(of: String(line))] = String(line)
        }
        return lines
    }

    private static func key(of line: String) -> String {
        line.components(separatedBy: " | ").dropLast(2).joined(separator: " | ")
    }

    /// Replaces what was recorded.
    static func write(_ records: [GoldenRecord]) throws {
        let text = head + records.map { $0.line + "\n" }.joined()
        try Data(text.utf8).write(to: url)
    }

    /// Writes the whole answers, one file a route.
    static func write(_ records: [GoldenRecord], to folder: String) throws {
        let folder = URL(filePath: folder)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (route, answers) in Dictionary(grouping: records, by: \.route) {
            let name = String(route.map { $0.isLetter || $0.isNumber || ".-_".contains($0) ? $0 : "_" })
            let text = answers.map { "=== \($0.key)\n\($0.text)\n\n" }.joined()
            try Data(text.utf8).write(to: folder.appending(path: name + ".txt"))
        }
    }
}

/// How the answers of now differ from the recorded ones.
struct GoldenDifference: Sendable {
    /// How many differences are shown whole.
    private static let shown = 10
    /// How much of an answer is shown.
    private static let excerpt = 1_500

    private var changed: [GoldenRecord] = []
    private var added: [GoldenRecord] = []
    private var vanished: [String] = []
    private let recorded: [String: String]

    init(_ records: [GoldenRecord], from recorded: [String: String]) {
        self.recorded = recorded
        for record in records {
            guard let line = recorded[record.key] else {
                added.append(record)
                continue
            }
            if line != record.line { changed.append(record) }
        }
        vanished = Set(recorded.keys).subtracting(records.map(\.key)).sorted()
    }

    /// How many records differ.
    var count: Int { changed.count + added.count + vanished.count }

    /// What differs, for a person to read.
    var description: String {
        var parts = [
            "\(changed.count) answers changed, \(added.count) are not recorded, \(vanished.count) did not come."
        ]
        func show(_ record: GoldenRecord, _ what: String) {
            let more = record.text.count > GoldenDifference.excerpt ? " …" : ""
            parts.append("\(what): \(record.key)\n\(record.text.prefix(GoldenDifference.excerpt))\(more)")
        }
        for record in changed.prefix(GoldenDifference.shown) {
            show(
                record,
                "Changed (recorded: \(recorded[record.key]?.components(separatedBy: " | ").suffix(2).joined(separator: " | ") ?? ""))"
            )
        }
        for record in added.prefix(max(0, GoldenDifference.shown - changed.count)) { show(record, "Not recorded") }
        parts += vanished.prefix(GoldenDifference.shown).map { "Did not come: \($0)" }
        parts.append(
            """
            To see what an answer was, run this suite with WAYMARK_GOLDEN_FOLDER=before at the commit before and with \
            WAYMARK_GOLDEN_FOLDER=after here, then diff -r the two folders. If the change is meant, record the answers \
            anew with WAYMARK_GOLDEN_RECORD=1 and commit answers.txt with the reason.
            """
        )
        return parts.joined(separator: "\n\n")
    }
}
