import Geometry

/// What goes wrong on the disk, and when: at a commit, by its number, at one of the steps in which SQLite makes it.
struct Blow: Hashable, Sendable, CustomStringConvertible {
    /// The step of the commit.
    enum Moment: Hashable, Sendable {
        /// Before this write to the log, counted from 0 within the commit, and at its last page at the latest.
        case write(Int)
        /// Before the log is put on the disk.
        case sync
        /// After the log was put on the disk, and before anybody hears of it.
        case synced
        /// Before this write to the database itself, while the log is moved into it; counted from 0.
        case move(Int)
    }

    /// What happens.
    enum Effect: Hashable, Sendable {
        /// The process ends; the system keeps all that was written.
        case kill
        /// The machine goes down; of what was not put on the disk, each sector of each write may be there or not.
        case powerCut
        /// The operation fails, and so do the next ones, so many in all; a write may have been made in part.
        case failure(times: Int)
        /// The disk has no room for the operation, nor for the next ones, so many in all.
        case full(times: Int)
    }

    let commit: Int
    let moment: Moment
    let effect: Effect

    /// Draws a blow within the next commits.
    init(after commits: Int, using generator: inout SplitMix64) {
        commit = commits + Int.random(in: 1...24, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...3: moment = .write(Int.random(in: 0...12, using: &generator))
        case 4...5: moment = .sync
        case 6...7: moment = .synced
        default: moment = .move(Int.random(in: 0...20, using: &generator))
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2: effect = .kill
        case 3...6: effect = .powerCut
        case 7...8: effect = .failure(times: Int.random(in: 1...3, using: &generator))
        default: effect = .full(times: Int.random(in: 1...6, using: &generator))
        }
    }

    var description: String { "\(effect) at \(moment) of commit \(commit)" }
}
