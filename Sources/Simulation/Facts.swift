/// What must hold of the stored data: for each thing the value that is certain and, while an answer is missing, the value
/// that it may have instead.
///
/// Values are short texts, so that one rule holds them all to each other: a story's is its version and privacy, and `-` one
/// that is not there.
struct Facts: Sendable {
    private struct Cell: Sendable {
        var certain: String
        var possible: String?
    }

    /// The value of what is not there.
    static let absent = "-"

    private var cells: [String: Cell] = [:]

    /// The certain value of a thing.
    subscript(fact: String) -> String { cells[fact]?.certain ?? Facts.absent }

    /// Whether the value is certain.
    func isSettled(_ fact: String) -> Bool { cells[fact]?.possible == nil }

    /// The things whose certain value is not ``absent``, in order.
    var present: [String] { cells.filter { $0.value.certain != Facts.absent }.keys.sorted() }

    /// The things that an answer is missing about, in order.
    var unsettled: [String] { cells.filter { $0.value.possible != nil }.keys.sorted() }

    /// Notes that somebody asks for a change.
    mutating func ask(_ fact: String, for value: String) {
        cells[fact, default: Cell(certain: Facts.absent)].possible = value
    }

    /// Notes that the change was acknowledged.
    mutating func acknowledge(_ fact: String, as value: String) { cells[fact] = Cell(certain: value) }

    /// Notes that the change was refused, and that nothing was stored.
    mutating func refuse(_ fact: String) { cells[fact]?.possible = nil }

    /// What is wrong with what was found, in order.
    func problems(in found: [String: String]) -> [String] {
        Set(cells.keys).union(found.keys).sorted()
            .compactMap { fact in
                let (value, cell) = (found[fact] ?? Facts.absent, cells[fact] ?? Cell(certain: Facts.absent))
                guard value != cell.certain, value != cell.possible else { return nil }
                let doubt = cell.possible.map { " or \($0)" } ?? ""
                return "\(fact) is \(value), not \(cell.certain)\(doubt)"
            }
    }

    /// Takes what a start found for certain from now on.
    mutating func adopt(_ found: [String: String]) {
        for fact in cells.keys { cells[fact] = Cell(certain: found[fact] ?? Facts.absent) }
    }
}
