import Foundation
public import Stories

extension StoryStore {
    /// Replaces the key for a purpose by a new one; what was made with the old one stays valid for `days`.
    ///
    /// This store goes on with the old key: close it, and open the database again. No backup can run meanwhile, because it
    /// would have rows under a key that it does not contain.
    ///
    /// - Parameters:
    ///   - name: the purpose.
    ///   - days: ``KeyRotation/days``, or `nil` for the default of the purpose.
    ///   - now: the time.
    /// - Returns: until when what was made with the old key is accepted; `nil` if nothing of it lasts.
    /// - Throws: ``StoreError`` with code `refused` if the key cannot be rotated, or not with this overlap; `locked` while a
    ///   backup runs. Nothing is changed then.
    public func rotateKey(_ name: StoreKeys.Name, days: Int? = nil, at now: Timestamp) throws -> Timestamp? {
        try rotateKey(name, days: days, at: now, step: { _ in })
    }

    /// As ``rotateKey(_:days:at:)``; `step` is called after each write.
    package func rotateKey(
        _ name: StoreKeys.Name,
        days: Int?,
        at now: Timestamp,
        step: (Int) throws -> Void
    ) throws -> Timestamp? {
        guard isWritable, keys.arePermanent else {
            throw StoreError(.readOnly, "\(path) was opened for reading only, so no key can be replaced.")
        }
        let until = try StoryStore.end(of: name, days: days, at: now)
        let work = try WorkFolder(path + ".backup-work")
        defer { withExtendedLifetime(work) {} }
        try KeyRotation.run(
            name,
            replacing: keys[name],
            besideDatabase: path,
            at: now,
            until: until,
            step: step
        )
        return until
    }

    /// Forgets the former keys whose time has ended; returns the purposes of which some were forgotten.
    ///
    /// The caller has sealed the rows anew that were sealed with them.
    ///
    /// - Throws: ``StoreError``; with code `locked` while a backup runs.
    package func forgetFormerKeys(at now: Timestamp) throws -> [StoreKeys.Name] {
        guard isWritable, !keys.former.values.allSatisfy(\.isEmpty) else { return [] }
        let work = try WorkFolder(path + ".backup-work")
        defer { withExtendedLifetime(work) {} }
        return try KeyRotation.forget(besideDatabase: path, at: now)
    }

    /// Returns when a key beside the database got its place: when it was made, rotated or restored; `nil` if that is not
    /// known, as for the keys inside it.
    public func keyTime(_ name: StoreKeys.Name) -> Timestamp? {
        guard name.isBeside else { return nil }
        let file = "\(path).keys/\(name.rawValue).key"
        guard let date = try? FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date,
            let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded())
        else { return nil }
        return Timestamp(milliseconds: milliseconds)
    }

    private static func end(of name: StoreKeys.Name, days: Int?, at now: Timestamp) throws -> Timestamp? {
        switch name.rotation {
        case .never(let reason):
            throw StoreError(.refused, "The key \(name.rawValue) cannot be rotated: \(reason). Nothing was changed.")
        case .atOnce:
            guard days == nil || days == 0 else {
                throw StoreError(
                    .refused,
                    "The key \(name.rawValue) has no overlap, because nothing that lasts is made with it. Nothing was changed."
                )
            }
            return nil
        case .overlap(let usual):
            let days = days ?? usual
            guard KeyRotation.days.contains(days) else {
                throw StoreError(
                    .refused,
                    "The overlap must be from \(KeyRotation.days.lowerBound) to \(KeyRotation.days.upperBound) days. Nothing "
                        + "was changed."
                )
            }
            return now.advanced(byMilliseconds: Int64(days) * 86_400_000)
        }
    }
}
