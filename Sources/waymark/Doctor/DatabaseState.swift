import Formats
import Foundation
import Library
import Storage
import Stories

/// What the files of a database say, without a look inside.
struct DatabaseState: Sendable {
    let survey: StoreSurvey
    let limits: SpaceLimits
    let now: Timestamp

    func findings() -> [Finding] {
        if let obstacle = survey.obstacle { return [Finding(.problem, "database", obstacle.description)] }
        var findings = [file]
        findings += [folder, owner, place, room].compactMap(\.self)
        guard survey.exists else { return findings }
        findings += [version].compactMap(\.self)
        findings += rights
        findings += keys
        findings += [check].compactMap(\.self)
        return findings + backups
    }

    private var file: Finding {
        guard survey.exists else {
            return survey.isWritable
                ? Finding(.note, "database", "there is none at \(survey.path) yet; 'waymark serve' makes it.")
                : Finding(
                    .problem,
                    "database",
                    "there is none at \(survey.path), and this user cannot make it.",
                    remedy: "Let the user who runs the service write the folder, or give another --database."
                )
        }
        let size = "\(survey.path), \(megabytes(survey.size))"
        guard !survey.isFileProtected else {
            return Finding(
                .problem,
                "database",
                "\(size), may only be read, so a service would store nothing.",
                remedy: "Let the user who runs the service own it (chown), and write it (chmod 600)."
            )
        }
        guard survey.isWritable else {
            return Finding(
                .note,
                "database",
                "\(size), is on a disk on which nothing can be written, so a service would only read it."
            )
        }
        return Finding(.ok, "database", "\(size), \(survey.isHeld ? "in use by a service" : "in use by nobody")")
    }

    private var folder: Finding? {
        guard survey.isFolderProtected else { return nil }
        let folder = URL(fileURLWithPath: survey.path).deletingLastPathComponent().path
        return Finding(
            .problem,
            "folder of the database",
            "no files can be made in \(folder), where SQLite keeps the log of the database and the service its lock.",
            remedy: "Let the user who runs the service write the folder (chown, and chmod 700)."
        )
    }

    private var owner: Finding? {
        survey.otherOwner.map {
            Finding(
                .note,
                "owner of the database",
                "it belongs to the user with the number \($0), not to you.",
                remedy: "Run 'waymark doctor' as that user to see what the service may do."
            )
        }
    }

    private var place: Finding? {
        guard let system = survey.fileSystem else { return nil }
        switch system.suitability {
        case .local: return Finding(.ok, "file system", system.name)
        case .network:
            return Finding(
                .problem,
                "file system",
                "\(system.name) is on another machine, where SQLite loses data, so 'waymark serve' refuses it.",
                remedy: "Put the database on a disk of this machine."
            )
        case .unknown:
            return Finding(
                .note,
                "file system",
                "\(system.name) is not known to this program. Data is safe only on a disk of this machine."
            )
        }
    }

    private var room: Finding? {
        guard let free = survey.free else { return nil }
        let shortage: DiskShortage? =
            free < limits.refuseBelow
            ? .refusingEarly(free: free, limit: limits.refuseBelow)
            : free < limits.warnBelow ? .low(free: free, limit: limits.warnBelow) : nil
        guard let shortage else { return Finding(.ok, "disk", "\(megabytes(free)) free") }
        return Finding(
            shortage.refusesWrites ? .problem : .note,
            "disk",
            ReadinessWarning.shortage(shortage).detail
        )
    }

    private var version: Finding? {
        switch survey.age {
        case .current: return Finding(.ok, "version of the database", "that of this program")
        case .older:
            return Finding(
                .note,
                "version of the database",
                "an earlier one. The next start of 'waymark serve' brings it up to date.",
                remedy: "Make a backup before."
            )
        case .newer:
            return Finding(
                .problem,
                "version of the database",
                "\(survey.path) was written by a later version of waymark.",
                remedy: "Use that version."
            )
        case .unknown where survey.isUnreadable:
            return Finding(
                .problem,
                "content of the database",
                "\(survey.path) is damaged: SQLite cannot read it.",
                remedy: "Run 'waymark check'. If that cannot read it either, restore a backup with 'waymark restore'."
            )
        case .unknown:
            guard !survey.isHeld, survey.logSize > 0 else { return nil }
            return Finding(
                .note,
                "log of the database",
                "the service did not close it the last time; \(megabytes(survey.logSize)) wait in \(survey.path)-wal. "
                    + "Nothing is lost: the next start takes them over."
            )
        }
    }

    private var rights: [Finding] {
        let warnings = ReadinessWarning.rights(isOpen: survey.isOpenToOthers, folder: survey.folderAccess)
        guard !warnings.isEmpty else { return [Finding(.ok, "rights", "the files are for one user alone")] }
        return warnings.map { warning in
            let isListing = warning.code == "folder-open" && survey.folderAccess == .listing
            return Finding(isListing ? .note : .problem, "rights", warning.detail)
        }
    }

    private var keys: [Finding] {
        guard survey.hasKeys else {
            return [
                Finding(
                    .problem,
                    "keys",
                    "the folder \(survey.path).keys is missing. A start without it makes new keys: earlier tokens and channels "
                        + "stop working, and deleted stories cannot be restored.",
                    remedy: "Put it back from where the database came from, or from a sealed backup."
                )
            ]
        }
        guard survey.keyProblems.isEmpty else { return survey.keyProblems.map { Finding(.problem, "keys", $0) } }
        return survey.lostKeys.isEmpty
            ? [Finding(.ok, "keys", "\(survey.path).keys")]
            : [Finding(.problem, "keys", ReadinessWarning.lostKeys(survey.lostKeys).detail)]
    }

    private var check: Finding? {
        guard let last = UpkeepRecord(.check, besideDatabase: survey.path) else { return nil }
        guard last.outcome == "attention" else { return Finding(.ok, "last check", day(last.at)) }
        return Finding(
            .problem,
            "last check",
            "the check of \(day(last.at)) found something wrong.",
            remedy: "'waymark check' says what is concerned and what to do."
        )
    }

    private var backups: [Finding] {
        let due = ReadinessWarning.backups(of: survey.path, lost: [], at: now)
        guard due.isEmpty else { return due.map { Finding(.note, "backups", $0.detail) } }
        guard let last = UpkeepRecord(.backup, besideDatabase: survey.path) else {
            let remedy = "Run 'waymark backup FOLDER', or give --backup-to."
            return [Finding(.note, "backups", "none is recorded.", remedy: remedy)]
        }
        return [Finding(.ok, "backups", "the last is of \(day(last.at))")]
    }

    private func day(_ time: Timestamp) -> String { String(RFC3339.format(time).prefix(10)) }
}
