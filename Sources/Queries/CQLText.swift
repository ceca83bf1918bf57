import Geometry

/// Reads conditions in CQL2 text (OGC 21-065r2): comparisons, LIKE, BETWEEN, IN, IS NULL, AND, OR, NOT, S_INTERSECTS,
/// T_INTERSECTS, T_BEFORE and T_AFTER.
///
/// Every name and type is checked, and every error has its place. The text, its depth and the number of its conditions and
/// corners are limited, so reading takes no more memory or stack than that.
package struct CQLText {
    /// The maximum length of a text in bytes.
    package static let longest = 4_000
    /// The maximum depth of parentheses and negations.
    package static let deepest = 20
    /// The maximum number of conditions and values.
    package static let mostParts = 200
    /// The maximum number of corners of all areas together.
    package static let mostCorners = 1_000

    private let tokens: [(token: QueryToken, start: Int)]
    var at = 0
    private var parts = 0
    var corners = 0
    private let properties: [String: QueryProperty]
    let plane: QueryPlane

    /// Returns the condition in a text.
    ///
    /// - Throws: ``QueryTextError``
    package static func condition(
        in text: String,
        properties: [QueryProperty],
        plane: QueryPlane = .degrees
    ) throws(QueryTextError) -> QueryCondition {
        guard text.utf8.count <= longest else {
            throw QueryTextError(message: "it is longer than \(longest) bytes", position: longest + 1)
        }
        var source = QueryTokens(text)
        var tokens: [(token: QueryToken, start: Int)] = []
        repeat { tokens.append(try source.next()) } while tokens.last?.token != .end
        var reader = CQLText(tokens: tokens, properties: properties, plane: plane)
        let condition = try reader.alternatives(depth: 0)
        guard reader.token == .end else {
            throw reader.problem("AND, OR or the end is expected, not \(reader.token.shown)")
        }
        return condition
    }

    private init(
        tokens: [(token: QueryToken, start: Int)],
        properties: [QueryProperty],
        plane: QueryPlane
    ) {
        self.tokens = tokens
        self.properties = Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
        self.plane = plane
    }
}

// The cursor.
extension CQLText {
    /// The present piece; the last one is the end, which is never passed.
    var token: QueryToken { tokens[at].token }

    mutating func advance() { at = min(at + 1, tokens.count - 1) }

    func problem(_ message: String) -> QueryTextError {
        QueryTextError(message: message, position: tokens[at].start + 1)
    }

    func isWord(_ word: String, ahead: Int = 0) -> Bool {
        guard at + ahead < tokens.count, case .word(let found) = tokens[at + ahead].token else { return false }
        return found.uppercased() == word
    }

    func isSign(_ sign: String, ahead: Int = 0) -> Bool {
        at + ahead < tokens.count && tokens[at + ahead].token == .sign(sign)
    }

    private mutating func take(word: String) -> Bool {
        guard isWord(word) else { return false }
        advance()
        return true
    }

    mutating func take(sign: String) -> Bool {
        guard isSign(sign) else { return false }
        advance()
        return true
    }

    private mutating func expect(word: String) throws(QueryTextError) {
        guard take(word: word) else { throw problem("\(word) is expected, not \(token.shown)") }
    }

    mutating func expect(_ sign: String) throws(QueryTextError) {
        guard take(sign: sign) else { throw problem("\(sign) is expected, not \(token.shown)") }
    }

    private mutating func countPart() throws(QueryTextError) {
        parts += 1
        guard parts <= CQLText.mostParts else {
            throw problem("there are more than \(CQLText.mostParts) conditions and values")
        }
    }
}

// Conditions.
extension CQLText {
    private mutating func alternatives(depth: Int) throws(QueryTextError) -> QueryCondition {
        var found = [try conjunction(depth: depth)]
        while take(word: "OR") { found.append(try conjunction(depth: depth)) }
        return found.count == 1 ? found[0] : .any(found)
    }

    private mutating func conjunction(depth: Int) throws(QueryTextError) -> QueryCondition {
        var found = [try factor(depth: depth)]
        while take(word: "AND") { found.append(try factor(depth: depth)) }
        return found.count == 1 ? found[0] : .all(found)
    }

    private mutating func factor(depth: Int) throws(QueryTextError) -> QueryCondition {
        guard depth < CQLText.deepest else {
            throw problem("parentheses and NOT are nested more than \(CQLText.deepest) deep")
        }
        if take(word: "NOT") { return .not(try factor(depth: depth + 1)) }
        if take(sign: "(") {
            let inner = try alternatives(depth: depth + 1)
            try expect(")")
            return inner
        }
        try countPart()
        if isSign("(", ahead: 1), case .word(let name) = token, let relation = CQLText.relation(name) {
            at += 2
            return try temporal(relation)
        }
        if isSign("(", ahead: 1), take(word: "S_INTERSECTS") {
            advance()
            return try spatial()
        }
        return try comparison()
    }

    private static func relation(_ name: String) -> QueryCondition.TimeRelation? {
        switch name.uppercased() {
        case "T_INTERSECTS": .intersects
        case "T_BEFORE": .before
        case "T_AFTER": .after
        default: nil
        }
    }

    /// Reads a comparison of a property with values, with either of them first.
    private mutating func comparison() throws(QueryTextError) -> QueryCondition {
        guard let property = try propertyName() else { return try exchanged() }
        if take(word: "IS") {
            let isNegated = take(word: "NOT")
            try expect(word: "NULL")
            return CQLText.negated(.isNull(property.name), isNegated)
        }
        guard property.kind != .geometry else {
            throw problem("\(property.name) is a geometry: use S_INTERSECTS(\(property.name), …)")
        }
        let isNegated = take(word: "NOT")
        if take(word: "LIKE") {
            guard property.kind == .text else { throw problem("LIKE is for texts, and \(property.name) is none") }
            guard case .text(let pattern) = token else { throw problem("LIKE needs a text in quotation marks") }
            advance()
            return CQLText.negated(.like(property.name, LikePattern(pattern)), isNegated)
        }
        if take(word: "BETWEEN") {
            let least = try value(for: property)
            try expect(word: "AND")
            return CQLText.negated(.between(property.name, least, try value(for: property)), isNegated)
        }
        if take(word: "IN") {
            try expect("(")
            var values = [try value(for: property)]
            while take(sign: ",") { values.append(try value(for: property)) }
            try expect(")")
            return CQLText.negated(.oneOf(property.name, values), isNegated)
        }
        guard !isNegated, let comparison = takeComparison() else {
            throw problem(
                "after \(property.name), =, <>, <, <=, >, >=, LIKE, BETWEEN, IN or IS NULL is expected, not \(token.shown)"
            )
        }
        return .comparison(property.name, comparison, try value(for: property))
    }

    /// Reads a comparison that begins with its value, or a truth value.
    private mutating func exchanged() throws(QueryTextError) -> QueryCondition {
        let start = at
        guard let literal = try literal() else {
            throw problem("a property, a value or a condition is expected, not \(token.shown)")
        }
        guard let comparison = takeComparison() else {
            if case .boolean(let truth) = literal { return .constant(truth) }
            throw problem("a comparison such as = is expected, not \(token.shown)")
        }
        guard let property = try propertyName() else {
            throw problem("the name of a property is expected, not \(token.shown)")
        }
        guard CQLText.fits(literal, property) else {
            at = start
            throw problem("\(property.name) is compared with \(CQLText.form(of: property.kind))")
        }
        return .comparison(property.name, comparison.exchanged, literal)
    }

    private static func negated(_ condition: QueryCondition, _ isNegated: Bool) -> QueryCondition {
        isNegated ? .not(condition) : condition
    }

    private mutating func takeComparison() -> QueryCondition.Comparison? {
        guard case .sign(let sign) = token else { return nil }
        let comparison: QueryCondition.Comparison? =
            switch sign {
            case "=": .equal
            case "<>": .notEqual
            case "<": .less
            case "<=": .lessOrEqual
            case ">": .greater
            case ">=": .greaterOrEqual
            default: nil
            }
        if comparison != nil { advance() }
        return comparison
    }
}

// Names and values.
extension CQLText {
    /// Reads the name of a property; `nil` if a value stands here.
    mutating func propertyName() throws(QueryTextError) -> QueryProperty? {
        let name: String
        switch token {
        case .name(let quoted): name = quoted
        case .word(let word):
            let upper = word.uppercased()
            if upper == "TRUE" || upper == "FALSE" { return nil }
            if isSign("(", ahead: 1) {
                if ["DATE", "TIMESTAMP"].contains(upper) { return nil }
                throw problem("\(token.shown) is not a function that is known here")
            }
            name = word
        default: return nil
        }
        guard let property = properties[name] else {
            let known = properties.keys.sorted().joined(separator: ", ")
            throw problem("\(token.shown) is not a property; the properties here are \(known)")
        }
        advance()
        return property
    }

    private mutating func value(for property: QueryProperty) throws(QueryTextError) -> QueryValue {
        try countPart()
        let start = at
        guard let literal = try literal(), CQLText.fits(literal, property) else {
            at = start
            throw problem("\(property.name) is compared with \(CQLText.form(of: property.kind))")
        }
        return literal
    }

    private static func fits(_ value: QueryValue, _ property: QueryProperty) -> Bool {
        switch (value, property.kind) {
        case (.text, .text), (.number, .number), (.boolean, .boolean), (.time, .time), (.point, .geometry): true
        default: false
        }
    }

    private static func form(of kind: QueryProperty.Kind) -> String {
        switch kind {
        case .text: "a text in single quotation marks"
        case .number: "a number"
        case .boolean: "TRUE or FALSE"
        case .time: "DATE('2001-12-31') or TIMESTAMP('2001-12-31T12:00:00Z')"
        case .geometry: "S_INTERSECTS"
        }
    }

    /// Reads a text, a number, a truth value or an instant; `nil` if none stands here.
    private mutating func literal() throws(QueryTextError) -> QueryValue? {
        switch token {
        case .text(let text):
            advance()
            return .text(text)
        case .number(let number):
            advance()
            return .number(number)
        case .word:
            if take(word: "TRUE") { return .boolean(true) }
            if take(word: "FALSE") { return .boolean(false) }
            return try instant().map { .time($0) }
        default: return nil
        }
    }

    /// Reads `DATE('…')` or `TIMESTAMP('…')`; `nil` if neither stands here.
    mutating func instant() throws(QueryTextError) -> QuerySpan? {
        let isDate = isWord("DATE")
        guard isDate || isWord("TIMESTAMP"), isSign("(", ahead: 1) else { return nil }
        at += 2
        let span = try quotedTime(isDate ? QueryTime.day : QueryTime.instant)
        try expect(")")
        return span
    }

    mutating func quotedTime(_ read: (String) -> QuerySpan?) throws(QueryTextError) -> QuerySpan {
        guard case .text(let text) = token, let span = read(text) else {
            throw problem("a day such as '2001-12-31' or an instant such as '2001-12-31T12:00:00Z' is expected")
        }
        advance()
        return span
    }
}
