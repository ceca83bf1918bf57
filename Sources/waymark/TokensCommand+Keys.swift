import Library
import App
import ArgumentParser
import Formats
import Storage
import Stories

extension TokensCommand {
    /// `waymark tokens key`.
    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an API key and prints it, only this once; it is sent like a token.",
            discussion: """
                A user's key is valid for everything that concerns the user, a device's only for sending its \
                positions. A service's key is for an app's backend, which names the user it acts for in the header \
                Waymark-User.

                Example: waymark tokens key --user ana --device phone
                """
        )

        @Option(help: "The user of the key.")
        var user: String?
        @Option(help: "The name of a service that the key is for, instead of a user.")
        var service: String?
        @Option(help: "The user's device that the key is for; it may only send positions.")
        var device: String?
        @Option(
            help: "The scopes, separated by commas; by default all of a user's, and act-as for a service."
        )
        var scopes: String?
        @Option(help: "The name of the key; by default the device or service.")
        var name: String?
        @Option(parsing: .unconditional, help: "How many days it is valid, 1 to 3650; by default forever.")
        var days: Int?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let request = try request()
            // Opening the library first applies the erasure list to a database restored from a backup.
            let store = try await database.library(.readWrite).store
            defer { try? store.close() }
            switch request.holder {
            case .user(let id, _), .device(let id, _): try await checkUser(id, in: store)
            case .service: break
            }
            let accounts = await Accounts(store: store, now: { SystemClock.now })
            do {
                let (key, text) = try await accounts.makeKey(request)
                Console.line(text)
                Console.remark(
                    "This is key \(key.id); it is not shown again. 'waymark tokens revoke \(key.id)' revokes it.",
                    quiet: database.quiet
                )
            } catch let error as StoreError where error.code == .conflict {
                throw CommandFailure.usage(error.description)
            }
        }

        private func request() throws -> Accounts.KeyRequest {
            guard (user == nil) != (service == nil) else {
                throw CommandFailure.usage("Give either --user or --service; --device needs --user.")
            }
            guard device == nil || (user != nil && scopes == nil) else {
                throw CommandFailure.usage(
                    "--device needs --user and cannot be combined with --scopes: such a key only sends positions."
                )
            }
            if let days, !(1...Accounts.maximumDays).contains(days) {
                throw CommandFailure.usage("--days must be between 1 and \(Accounts.maximumDays).")
            }
            if let device, !StoryLimits.isDeviceName(device) {
                throw CommandFailure.usage(
                    "--device must be one line of 1 to \(StoryLimits.deviceLength) bytes, without control characters."
                )
            }
            let given = [("--name", name), ("--device", device), ("--service", service)].first { $0.1 != nil }
            let keyName = try DisplayName(given?.1 ?? "key", in: given?.0 ?? "--name")
            return .init(holder: try holder(), name: keyName, days: days)
        }

        private func holder() throws -> Accounts.KeyRequest.Holder {
            let asked = try scopes.map { try tokenScopes($0) }
            guard let user else { return .service(asked ?? Accounts.serviceScopes) }
            let id = try userID(user)
            if let device { return .device(id, device) }
            guard asked?.contains(.actAs) != true else {
                throw CommandFailure.usage("--scopes: act-as is for services; give --service instead of --user.")
            }
            return .user(id, asked ?? Scope.user)
        }
    }

    /// `waymark tokens keys`.
    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the API keys, without their secrets.",
            discussion: "Example: waymark tokens keys --user ana"
        )

        @Option(help: "Only the keys of this user.")
        var user: String?
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let id = try user.map { try userID($0) }
            let store = try StoryStore(path: database.path, mode: .readOnly, logger: database.logger())
            if let id { try await checkUser(id, in: store) }
            let keys = try await store.read { try $0.keys(of: id) }
            guard format ?? (Console.isTerminal ? .text : .json) == .json else {
                for key in keys {
                    let holder = key.user?.rawValue ?? "service"
                    Console.line("\(key.id)  \(key.kind.rawValue)  \(holder)  \(key.name)  \(key.scopes)")
                }
                return
            }
            var json = JSONWriter()
            json.beginArray()
            for key in keys { AccountJSON.write(key, to: &json) }
            json.endArray()
            Console.line(json.text)
        }
    }

    /// `waymark tokens revoke`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes an API key at once.",
            discussion: "Example: waymark tokens revoke 4fQz81Ab"
        )

        @Argument(help: "The id of the key, as listed by 'waymark tokens keys'.")
        var key: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            // Opening the library first applies the erasure list to a database restored from a backup.
            let store = try await database.existingLibrary().store
            defer { try? store.close() }
            let id = key
            let accounts = await Accounts(store: store, now: { SystemClock.now })
            guard try await accounts.revokeKey(id) else {
                throw CommandFailure.usage("There is no key \(id). 'waymark tokens keys' lists the keys.")
            }
            Console.remark("The key \(id) was revoked.", quiet: database.quiet)
        }
    }
}
