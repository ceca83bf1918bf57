import Foundation
public import Gazetteer

/// Places and addresses added by the operator, compiled into a file next to the database.
public struct GazetteerAdditions: Sendable {
    /// The places, if any.
    public let places: GazetteerIndex?
    /// The addresses, if any.
    public let addresses: AddressIndex?
    /// Names of places by language, if any.
    public let spellings: SpellingIndex?

    /// Returns the path of the compiled file of a database.
    public static func file(beside database: String) -> String { database + ".gazetteer" }

    /// Returns the path of the staging file, kept so that more can be added later.
    public static func staging(beside database: String) -> String { database + ".gazetteer-import" }

    /// The maximum size in bytes of a file that is verified completely before use.
    private static let mostChecked = 512 << 20

    /// Maps the compiled file of a database; returns `nil` if there is none.
    ///
    /// - Throws: ``GazetteerLoader/Failure`` if it is damaged or of another version.
    public static func load(beside database: String) throws -> GazetteerAdditions? {
        let path = file(beside: database)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let bytes = try MappedFile.bytes(
                of: URL(fileURLWithPath: path),
                length: SealedFile.check(path, most: mostChecked)
            )
            let addresses = try AddressIndex(bytes: bytes)
            // A file with only addresses contains no places.
            let places = try GazetteerIndex.hasPlaces(bytes) ? GazetteerIndex(bytes: bytes) : nil
            let spellings = try SpellingIndex(bytes: bytes)
            return GazetteerAdditions(places: places, addresses: addresses, spellings: spellings)
        } catch let error as CocoaError {
            throw GazetteerLoader.Failure(description: "\(path) cannot be read: \(error.localizedDescription)")
        } catch let error where error is GazetteerError || error is SealedFile.Damage {
            throw GazetteerLoader.Failure(
                description:
                    "\(path) is damaged or from another version. Compile it again with 'waymark gazetteer build', "
                    + "or remove it."
            )
        }
    }

    /// A description of the contents.
    public var summary: String {
        let added = places.map { "\($0.placeCount) places with their regions, " } ?? ""
        let names = spellings.map { ", \($0.count) names by language" } ?? ""
        return "\(added)\(addresses?.addressCount ?? 0) addresses in \(addresses?.streetCount ?? 0) streets\(names)"
    }
}

extension PlaceSearch {
    /// Combines the gazetteer with the operator's additions.
    public init(places: GazetteerIndex, additions: GazetteerAdditions?) {
        self.init(
            places: places,
            addedPlaces: additions?.places,
            addresses: additions?.addresses,
            spellings: additions?.spellings
        )
    }
}
