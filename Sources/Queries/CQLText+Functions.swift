import Geometry

// The functions of space and time.
extension CQLText {
    mutating func temporal(_ relation: QueryCondition.TimeRelation) throws(QueryTextError) -> QueryCondition {
        if let property = try propertyName(of: .time, "a time") {
            try expect(",")
            let span = try span()
            try expect(")")
            return .time(property.name, relation, span)
        }
        let span = try span()
        try expect(",")
        guard let property = try propertyName(of: .time, "a time") else {
            throw problem("the name of a property with times is expected, not \(token.shown)")
        }
        try expect(")")
        let exchanged: QueryCondition.TimeRelation =
            switch relation {
            case .intersects: .intersects
            case .before: .after
            case .after: .before
            }
        return .time(property.name, exchanged, span)
    }

    private mutating func propertyName(
        of kind: QueryProperty.Kind,
        _ what: String
    ) throws(QueryTextError) -> QueryProperty? {
        let start = at
        if case .word = token, isSign("(", ahead: 1) { return nil }
        guard let property = try propertyName() else { return nil }
        guard property.kind == kind else {
            at = start
            throw problem("\(property.name) is not \(what)")
        }
        return property
    }

    /// Reads an instant, a day, or `INTERVAL('…','…')` with `'..'` for an open end.
    private mutating func span() throws(QueryTextError) -> QuerySpan {
        if let instant = try instant() { return instant }
        guard isWord("INTERVAL"), isSign("(", ahead: 1) else {
            throw problem("DATE('…'), TIMESTAMP('…') or INTERVAL('…','…') is expected, not \(token.shown)")
        }
        at += 2
        let first = try quotedTime(QueryTime.end)
        try expect(",")
        let last = try quotedTime(QueryTime.end)
        try expect(")")
        if let start = first.start, let end = last.end, end < start {
            throw problem("the interval ends before it begins")
        }
        return QuerySpan(start: first.start, end: last.end)
    }

    mutating func spatial() throws(QueryTextError) -> QueryCondition {
        if let property = try propertyName(of: .geometry, "a geometry") {
            try expect(",")
            let shape = try shape()
            try expect(")")
            return .intersects(property.name, shape)
        }
        let shape = try shape()
        try expect(",")
        guard let property = try propertyName(of: .geometry, "a geometry") else {
            throw problem("the name of a geometry is expected, not \(token.shown)")
        }
        try expect(")")
        return .intersects(property.name, shape)
    }

    private mutating func shape() throws(QueryTextError) -> QueryShape {
        let start = at
        guard case .word(let word) = token, isSign("(", ahead: 1) else {
            throw problem("POINT(…), POLYGON(…), MULTIPOLYGON(…) or BBOX(…) is expected, not \(token.shown)")
        }
        advance()
        let shape: QueryShape?
        switch word.uppercased() {
        case "POINT": shape = try point(from: start)
        case "POLYGON": shape = .polygons([try polygon(from: start)])
        case "MULTIPOLYGON":
            let polygons = try list { (reader: inout CQLText) throws(QueryTextError) in
                try reader.polygon(from: start)
            }
            shape = .polygons(polygons)
        case "BBOX", "ENVELOPE": shape = try box()
        default: shape = nil
        }
        guard let shape else {
            at = start
            throw problem("a POINT, POLYGON, MULTIPOLYGON or BBOX of the reference system is expected")
        }
        return shape
    }

    private mutating func point(from start: Int) throws(QueryTextError) -> QueryShape? {
        try expect("(")
        let position = try position()
        try expect(")")
        return plane.coordinates([position]).first?.map { .point($0) }
    }

    private mutating func polygon(from start: Int) throws(QueryTextError) -> [[Coordinate]] {
        try list { (reader: inout CQLText) throws(QueryTextError) in try reader.ring(from: start) }
    }

    private mutating func ring(from start: Int) throws(QueryTextError) -> [Coordinate] {
        let positions = try list { (reader: inout CQLText) throws(QueryTextError) in try reader.position() }
        let ring = plane.coordinates(positions).compactMap(\.self)
        guard ring.count == positions.count, ring.count >= 4, ring.first == ring.last else {
            at = start
            throw problem("a ring needs at least four positions of the reference system, the last equal to the first")
        }
        return ring
    }

    private mutating func position() throws(QueryTextError) -> QueryPlane.Position {
        corners += 1
        guard corners <= CQLText.mostCorners else {
            throw problem("there are more than \(CQLText.mostCorners) corners")
        }
        let first = try number()
        return (first, try number())
    }

    private mutating func box() throws(QueryTextError) -> QueryShape? {
        let numbers = try list { (reader: inout CQLText) throws(QueryTextError) in try reader.number() }
        switch numbers.count {
        case 4: return plane.box(from: (numbers[0], numbers[1]), to: (numbers[2], numbers[3]))
        // The third and the sixth are heights, which the features do not have.
        case 6: return plane.box(from: (numbers[0], numbers[1]), to: (numbers[3], numbers[4]))
        default: return nil
        }
    }

    private mutating func number() throws(QueryTextError) -> Double {
        guard case .number(let number) = token else { throw problem("a number is expected, not \(token.shown)") }
        advance()
        return number
    }

    /// Reads a list in parentheses, separated by commas.
    private mutating func list<Item>(
        _ read: (inout CQLText) throws(QueryTextError) -> Item
    ) throws(QueryTextError) -> [Item] {
        try expect("(")
        var items = [try read(&self)]
        while take(sign: ",") { items.append(try read(&self)) }
        try expect(")")
        return items
    }
}
