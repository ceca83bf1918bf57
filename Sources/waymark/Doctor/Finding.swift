import Formats

/// What `waymark doctor` found out about one thing.
struct Finding: Sendable {
    /// How things stand with it.
    enum State: String, Sendable {
        /// As it should be.
        case ok
        /// The service works, and somebody may want to know.
        case note
        /// Something does not work.
        case problem
    }

    /// The thing.
    let subject: String
    /// How things stand with it.
    let state: State
    /// What was found.
    let detail: String
    /// What to do; `nil` if there is nothing, or the detail says it.
    let remedy: String?

    init(_ state: State, _ subject: String, _ detail: String, remedy: String? = nil) {
        (self.state, self.subject, self.detail, self.remedy) = (state, subject, detail, remedy)
    }

    /// One line.
    var line: String {
        let column = state.rawValue + String(repeating: " ", count: 8 - state.rawValue.count)
        return "\(column) \(subject): \(detail)\(remedy.map { " \($0)" } ?? "")"
    }

    /// Returns findings as JSON.
    static func json(_ findings: [Finding]) -> String {
        var json = JSONWriter()
        json.beginObject()
        json.member("outcome", findings.contains { $0.state == .problem } ? "attention" : "healthy")
        json.key("findings")
        json.beginArray()
        for finding in findings {
            json.beginObject()
            json.member("subject", finding.subject)
            json.member("state", finding.state.rawValue)
            json.member("detail", finding.detail)
            json.member("remedy", finding.remedy)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.text
    }
}
