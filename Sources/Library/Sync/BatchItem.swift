package import Formats
package import Stories

/// A change that a client made while it was offline: of a story, of a mark on one, or of a collection.
package struct BatchItem: Sendable {
    /// The kind of change.
    package enum Operation: String, CaseIterable, Sendable {
        case create, update, delete
        case favourite, unfavourite, hide, unhide, view
        case createCollection = "create_collection"
        case deleteCollection = "delete_collection"
        case orderCollection = "order_collection"

        /// Whether it is about a collection.
        package var isCollection: Bool {
            switch self {
            case .createCollection, .deleteCollection, .orderCollection: true
            default: false
            }
        }

        /// The mark that it sets; `nil` if it is about the story itself or a collection.
        var mark: StoryMark? {
            switch self {
            case .create, .update, .delete, .createCollection, .deleteCollection, .orderCollection: nil
            case .favourite: .favourite(true)
            case .unfavourite: .favourite(false)
            case .hide: .hidden(true)
            case .unhide: .hidden(false)
            case .view: .viewed
            }
        }
    }

    /// Returns the problems of an item's shape, for its kind of change.
    package typealias ShapeCheck = @Sendable (_ item: JSONValue, _ operation: Operation) -> [FieldProblem]

    /// The index in the batch.
    package let index: Int
    package let operation: Operation
    /// The id of the story or collection, as given.
    package let id: String?
    /// The client's own id of the story.
    package let clientID: String?
    /// The version of the story that the client's change is based on.
    package let ifMatch: String?
    /// The fields of the story.
    package let story: JSONValue
    /// What is said about a collection.
    let collection: CollectionPart
    /// The problems in the shape of the story's fields; they are reported together with the other problems of these
    /// fields.
    let storyProblems: [FieldProblem]

    /// Reads an item whose shape is checked by `check`.
    ///
    /// - Throws: ``Refusal`` naming every invalid field; if only fields of the story are invalid, they are kept in
    ///   `storyProblems` instead.
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
                problems.append(FieldProblem(field: "client_id", message: "must equal the story's client_id"))
            }
            clientID = inside
        }
        if let name = BatchItem.otherName(for: operation), value["id"]?.string == nil, value[name]?.string == nil {
            problems.append(FieldProblem(field: "id", message: "is missing; provide it or \(name)"))
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
        self.collection = CollectionPart(
            fields: value["collection"] ?? .null,
            title: value["title"]?.string,
            order: (value["stories"]?.array ?? []).compactMap(\.string)
        )
    }

    /// What an item says about a collection.
    struct CollectionPart: Sendable {
        /// The fields of a new one.
        let fields: JSONValue
        /// The title of the user's own that is meant, if no id is given.
        let title: String?
        /// Its stories in their order, by id or by the client's own id.
        let order: [String]
    }

    /// Returns the field that may name what an item is about, instead of its id; `nil` for what is new.
    private static func otherName(for operation: Operation) -> String? {
        switch operation {
        case .create, .createCollection: nil
        case .deleteCollection, .orderCollection: "title"
        default: "client_id"
        }
    }

    /// Returns the problems of a rejected item, as fields of the item.
    func problems(of refusal: Refusal) -> [FieldProblem] {
        let (whole, prefix) =
            switch operation {
            case .create: ("story", "story.")
            case .createCollection: ("collection", "collection.")
            case .deleteCollection, .orderCollection: (id == nil ? "title" : "id", "")
            default: (id == nil && clientID != nil ? "client_id" : "id", "story.")
            }
        guard !refusal.errors.isEmpty else { return [FieldProblem(field: whole, message: refusal.detail)] }
        return refusal.errors.map { FieldProblem(field: prefix + $0.field, message: $0.message) }
    }
}

/// The outcome of an item.
package struct BatchOutcome: Sendable {
    /// The kinds of outcome.
    package enum Kind: String, CaseIterable, Sendable {
        /// A new story was created.
        case created
        /// The story was changed.
        case updated
        /// The story was deleted.
        case deleted
        /// Everything is already as the client wants it: a repetition.
        case unchanged
        /// The story is not in the state that the client assumes; nothing was overwritten.
        case conflict
        /// The item is rejected, for the reasons given.
        case refused
    }

    /// Returns an outcome, with its index in the batch, as one JSON value.
    package typealias Writer = @Sendable (_ outcome: BatchOutcome, _ index: Int) -> [UInt8]

    package let kind: Kind
    package var id: StoryID?
    package var clientID: String?
    /// The current version of the story.
    package var version: String?
    /// A machine-readable code for a conflict or rejection.
    package var reason: String?
    package var errors: [FieldProblem] = []
    /// Other stories of the same owner with the same media.
    package var duplicates: [StoryID] = []
    /// What it is about.
    var subject = Subject.story

    /// What an outcome is about.
    enum Subject: Hashable, Sendable {
        case story
        /// A mark of the user, of which nobody is notified.
        case mark
        case collection(CollectionID?)
    }

    /// Creates an outcome for a collection.
    static func collection(_ kind: Kind, _ id: CollectionID?) -> BatchOutcome {
        BatchOutcome(kind: kind, subject: .collection(id))
    }

    /// The id of the story or collection.
    package var idText: String? {
        guard case .collection(let collection) = subject else { return id?.description }
        return collection?.description
    }
}
