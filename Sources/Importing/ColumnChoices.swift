package import Formats

/// What an operator says about the columns and the encoding of a file.
public struct ColumnChoices: Hashable, Sendable {
    /// The columns to read as a field, by field; a field named here is read from no other column.
    package var mapped: [ImportField: String] = [:]
    /// The columns not to read.
    package var ignored: [String] = []
    /// The encoding; `nil` means the one that the bytes show.
    package var encoding: TextEncoding?

    /// Creates choices: none.
    public init() {}

    /// Adds a choice such as `lat=Breite`.
    ///
    /// - Throws: ``ImportProblem`` if it is not of that form, the field is unknown, or it was mapped already.
    public mutating func map(_ text: String) throws(ImportProblem) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].trimmed.isEmpty else {
            throw ColumnChoices.problem("\(text.prefix(60)) is not of the form FIELD=COLUMN, such as lat=Breite")
        }
        guard let field = ImportField.called(parts[0]) else {
            let fields = ImportField.allCases.map(\.title).joined(separator: ", ")
            throw ColumnChoices.problem("\(parts[0].prefix(40)) is not a field; the fields are \(fields)")
        }
        let column = parts[1].trimmed
        guard mapped[field] == nil else {
            throw ColumnChoices.problem("\(field.title) is mapped twice; give it one column")
        }
        let normalized = ImportField.normalized(column)
        guard !mapped.values.contains(where: { ImportField.normalized($0) == normalized }) else {
            throw ColumnChoices.problem("the column \(column.prefix(40)) is mapped twice; give it one field")
        }
        mapped[field] = column
    }

    /// Chooses the column with the words that find a place for rows without a position.
    ///
    /// - Throws: ``ImportProblem`` if it is mapped to something else.
    public mutating func setPlaceText(_ column: String) throws(ImportProblem) {
        try map("\(ImportField.placeText.title)=\(column)")
    }

    /// Adds a column not to read.
    public mutating func ignore(_ column: String) {
        ignored.append(column.trimmed)
    }

    /// Sets the encoding by its name.
    ///
    /// - Throws: ``ImportProblem`` for an unknown name.
    public mutating func setEncoding(_ name: String) throws(ImportProblem) {
        guard let known = TextEncoding(name: name) else {
            throw ColumnChoices.problem("\(name.prefix(40)) is not a known encoding; use \(TextEncoding.names)")
        }
        encoding = known
    }

    private static func problem(_ message: String) -> ImportProblem {
        ImportProblem(file: "", severity: .error, message: message)
    }
}

/// What each column or property of a file is read as.
package struct ColumnPlan: Sendable {
    /// The meaning of a column.
    package enum Meaning: Hashable, Sendable {
        /// It is read as a field; of several columns with values, the one with the lowest rank counts.
        case field(ImportField, rank: Int)
        /// The operator ignores it.
        case ignored
        /// Its name is unknown.
        case unknown
    }

    private let mapped: [String: ImportField]
    private let taken: Set<ImportField>
    private let ignored: Set<String>
    /// The names as the operator wrote them, by those that are compared.
    private let written: [String: String]

    package init(_ choices: ColumnChoices) {
        // A column is mapped once; see ColumnChoices.map.
        var mapped: [String: ImportField] = [:]
        for (field, column) in choices.mapped { mapped[ImportField.normalized(column)] = field }
        self.mapped = mapped
        taken = Set(choices.mapped.keys)
        ignored = Set(choices.ignored.map(ImportField.normalized))
        let names = choices.ignored + choices.mapped.values
        written = Dictionary(names.map { (ImportField.normalized($0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the operator chose anything.
    var isEmpty: Bool { mapped.isEmpty && ignored.isEmpty }

    /// Returns the meaning of a column.
    package func meaning(of name: String) -> Meaning {
        if !isEmpty {
            let normalized = ImportField.normalized(name)
            if let field = mapped[normalized] { return .field(field, rank: -1) }
            if ignored.contains(normalized) { return .ignored }
        }
        guard let (field, rank) = ImportField.named(name), !taken.contains(field) else { return .unknown }
        return .field(field, rank: rank)
    }

    /// Returns why the choices would show more than the file says, or `nil`: a column that restricts who sees what may
    /// not be ignored or read as something else.
    func exposure(by name: String, privacyIsGiven: Bool) -> String? {
        guard !isEmpty, let (field, _) = ImportField.named(name) else { return nil }
        if case .field(field, _) = meaning(of: name) { return nil }
        let shown = name.prefix(40)
        switch field {
        case .privacy, .isPublic:
            if privacyIsGiven { return nil }
            return "\(shown) says who may see the stories and would not be read; give --privacy for the whole file too"
        case .precision, .cell, .locationSource:
            return "\(shown) says how places are shown and cannot be left out; read it, or remove it from the file"
        default: return nil
        }
    }

    /// Returns the mapped and ignored columns that are not among the given names.
    func missing(in names: some Sequence<String>) -> (mapped: [String], ignored: [String]) {
        if isEmpty { return ([], []) }
        let present = Set(names.map(ImportField.normalized))
        func isAbsent(_ name: String) -> Bool { !present.contains(name) }
        func shown(_ names: [String]) -> [String] { names.filter(isAbsent).sorted().map { written[$0] ?? $0 } }
        return (shown(Array(mapped.keys)), shown(Array(ignored)))
    }
}
