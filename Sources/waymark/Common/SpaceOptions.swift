import ArgumentParser
import Library
import Storage

/// The free disk space below which commands that store much warn and refuse.
struct SpaceOptions: ParsableArguments {
    @Option(
        help: "Warn if the database's disk has less free space than this, such as 1GB; 0 never warns.",
        transform: SpaceOptions.bytes
    )
    var warnBelow: Int?

    @Option(
        help: """
            Store nothing new if the database's disk has less free space than this, such as 200MB; 0 stores until the disk \
            is full. Withdrawals, deletions, revocations and erasures still work.
            """,
        transform: SpaceOptions.bytes
    )
    var refuseBelow: Int?

    /// The limits.
    var limits: SpaceLimits {
        let standard = SpaceLimits.standard
        return SpaceLimits(
            warnBelow: warnBelow ?? standard.warnBelow,
            refuseBelow: refuseBelow ?? standard.refuseBelow
        )
    }

    /// Rejects limits of which the warning would come after the refusal; 0 turns one off, and defaults contradict nobody.
    func checkOrder() throws {
        guard let warnBelow, let refuseBelow, warnBelow > 0, refuseBelow > warnBelow else { return }
        throw CommandFailure.usage(
            "--refuse-below must not be more than --warn-below, or nothing warns before new data is refused. Give a smaller "
                + "--refuse-below or a larger --warn-below."
        )
    }

    /// What a command that stores much says of too little space: unlike a service, it ends and can be run again.
    static func words(_ shortage: DiskShortage) -> String {
        func megabytes(_ bytes: Int) -> Int { bytes / 1_000_000 }
        return switch shortage {
        case .refusing:
            "The database's disk is full, so nothing was stored. Free some space, then run the command again."
        case .refusingEarly(let free, let limit):
            "The database's disk has \(megabytes(free)) MB free, less than --refuse-below (\(megabytes(limit)) MB), so nothing "
                + "was stored. Free some space or give a smaller --refuse-below, then run the command again."
        case .low(let free, let limit):
            "The database's disk has \(megabytes(free)) MB free, less than --warn-below (\(megabytes(limit)) MB). Free some "
                + "space before new data is refused."
        case .reserveUsed: ReadinessWarning.shortage(shortage).detail
        }
    }

    private static let units: [(suffix: String, bytes: Int)] = [
        ("KIB", 1 << 10), ("MIB", 1 << 20), ("GIB", 1 << 30), ("TIB", 1 << 40), ("KB", 1_000), ("MB", 1_000_000),
        ("GB", 1_000_000_000), ("TB", 1_000_000_000_000), ("B", 1),
    ]

    /// Parses a size such as `200MB`, `1.5 GiB` or `0`; without a unit it is in bytes.
    @Sendable static func bytes(_ text: String) throws -> Int {
        let upper = text.uppercased()
        let unit = units.first { upper.hasSuffix($0.suffix) }
        let digits = upper.dropLast(unit?.suffix.count ?? 0).filter { $0 != " " }
        guard let number = Double(digits), number >= 0, number * Double(unit?.bytes ?? 1) <= 1e15 else {
            throw ValidationError("\(excerpt(text)) is not a size such as 200MB, 1GB or 0.")
        }
        return Int(number * Double(unit?.bytes ?? 1))
    }
}
