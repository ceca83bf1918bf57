import Formats
public import Stories

/// The names of backups in a folder: `waymark-YYYYMMDD-HHMMSS.waymark-backup`, in UTC.
public enum BackupName: Sendable {
    /// Returns a time as it stands in names, such as `20260314-150926`.
    public static func stamp(_ time: Timestamp) -> String {
        let text = RFC3339.format(time)
        let digits = text.prefix(19).filter(\.isNumber)
        return "\(digits.prefix(8))-\(digits.dropFirst(8))"
    }

    /// Whether a name is one that Waymark gives to a backup.
    public static func isBackup(_ name: String) -> Bool {
        let (start, end) = ("waymark-", ".\(Backup.ending)")
        guard name.hasPrefix(start), name.hasSuffix(end), name.utf8.count == start.utf8.count + 15 + end.utf8.count
        else {
            return false
        }
        return name.dropFirst(start.count).dropLast(end.count).enumerated()
            .allSatisfy { $0.offset == 8 ? $0.element == "-" : $0.element.isASCII && $0.element.isNumber }
    }

    /// Returns the time in the name of a backup; `nil` for another name.
    public static func time(of name: String) -> Timestamp? {
        guard isBackup(name) else { return nil }
        let digits = Array(name.dropFirst("waymark-".count).prefix(15))
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        return RFC3339.parse(
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
        )
    }

    /// Returns the backups beyond the newest `keep` of all names in a folder, oldest first.
    ///
    /// Names order by time; other files are never among them.
    public static func excess(of names: [String], keeping keep: Int) -> [String] {
        let backups = names.filter(isBackup).sorted()
        return Array(backups.dropLast(max(1, keep)))
    }
}
