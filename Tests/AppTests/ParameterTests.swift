import Web
import App
import Formats
import Geometry
import Library
import Testing

@Suite("Parameters of the query")
struct ParameterTests {
    private enum Season: String, CaseIterable, Sendable { case spring, summer }

    private static let count = QueryParameter("n", .integer(1...12), default: 5, "A count.")
    private static let share = QueryParameter.optional("n", .number(-0.5...1), "A share.")
    private static let flag = QueryParameter("n", .flag, default: false, "Whether.")
    private static let season = QueryParameter.optional("n", .word(of: Season.self), "A season.")
    private static let word = QueryParameter.required("n", .word(["near", "far"]), "How far.")
    private static let text = QueryParameter.required("n", .text(2...4), "A text.")
    private static let name = QueryParameter.optional("n", .characters(1...2), "A name.")
    private static let point = QueryParameter.optional(
        "n",
        .text(3...20, form: "LAT,LON") { Coordinate(parsing: $0) },
        "A point."
    )
    private static let box = QueryParameter.required("n", .box, "A box.")
    private static let list = QueryParameter.list("n", .text(1...4), most: 3, things: "words", "Words.")
    private static let numbers = QueryParameter.list("n", .integer(1...9), "Numbers.")

    /// Reads a parameter as a route that declares it alone.
    private func read<Value>(_ parameter: QueryParameter<Value>, _ query: String?) throws -> Value {
        try QueryValues(query, declaring: [parameter])[parameter]
    }

    private func expectProblem<Value>(_ parameter: QueryParameter<Value>, _ query: String?, _ message: String) {
        #expect(throws: InvalidParameter(name: "n", message: message), "\(query ?? "nothing")") {
            try read(parameter, query)
        }
    }

    @Test("A name that a client made up is shown without NUL, and only its beginning")
    func oddNames() {
        #expect(InvalidParameter(name: "a\0b", message: "").name == "a\u{FFFD}b")
        #expect(InvalidParameter(name: String(repeating: "ü", count: 500), message: "").name.utf8.count == 180)
    }

    @Test("Whole numbers are read, within their range alone")
    func wholeNumbers() throws {
        for (query, value) in [("n=1", 1), ("n=12", 12), ("n=%31", 1), ("", 5)] {
            #expect(try read(Self.count, query) == value, "\(query)")
        }
        #expect(try read(Self.count, nil) == 5)
        for text in ["0", "13", "1.5", "x", "1x", "99999999999999999999"] {
            expectProblem(Self.count, "n=\(text)", "must be a whole number between 1 and 12")
        }
        expectProblem(Self.count, "n=", "must not be empty")
        expectProblem(Self.count, "n", "must not be empty")
    }

    @Test("Numbers are read, within their range alone")
    func decimalNumbers() throws {
        for (query, value) in [("n=-0.5", -0.5), ("n=1", 1), ("n=0.25", 0.25)] {
            #expect(try read(Self.share, query) == value, "\(query)")
        }
        #expect(try read(Self.share, nil) == nil)
        for text in ["-0.6", "1.01", "NaN", "1e400", "x"] {
            expectProblem(Self.share, "n=\(text)", "must be a number between -0.5 and 1")
        }
        expectProblem(Self.share, "n=", "must not be empty")
    }

    @Test("A made-up name is shown without what a terminal would obey, and only its beginning")
    func madeUpNames() {
        let name = "a%00%1B%C2%9B%E2%80%AEb" + String(repeating: "x", count: 200)
        let shown = "a\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}b" + String(repeating: "x", count: 84)
        do {
            _ = try QueryValues(name + "=1", declaring: [Self.flag])
            Issue.record("The name was taken for a parameter.")
        } catch let error as InvalidParameter {
            #expect(error.name == shown)
        } catch {
            Issue.record("\(error)")
        }
        let body = JSONValue.object(["a\u{1B}b": .bool(true)])
        #expect(Schema.object([]).problems(in: body).map(\.field) == ["a\u{FFFD}b"])
    }

    @Test("A flag is true or false, and nothing else")
    func flags() throws {
        for (query, value) in [("n=true", true), ("n=false", false), ("", false)] {
            #expect(try read(Self.flag, query) == value, "\(query)")
        }
        for text in ["yes", "1", "TRUE", ""] { expectProblem(Self.flag, "n=\(text)", "must be one of true, false") }
    }

    @Test("A word is one of those that are declared")
    func words() throws {
        #expect(try read(Self.season, "n=summer") == .summer)
        #expect(try read(Self.season, nil) == nil)
        #expect(try read(Self.word, "n=near") == "near")
        expectProblem(Self.season, "n=winter", "must be one of spring, summer")
        expectProblem(Self.word, "n=Near", "must be one of near, far")
    }

    @Test("A text has as many bytes as it may, and no NUL")
    func texts() throws {
        #expect(try read(Self.text, "n=a+b") == "a b")
        #expect(try read(Self.text, "n=%C3%A9,a") == "é,a")
        expectProblem(Self.text, "n=a", "must have at least 2 bytes")
        expectProblem(Self.text, "n=abcde", "must have at most 4 bytes")
        expectProblem(Self.text, "n=a%00", "must not contain the character U+0000")
        #expect(try read(Self.name, "n=%C3%A9%C3%A9") == "éé")
        expectProblem(Self.name, "n=", "must not be empty")
    }

    @Test("A text that means something else must have its form")
    func forms() throws {
        #expect(try read(Self.point, "n=1.5,-2") == Coordinate(latitude: 1.5, longitude: -2))
        // Too short for the schema, and nothing that the reading takes.
        for text in ["1", "91,0", "a,b,c"] { expectProblem(Self.point, "n=\(text)", "must be LAT,LON") }
    }

    @Test("A box has four numbers in their order")
    func boxes() throws {
        let box = try read(Self.box, "n=170,-20,-170,-15")
        #expect([box.west, box.south, box.east, box.north] == [170, -20, -170, -15])
        let form = "must be west,south,east,north: four numbers in degrees, separated by commas"
        expectProblem(Self.box, "n=1,2", form)
        expectProblem(Self.box, "n=0,10,1,-10", "south is greater than north; the order is west,south,east,north")
        expectProblem(Self.box, "n=200,0,210,1", "west must lie between -180 and 180")
    }

    @Test("A required parameter must be there, another one need not be")
    func presence() throws {
        for query in [nil, "", "&"] { expectProblem(Self.box, query, "is missing") }
        #expect(try read(Self.list, nil).isEmpty)
        #expect(try read(Self.name, nil) == nil)
    }

    @Test("A list is repeated or stands between commas, and each of its values counts")
    func lists() throws {
        #expect(try read(Self.list, "n=a&n=b,c") == ["a", "b", "c"])
        #expect(try read(Self.list, "n=a%2Cb") == ["a,b"])
        #expect(try read(Self.numbers, "n=3,1") == [3, 1])
        expectProblem(Self.list, "n=a,b,c,d", "must have at most 3 words")
        expectProblem(Self.list, "n=a,,b", "must not be empty")
        expectProblem(Self.numbers, "n=3,10", "must be a whole number between 1 and 9")
    }

    @Test("One that is no list is given once")
    func repetition() {
        expectProblem(Self.count, "n=1&n=1", "must be given only once")
    }

    @Test("A parameter that is not declared is reported with those that are")
    func unknown() {
        #expect(throws: InvalidParameter(name: "m", message: "is unknown; the only parameter here is n")) {
            try read(Self.count, "m=1")
        }
        #expect(throws: InvalidParameter(name: "m", message: "is unknown; this address has no parameters")) {
            try QueryValues("m=1", declaring: [])
        }
    }
}
