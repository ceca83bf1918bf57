import Geometry
import Queries
import Testing

@Suite("Conditions in CQL2 text")
struct CQLTextTests {
    private static let properties = [
        QueryProperty("title", .text), QueryProperty("kind", .text), QueryProperty("missing", .text),
        QueryProperty("size", .number), QueryProperty("good", .boolean), QueryProperty("date", .time),
        QueryProperty("geometry", .geometry), QueryProperty("and", .text), QueryProperty("nowhere", .geometry),
    ]

    /// A feature of Lisbon with dates in 1961.
    private static func value(_ name: String) -> QueryValue? {
        switch name {
        case "title": .text("The tram's driver_1 50%")
        case "kind": .text("photo")
        case "size": .number(-2.5)
        case "good": .boolean(true)
        case "date": (try? QueryTime.days("1961-05-02").first).map { .time(QueryTime.span($0)) }
        case "geometry": .point(Coordinate(wrappingLatitude: 38.7223, longitude: -9.1393))
        case "and": .text("a word")
        default: nil
        }
    }

    private static func holds(_ text: String) throws -> Bool {
        var evaluation = QueryEvaluation(steps: 1_000_000)
        let condition = try CQLText.condition(in: text, properties: properties)
        return try evaluation.holds(condition, value)
    }

    @Test(
        "Conditions that hold, and conditions that do not, by a table",
        arguments: [
            ("kind = 'photo'", true), ("kind = 'Photo'", false), ("'photo' = kind", true), ("kind <> 'photo'", false),
            ("title = 'The tram''s driver_1 50%'", true), ("title LIKE 'The tram%'", true),
            ("title LIKE '%tram'", false),
            ("title like '%driver\\_1%'", true), ("title LIKE '%driver_1 5__'", true), ("title LIKE '%50\\%'", true),
            ("title LIKE '%50\\_'", false), ("title NOT LIKE 'x%'", true), ("kind LIKE 'p%t%'", true),
            ("size = -2.5", true), ("size < -2", true), ("size > -2", false), ("-3 < size", true),
            ("-2 <= size", false),
            ("size BETWEEN -3 AND -2.5", true), ("size NOT BETWEEN -3 AND -2.5", false),
            ("size BETWEEN 0 AND 9e9", false),
            ("kind IN ('interview', 'photo')", true), ("kind NOT IN ('photo')", false), ("size IN (1, 2)", false),
            ("good = TRUE", true), ("good <> false", true), ("TRUE", true), ("FALSE", false), ("NOT FALSE", true),
            ("missing IS NULL", true), ("missing IS NOT NULL", false), ("kind IS NULL", false),
            // What is absent is neither equal nor unequal.
            ("missing = 'a'", false), ("NOT missing = 'a'", false), ("missing = 'a' OR kind = 'photo'", true),
            ("missing = 'a' AND TRUE", false), ("NOT (missing = 'a' AND FALSE)", true),
            ("NOT (missing LIKE '%')", false),
            ("kind = 'x' AND good = TRUE OR size < 0", true), ("kind = 'x' AND (good = TRUE OR size < 0)", false),
            ("NOT kind = 'x' AND good = TRUE", true), ("NOT (kind = 'x' OR good = TRUE)", false),
            ("\"and\" = 'a word'", true), ("\"kind\" = 'photo'", true),
            ("date = DATE('1961-05-02')", true), ("date < DATE('1961-05-03')", true),
            ("date >= DATE('1961-05-03')", false),
            ("date > TIMESTAMP('1961-05-01T23:59:59Z')", true), ("DATE('1961-01-01') <= date", true),
            ("date BETWEEN DATE('1961-05-01') AND DATE('1961-05-02')", true),
            ("T_INTERSECTS(date, DATE('1961-05-02'))", true), ("T_INTERSECTS(date, INTERVAL('..','1961-05-02'))", true),
            ("T_INTERSECTS(date, INTERVAL('1961-05-03','..'))", false), ("T_BEFORE(date, DATE('1961-05-03'))", true),
            ("T_BEFORE(date, DATE('1961-05-02'))", false), ("T_AFTER(date, DATE('1961-05-01'))", true),
            ("T_AFTER(DATE('1961-05-03'), date)", true), ("T_BEFORE(date, INTERVAL('1961-05-03','1970-01-01'))", true),
            ("S_INTERSECTS(geometry, BBOX(-10,38,-9,39))", true), ("S_INTERSECTS(geometry, BBOX(-9,38,-8,39))", false),
            ("S_INTERSECTS(geometry, BBOX(-10,38,0,-9,39,9))", true),
            ("S_INTERSECTS(geometry, BBOX(170,38,-9,39))", true),
            ("S_INTERSECTS(geometry, POINT(-9.1393 38.7223))", true), ("S_INTERSECTS(POINT(1 2), geometry)", false),
            ("S_INTERSECTS(geometry, POLYGON((-10 38,-9 38,-9 39,-10 39,-10 38)))", true),
            ("S_INTERSECTS(geometry, POLYGON((-10 38,-9 38,-9.5 38.1,-10 38)))", false),
            (
                """
                S_INTERSECTS(geometry, POLYGON((-10 38,-9 38,-9 39,-10 39,-10 38),
                    (-9.2 38.7,-9.1 38.7,-9.1 38.8,-9.2 38.8,-9.2 38.7)))
                """,
                false
            ),
            (
                "S_INTERSECTS(geometry, MULTIPOLYGON(((0 0,1 0,1 1,0 0)),((-10 38,-9 38,-9 39,-10 39,-10 38))))",
                true
            ),
            ("NOT S_INTERSECTS(nowhere, BBOX(-10,38,-9,39))", false),
        ]
    )
    func table(text: String, holds: Bool) throws {
        #expect(try CQLTextTests.holds(text) == holds, "\(text)")
    }

    @Test(
        "What is no condition is refused with the place of the error",
        arguments: [
            ("", 1), ("kind", 5), ("kind =", 7), ("kind = photo", 8), ("kind = 'photo", 8), ("kind = 5", 8),
            ("size = '5'", 8), ("nothing = 1", 1), ("kind = 'a' kind = 'b'", 12), ("(kind = 'a'", 12),
            ("kind = 'a')", 11),
            ("kind == 'a'", 7), ("kind = 'a' AND", 15), ("size BETWEEN 1", 15), ("kind IN ()", 10), ("kind LIKE 5", 11),
            ("size LIKE 'a'", 11), ("date = '1961'", 8), ("date = DATE('1961-13-01')", 13), ("geometry = 5", 10),
            ("S_INTERSECTS(kind, POINT(1 2))", 14), ("S_INTERSECTS(geometry, POINT(1 99))", 24),
            ("S_INTERSECTS(geometry, POLYGON((0 0,1 1,0 0)))", 24), ("S_INTERSECTS(geometry, CIRCLE(0 0))", 24),
            ("S_INTERSECTS(geometry, BBOX(1,2,3))", 24), ("S_INTERSECTS(geometry, BBOX(1,9,3,2))", 24),
            ("T_BEFORE(kind, DATE('1961-01-01'))", 10), ("T_AFTER(date, INTERVAL('1970-01-01','1960-01-01'))", 50),
            ("sleep(9) = 1", 1), ("kind = 'a'; DROP", 11), ("1 = 1", 5), ("kind IS MISSING", 9), ("1e999 < size", 1),
        ]
    )
    func errors(text: String, position: Int) {
        do throws(QueryTextError) {
            let condition = try CQLText.condition(in: text, properties: CQLTextTests.properties)
            Issue.record("\(text) was read as \(condition)")
        } catch {
            #expect(error.position == position, "\(text): \(error)")
        }
    }

    @Test("Depth, length, parts and corners are limited")
    func limits() throws {
        let open = String(repeating: "(", count: 19)
        let close = String(repeating: ")", count: 19)
        #expect(try CQLTextTests.holds(open + "TRUE" + close))
        let corners = String(repeating: "0 0,", count: CQLText.mostCorners)
        for text in [
            "(" + open + "TRUE" + close + ")", String(repeating: "(", count: 3_000),
            String(repeating: "NOT ", count: 900) + "TRUE", "TRUE" + String(repeating: " OR TRUE", count: 400),
            "kind = '" + String(repeating: "a", count: 4_000) + "'",
            "kind IN (" + String(repeating: "'a',", count: 300) + "'a')",
            "S_INTERSECTS(geometry, POLYGON((\(corners)0 0)))",
        ] {
            #expect(throws: QueryTextError.self) { try CQLTextTests.holds(text) }
        }
    }

    @Test("A pattern that begins again at every character ends when its work is spent")
    func costlyPattern() throws {
        let pattern = "%" + String(repeating: "a", count: 500) + "b"
        let condition = try CQLText.condition(in: "title LIKE '\(pattern)'", properties: CQLTextTests.properties)
        var evaluation = QueryEvaluation(steps: 100_000)
        #expect(throws: QueryEvaluation.TooMuchWork.self) {
            try evaluation.holds(condition) { _ in .text(String(repeating: "a", count: 20_000)) }
        }
    }

    @Test("Any text is read or refused, with a place within it", arguments: UInt64(0)..<20)
    func anyText(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let words = [
            "kind", "size", "date", "geometry", "'a'", "'", "\"", "(", ")", ",", "=", "<>", "<", "-", "1", "2.5", "1e5",
            "AND", "OR", "NOT", "LIKE", "IN", "BETWEEN", "IS", "NULL", "TRUE", "DATE('1961-05-02')", "INTERVAL(",
            "BBOX(",
            "S_INTERSECTS(", "T_AFTER(", "POLYGON((", "POINT(", " ", "\u{1F600}", "é", "\n", ".", "..", ";", "0 0", "*",
        ]
        var read = 0
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...30, using: &random)
            let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }
                .joined(separator: Bool.random(using: &random) ? " " : "")
            do throws(QueryTextError) {
                let condition = try CQLText.condition(in: text, properties: CQLTextTests.properties)
                var evaluation = QueryEvaluation(steps: 1_000_000)
                _ = try? evaluation.holds(condition, CQLTextTests.value)
                read += 1
            } catch {
                #expect((1...text.unicodeScalars.count + 1).contains(error.position), "\(text)")
            }
        }
        #expect(read < 2_000)
    }

    @Test("Random conditions agree with a second evaluation written differently", arguments: UInt64(0)..<10)
    func randomConditions(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<500 {
            let tree = Tree.random(depth: 4, using: &random)
            #expect(try CQLTextTests.holds(tree.text) == (tree.truth == true), "\(tree.text)")
        }
    }

    /// A condition of a few known truths, with the rules of SQL for what is unknown.
    private indirect enum Tree {
        case leaf(String, Bool?)
        case not(Tree)
        case pair(Tree, Tree, isAnd: Bool)

        static func random(depth: Int, using random: inout SplitMix64) -> Tree {
            let leaves: [(String, Bool?)] = [
                ("kind = 'photo'", true), ("size > 0", false), ("missing = 'a'", nil), ("good = TRUE", true),
                ("kind IN ('x')", false), ("missing IS NULL", true),
            ]
            let choice = depth == 0 ? 0 : Int.random(in: 0...3, using: &random)
            switch choice {
            case 0:
                let leaf = leaves[Int.random(in: 0..<leaves.count, using: &random)]
                return .leaf(leaf.0, leaf.1)
            case 1: return .not(.random(depth: depth - 1, using: &random))
            default:
                return .pair(
                    .random(depth: depth - 1, using: &random),
                    .random(depth: depth - 1, using: &random),
                    isAnd: choice == 2
                )
            }
        }

        var text: String {
            switch self {
            case .leaf(let text, _): text
            case .not(let tree): "NOT (\(tree.text))"
            case .pair(let a, let b, let isAnd): "(\(a.text)) \(isAnd ? "AND" : "OR") (\(b.text))"
            }
        }

        /// Truth as a number, false 0, unknown 1 and true 2: AND is the smaller, OR the greater.
        private var number: Int {
            switch self {
            case .leaf(_, let truth): truth.map { $0 ? 2 : 0 } ?? 1
            case .not(let tree): 2 - tree.number
            case .pair(let a, let b, let isAnd): isAnd ? min(a.number, b.number) : max(a.number, b.number)
            }
        }

        var truth: Bool? { number == 1 ? nil : number == 2 }
    }
}
