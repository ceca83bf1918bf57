import Library
import App
import ArgumentParser
import Foundation
import Storage
import Stories

/// `waymark erase`.
struct EraseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erases a user's account with all its data, immediately and permanently, and prints the receipt.",
        discussion: """
            This also destroys the user's retained deleted stories. If a backup is restored later, the user is erased \
            again, as long as the folder of keys next to the database is kept.

            First asks for the user's name on standard input; --yes skips the question.

            Example: waymark erase --user ana
            """
    )

    @Option(help: "The user.")
    var user: String
    @Flag(help: "Erase only data derived from the user's positions; keep the account but turn off its notifications.")
    var locationData = false
    @Flag(help: "Do not ask for the user's name first.")
    var yes = false
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let id = try userID(user)
        guard id != UserID.archive else {
            throw CommandFailure.usage("The user archive is built in and cannot be erased.")
        }
        let library = try await database.existingLibrary()
        defer { try? library.store.close() }
        guard let record = try await library.store.read({ try $0.user(id) }) else {
            throw CommandFailure.usage("There is no user \(id). 'waymark users list' lists the users.")
        }
        if !yes { try await confirm(record) }
        var receipt: ErasureReceipt?
        if locationData {
            receipt = try await library.rights.erasures.eraseLocationData(of: id)
        } else {
            receipt = try await library.rights.erasures.eraseAccount(of: id)
        }
        guard let receipt else { throw CommandFailure.failed("User \(id) has already been erased.") }
        // Removes the remains of the erased data, however large the file is, because no service will do it later. The
        // receipt is printed even if this fails.
        let sweep: Result<Bool, any Error>
        do { sweep = .success(try await library.store.sweep()) } catch { sweep = .failure(error) }
        Console.line(String(decoding: receipt.json(key: library.store.keys[.erasures]), as: UTF8.self))
        switch sweep {
        case .success(true): break
        case .success(false):
            Console.remark(
                "Another program is reading the database; free space is overwritten when the database is next opened.",
                quiet: database.quiet
            )
        case .failure(let error):
            Console.error(
                "The data was erased, but the free space in the file will not be overwritten until the database is "
                    + "next opened: \(error)"
            )
        }
    }

    /// Asks for the user's name as confirmation: erasure cannot be undone.
    private func confirm(_ record: User) async throws {
        let what =
            locationData
            ? "all data derived from the positions of \(record.name)" : "\(record.name) and all their data"
        try await Confirmation.ask(erasing: what, word: record.name, or: record.id.rawValue)
    }
}

extension UsersCommand {
    /// `waymark users export`.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes all data about a user to a zip file, as GET /v1/me/export does.",
            discussion: "Example: waymark users export ana ana.zip"
        )

        @Argument(help: "The id of the user.")
        var user: String
        @Argument(help: "The file; it must not exist yet. - is standard output.")
        var file: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let id = try userID(user)
            let library = try await database.library(.readOnly)
            guard let export = try await PersonExport(of: id, library: library) else {
                throw CommandFailure.usage("There is no user \(id). 'waymark users list' lists the users.")
            }
            guard file != standardStream else {
                guard !Console.isTerminal else {
                    throw CommandFailure.usage("A zip file is not for a terminal; give a FILE, or pipe it on.")
                }
                var sink: any PieceSink = FileSink(handle: .standardOutput)
                try await export.write(to: &sink)
                return
            }
            guard !FileManager.default.fileExists(atPath: file) else {
                throw CommandFailure.usage("\(file) already exists; give another FILE.")
            }
            // The file has a temporary name until it is complete, and is readable only by its owner from the first
            // byte.
            let unfinished = file + ".part"
            guard
                FileManager.default.createFile(
                    atPath: unfinished,
                    contents: nil,
                    attributes: [.posixPermissions: 0o600]
                ),
                let handle = FileHandle(forWritingAtPath: unfinished)
            else {
                throw CommandFailure.failed("Cannot write \(file); check that its folder exists and is writable.")
            }
            do {
                var sink: any PieceSink = FileSink(handle: handle)
                try await export.write(to: &sink)
                try handle.synchronize()
                try handle.close()
                try FileManager.default.moveItem(atPath: unfinished, toPath: file)
            } catch {
                try? FileManager.default.removeItem(atPath: unfinished)
                throw CommandFailure.failed("Cannot write \(file): \(error).")
            }
            Console.remark("\(file) contains all data stored about \(id).", quiet: database.quiet)
        }
    }
}

/// A file that receives the pieces of an archive.
private struct FileSink: PieceSink {
    let handle: FileHandle

    @concurrent mutating func send(_ bytes: [UInt8]) async throws { try handle.write(contentsOf: bytes) }
}
