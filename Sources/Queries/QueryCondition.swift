package import Geometry

/// A property that conditions may name.
package struct QueryProperty: Hashable, Sendable {
    /// The type of its values.
    package enum Kind: Sendable {
        case text, number, boolean, time, geometry
    }

    /// The name, as a condition spells it.
    package let name: String
    /// The type of its values.
    package let kind: Kind

    /// Creates a property.
    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

/// The value of a property, or one that it is compared with.
package enum QueryValue: Hashable, Sendable {
    case text(String)
    case number(Double)
    case boolean(Bool)
    case time(QuerySpan)
    case point(Coordinate)
    /// Lines and areas in degrees; longitudes may go on beyond 180.
    case geometry(QueryGeometry)
}

/// A stretch of time in milliseconds since 1970, with both ends; `nil` means that an end is open.
package struct QuerySpan: Hashable, Sendable {
    /// The first millisecond.
    package let start: Int64?
    /// The last millisecond.
    package let end: Int64?

    /// Creates a span.
    package init(start: Int64?, end: Int64?) {
        self.start = start
        self.end = end
    }

    /// Returns whether both share a millisecond.
    func intersects(_ other: QuerySpan) -> Bool { !isBefore(other) && !other.isBefore(self) }

    /// Returns whether this ends before the other begins.
    func isBefore(_ other: QuerySpan) -> Bool {
        guard let end, let start = other.start else { return false }
        return end < start
    }
}

/// A condition on the properties of a feature, with every name and type checked.
package indirect enum QueryCondition: Hashable, Sendable {
    /// How two values are compared.
    package enum Comparison: Hashable, Sendable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    }

    /// How two spans are compared.
    package enum TimeRelation: Hashable, Sendable {
        case intersects, before, after
    }

    case constant(Bool)
    case comparison(String, Comparison, QueryValue)
    case like(String, LikePattern)
    case between(String, QueryValue, QueryValue)
    case oneOf(String, [QueryValue])
    case isNull(String)
    case intersects(String, QueryShape)
    case time(String, TimeRelation, QuerySpan)
    case not(QueryCondition)
    case all([QueryCondition])
    case any([QueryCondition])
}

extension QueryCondition {
    /// The conditions that must all hold: those joined by the outermost AND, or this one.
    package var conjuncts: [QueryCondition] {
        if case .all(let parts) = self { return parts.flatMap(\.conjuncts) }
        return [self]
    }
}

/// Evaluates conditions, and counts the work so that nobody can ask for more than a limit.
package struct QueryEvaluation: Sendable {
    /// Says that a condition needs more work than a request may cause.
    package struct TooMuchWork: Error, Equatable, Sendable {}

    /// The number of steps left, each about as long as comparing one character.
    package private(set) var steps: Int

    /// Creates an evaluation that may take so many steps.
    package init(steps: Int) { self.steps = steps }

    /// Returns whether the condition holds, where `value` returns the value of a property, or `nil` if it is absent.
    ///
    /// A comparison with a value that is absent is neither true nor false, as in SQL.
    ///
    /// - Throws: ``TooMuchWork``
    package mutating func holds(
        _ condition: QueryCondition,
        _ value: (_ property: String) -> QueryValue?
    ) throws(TooMuchWork) -> Bool {
        try truth(condition, value) == true
    }

    private mutating func spend(_ count: Int) throws(TooMuchWork) {
        steps -= count
        if steps < 0 { throw TooMuchWork() }
    }

    private mutating func truth(
        _ condition: QueryCondition,
        _ value: (_ property: String) -> QueryValue?
    ) throws(TooMuchWork) -> Bool? {
        try spend(1)
        switch condition {
        case .constant(let truth): return truth
        case .isNull(let name): return value(name) == nil
        case .not(let inner): return try truth(inner, value).map { !$0 }
        case .all(let parts): return try joined(parts, value, deciding: false)
        case .any(let parts): return try joined(parts, value, deciding: true)
        case .comparison(let name, let comparison, let other):
            guard let mine = value(name) else { return nil }
            return try compare(mine, comparison, other)
        case .between(let name, let least, let most):
            guard let mine = value(name) else { return nil }
            guard try compare(mine, .greaterOrEqual, least) else { return false }
            return try compare(mine, .lessOrEqual, most)
        case .oneOf(let name, let values):
            guard let mine = value(name) else { return nil }
            for other in values where try compare(mine, .equal, other) { return true }
            return false
        case .like(let name, let pattern):
            guard case .text(let text)? = value(name) else { return nil }
            return try matches(text, pattern)
        case .intersects(let name, let shape):
            switch value(name) {
            case .point(let point)?:
                try spend(shape.cornerCount)
                return shape.contains(point)
            case .geometry(let geometry)?:
                var left = steps
                let meets = geometry.meets(shape, steps: &left)
                steps = left
                guard let meets else { throw TooMuchWork() }
                return meets
            default: return nil
            }
        case .time(let name, let relation, let span):
            guard case .time(let mine)? = value(name) else { return nil }
            switch relation {
            case .intersects: return mine.intersects(span)
            case .before: return mine.isBefore(span)
            case .after: return span.isBefore(mine)
            }
        }
    }

    /// Joins parts by AND, which a false part decides, or OR, which a true part decides.
    private mutating func joined(
        _ parts: [QueryCondition],
        _ value: (_ property: String) -> QueryValue?,
        deciding: Bool
    ) throws(TooMuchWork) -> Bool? {
        var isUnknown = false
        for part in parts {
            guard let truth = try truth(part, value) else {
                isUnknown = true
                continue
            }
            if truth == deciding { return deciding }
        }
        return isUnknown ? nil : !deciding
    }

    private mutating func matches(_ text: String, _ pattern: LikePattern) throws(TooMuchWork) -> Bool {
        let scalars = Array(text.unicodeScalars)
        try spend(scalars.count)
        var left = steps
        let found = pattern.matches(scalars, steps: &left)
        steps = left
        guard let found else { throw TooMuchWork() }
        return found
    }

    private mutating func compare(
        _ mine: QueryValue,
        _ comparison: QueryCondition.Comparison,
        _ other: QueryValue
    ) throws(TooMuchWork) -> Bool {
        switch (mine, other) {
        case (.text(let a), .text(let b)):
            try spend(min(a.utf8.count, b.utf8.count))
            // By code points, as databases do, so that the order is the same everywhere.
            if a.utf8.elementsEqual(b.utf8) { return comparison.holds(forOrder: 0) }
            return comparison.holds(forOrder: a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : 1)
        case (.number(let a), .number(let b)): return comparison.holds(forOrder: a < b ? -1 : a > b ? 1 : 0)
        case (.boolean(let a), .boolean(let b)): return comparison.holds(forOrder: a == b ? 0 : a ? 1 : -1)
        case (.time(let a), .time(let b)): return comparison.holds(forOrder: QueryEvaluation.order(a, b))
        default: return false
        }
    }

    /// Orders the beginning of a span against another span: 0 if it lies in it.
    private static func order(_ mine: QuerySpan, _ other: QuerySpan) -> Int {
        guard let begin = mine.start else { return other.start == nil ? 0 : -1 }
        if let start = other.start, begin < start { return -1 }
        if let end = other.end, begin > end { return 1 }
        return 0
    }
}

extension QueryCondition.Comparison {
    /// Returns whether it holds where the left value is smaller (-1), equal (0) or greater (1).
    fileprivate func holds(forOrder order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// The comparison with its sides exchanged.
    var exchanged: Self {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .equal, .notEqual: self
        }
    }
}
