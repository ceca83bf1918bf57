import Formats
package import Storage
package import Stories

// Codes that the operator's command makes beside a running service.
extension SignInService {
    /// A code that the operator makes for a person.
    package struct Invite: Sendable {
        /// The user, who need not exist yet.
        package let user: UserID
        /// The name of the account, if using the code makes it.
        package let name: DisplayName?
        /// The family to join; `nil` for none.
        package let membership: StoredSignInCode.Membership?
        /// The validity in minutes.
        package let minutes: Int

        /// Creates a value from its parts.
        package init(user: UserID, name: DisplayName?, membership: StoredSignInCode.Membership?, minutes: Int) {
            self.user = user
            self.name = name
            self.membership = membership
            self.minutes = minutes
        }
    }

    /// The times that a file may contain, in milliseconds since 1970: until the end of the year 9999.
    private static let times = 0...253_402_300_799_000
    /// The validity that an operator may choose, in minutes: up to seven days.
    package static let minutes = 15...10_080

    /// Makes a code and leaves its digest for the service, which may be running; returns the code.
    ///
    /// It needs no writing access to the database: see `SignInCodeFiles`.
    ///
    /// - Throws: `StoreError` if the file cannot be written.
    package static func leave(
        _ invite: Invite,
        beside store: StoryStore,
        at now: Timestamp,
        random: RandomSource = .system
    ) throws -> SignInCode {
        let code = SignInCode(.typed, random: random)
        let most = SignInService.minutes
        let length = min(max(invite.minutes, most.lowerBound), most.upperBound)
        let end = now.advanced(byMilliseconds: Int64(length) * 60_000)
        var json = JSONWriter(capacity: 400)
        json.beginObject()
        json.member("user", invite.user.rawValue)
        json.member("name", invite.name?.text)
        json.member("family", invite.membership?.family.rawValue)
        json.member("role", invite.membership?.role.rawValue)
        json.member("created_ms", Int(now.milliseconds))
        json.member("expires_ms", Int(end.milliseconds))
        json.endObject()
        try SignInCodeFiles(besideDatabase: store.path)
            .write(json.bytes, name: code.digest(keys: store.keys).hexDigits)
        return code
    }

    /// Stores the codes that were left beside the database, and removes their files.
    ///
    /// A file that comes back, after a crash or from a backup, does not make a used code valid: used codes are
    /// remembered until they expire.
    func adoptFiles() async throws {
        let files = SignInCodeFiles(besideDatabase: store.path)
        let found = files.read()
        guard !found.isEmpty, store.isWritable else { return }
        let now = now()
        let codes = found.compactMap { SignInService.code(named: $0.name, $0.bytes) }.filter { now < $0.expiresAt }
        if !codes.isEmpty {
            try await store.write { transaction in
                for code in codes { try transaction.insert(code) }
            }
        }
        for file in found { files.remove(file.name) }
    }

    private static func code(named name: String, _ bytes: [UInt8]) -> StoredSignInCode? {
        guard let digest = digest(name), let json = try? JSONValue(parsing: bytes),
            let user = json["user"]?.string.flatMap({ UserID($0) }), user != UserID.archive,
            let created = json["created_ms"]?.integer, let end = json["expires_ms"]?.integer,
            times.contains(created), times.contains(end), end > created,
            end - created <= minutes.upperBound * 60_000
        else { return nil }
        let family = json["family"]?.string.flatMap { FamilyID($0) }
        let role = json["role"]?.string.flatMap { FamilyRole(rawValue: $0) }
        let name = json["name"]?.string.flatMap { try? DisplayName($0, in: "name") }
        return StoredSignInCode(
            digest: digest,
            user: user,
            kind: .fromOperator,
            name: name?.text,
            membership: family.flatMap { family in role.map { .init(family: family, role: $0) } },
            createdAt: Timestamp(milliseconds: Int64(created)),
            expiresAt: Timestamp(milliseconds: Int64(end))
        )
    }

    /// Returns the digest that the name of a file states: 32 bytes in hexadecimal digits.
    private static func digest(_ name: String) -> [UInt8]? {
        let digits = Array(name.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: 64, by: 2) {
            guard digits[start...start + 1].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
                let byte = UInt8(String(decoding: digits[start...start + 1], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
