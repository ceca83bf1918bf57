/// What a service asks for while it carries out an operator's command.
///
/// On the wire, it is a number of four bytes, or of eight for a photograph.
enum OperatorFetch: Hashable, Sendable {
    /// A file that the command names, by its index.
    case file(Int)
    /// A photograph of a folder that the command names, by the index of the folder and its number among those of
    /// ``GatheredPhotos/names``.
    case photo(Int, ofFolder: Int)
    /// A line that the operator types.
    case line

    /// Stands for a line where otherwise the index of a file stands.
    private static let lineNumber = 0xFFFF_FFFF

    /// Reads what ``bytes`` wrote; `nil` for other bytes.
    init?(_ bytes: [UInt8]) {
        let number = { (bytes: ArraySlice<UInt8>) in bytes.reduce(0) { $0 << 8 | Int($1) } }
        switch bytes.count {
        case 4:
            let index = number(bytes[...])
            self = index == OperatorFetch.lineNumber ? .line : .file(index)
        case 8: self = .photo(number(bytes[4...]), ofFolder: number(bytes[..<4]))
        default: return nil
        }
    }

    /// The bytes that are sent.
    var bytes: [UInt8] {
        switch self {
        case .file(let index): OperatorFetch.fourBytes(index)
        case .photo(let number, let folder): OperatorFetch.fourBytes(folder) + OperatorFetch.fourBytes(number)
        case .line: OperatorFetch.fourBytes(OperatorFetch.lineNumber)
        }
    }

    private static func fourBytes(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * (3 - $0))) }
    }
}
