package import Formats
package import Stories

/// One thing that a client did while it was offline.
package struct BatchItem: Sendable {
    /// What it did.
    package enum Operation: String, CaseIterable, Sendable {
        case create, update, delete
    }

    /// Lists the faults in the shape of an item that does this.
    package typealias ShapeCheck = @Sendable (_ item: JSONValue, _ operation: Operation) -> [FieldProblem]

    /// Its place in the batch.
    package let index: Int
    package let operation: Operation
    /// The story's id as given.
    package let id: String?
    /// The client's own id of it.
    package let clientID: String?
    /// The version the client changed.
    package let ifMatch: String?
    /// The fields.
    package let story: JSONValue
    /// What is wrong with the fields by their shape: said with what else is wrong with them.
    let storyProblems: [FieldProblem]

    /// Reads an item whose shape `check` looks at.
    ///
    /// - Throws: ``Refusal`` naming every wrong field.
    package init(_ value: JSONValue, index: Int, check: ShapeCheck) throws {
        guard let operation = value["op"]?.string.flatMap(Operation.init) else {
            let words = Operation.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal.body([FieldProblem(field: "op", message: "must be one of \(words)")])
        }
        var problems = check(value, operation)
        var story = value["story"] ?? .null
        var clientID = value["client_id"]?.string
        if operation == .create, let inside = story["client_id"]?.string {
            if let outside = clientID, outside != inside {
                problems.append(FieldProblem(field: "client_id", message: "is not the story's client_id"))
            }
            clientID = inside
        }
        if operation != .create, value["id"]?.string == nil, clientID == nil {
            problems.append(FieldProblem(field: "id", message: "is missing; give it or client_id"))
        }
        let prefix = "story."
        storyProblems = problems.filter { $0.field.hasPrefix(prefix) }
            .map { FieldProblem(field: String($0.field.dropFirst(prefix.count)), message: $0.message) }
        problems.removeAll { $0.field.hasPrefix(prefix) }
        guard problems.isEmpty else {
            throw Refusal.body(
                problems + storyProblems.map { FieldProblem(field: prefix + $0.field, message: $0.message) }
            )
        }
        if operation == .create, let clientID, case .object(var members) = story {
            members["client_id"] = .string(clientID)
            story = .object(members)
        }
        self.index = index
        self.operation = operation
        self.id = value["id"]?.string
        self.clientID = clientID
        self.ifMatch = value["if_match"]?.string
        self.story = story
    }
}

/// What became of an item.
package struct BatchOutcome: Sendable {
    /// The ways it can end.
    package enum Kind: String, CaseIterable, Sendable {
        /// A new story was made.
        case created
        /// The story is different now.
        case updated
        /// The story is gone now.
        case deleted
        /// All is as the client wants it already: a repetition.
        case unchanged
        /// The story is not as the client believes; nothing was overwritten.
        case conflict
        /// It cannot be done, for the reasons given.
        case refused
    }

    /// Returns an outcome with its place in the batch as one JSON value.
    package typealias Writer = @Sendable (_ outcome: BatchOutcome, _ index: Int) -> [UInt8]

    package let kind: Kind
    package var id: StoryID?
    package var clientID: String?
    /// The version of the story as it is now.
    package var version: String?
    /// A word for programs, of a conflict or refusal.
    package var reason: String?
    package var errors: [FieldProblem] = []
    /// Other stories of the same owner with the same media.
    package var duplicates: [StoryID] = []
}
