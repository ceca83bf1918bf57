import GRDB
import Geometry
public import Stories

/// A location that a program extracted from a story, visible only to the story's owner until they confirm it.
public struct LocationProposal: Hashable, Sendable {
    /// The proposal's own id: the same extraction from the same story has the same id.
    public let id: StoryID
    /// The story it is for.
    public let story: StoryID
    /// The owner of the story.
    public let owner: UserID
    /// The location, at the precision the program suggests for showing it.
    public let location: StoryLocation
    /// When it was first proposed.
    public let createdAt: Timestamp

    /// Creates a proposal.
    public init(id: StoryID, story: StoryID, owner: UserID, location: StoryLocation, createdAt: Timestamp) {
        self.id = id
        self.story = story
        self.owner = owner
        self.location = location
        self.createdAt = createdAt
    }
}

extension StoreReader {
    /// Returns a proposal for a story of `owner`, or `nil`.
    public func proposal(_ id: StoryID, of owner: UserID) throws -> LocationProposal? {
        try Row.fetchOne(
            db,
            sql: "SELECT * FROM location_proposals WHERE id = ? AND owner = ?",
            arguments: [id.description, owner.rawValue]
        )
        .flatMap(ProposalRow.proposal)
    }

    /// Returns at most `limit` proposals waiting for an owner after a position, newest first.
    public func proposals(
        of owner: UserID,
        after: (createdAt: Timestamp, id: StoryID)?,
        limit: Int
    ) throws -> [LocationProposal] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM location_proposals WHERE owner = ?1
                AND (?2 IS NULL OR created_ms < ?2 OR (created_ms = ?2 AND id > ?3))
                ORDER BY created_ms DESC, id LIMIT ?4
                """,
            arguments: [owner.rawValue, after?.createdAt.milliseconds, after?.id.description, limit]
        )
        .compactMap(ProposalRow.proposal)
    }

    /// Returns the proposals waiting for one story of an owner, newest first.
    public func proposals(for story: StoryID, of owner: UserID) throws -> [LocationProposal] {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM location_proposals WHERE story = ? AND owner = ? ORDER BY created_ms DESC, id"
        )
        return try Row.fetchAll(statement, arguments: [story.description, owner.rawValue])
            .compactMap(ProposalRow.proposal)
    }

    /// Returns the keyed digests of the places rejected for a story, in order of rejection.
    public func rejectedPlaces(of story: StoryID) throws -> [String] {
        let statement = try db.cachedStatement(sql: "SELECT rejected_places FROM stories WHERE id = ?")
        guard let text = try String.fetchOne(statement, arguments: [story.description]) else { return [] }
        return text.split(separator: " ").map(String.init)
    }
}

extension StoreTransaction {
    /// The maximum number of proposals waiting for one story; a further one replaces the oldest.
    static let proposalLimit = 20

    /// The maximum number of rejected places remembered for one story: the latest.
    static let rejectionLimit = 200

    /// Stores a proposal; an existing one with the same id is updated but keeps its age.
    ///
    /// Returns whether it is new.
    public func save(_ proposal: LocationProposal) throws -> Bool {
        let isKnown = try self.proposal(proposal.id, of: proposal.owner) != nil
        let location = proposal.location
        let names = ProposalRow.nameColumns.map { location.names[$0.name] as (any DatabaseValueConvertible)? }
        let values: [(any DatabaseValueConvertible)?] =
            [
                proposal.id.description, proposal.story.description, proposal.owner.rawValue,
                location.coordinate.latitude, location.coordinate.longitude, location.accuracy,
                location.precision.name, location.precision.cell?.degrees, location.familySeesExact,
            ] + names + [proposal.createdAt.milliseconds]
        let marks = repeatElement("?", count: values.count).joined(separator: ", ")
        try db.execute(
            sql: """
                INSERT INTO location_proposals (\(ProposalRow.columns)) VALUES (\(marks))
                ON CONFLICT (id) DO UPDATE SET accuracy = excluded.accuracy, precision = excluded.precision,
                cell = excluded.cell, family_sees_exact = excluded.family_sees_exact,
                place_name = excluded.place_name, address = excluded.address, city = excluded.city,
                state = excluded.state, country = excluded.country
                """,
            arguments: StatementArguments(values)
        )
        try db.execute(
            sql: """
                DELETE FROM location_proposals WHERE story = ?1 AND id <> ?2 AND id NOT IN (
                SELECT id FROM location_proposals WHERE story = ?1 AND id <> ?2
                ORDER BY created_ms DESC, id LIMIT ?3)
                """,
            arguments: [
                proposal.story.description, proposal.id.description, StoreTransaction.proposalLimit - 1,
            ]
        )
        return !isKnown
    }

    /// Removes a proposal.
    public func removeProposal(_ id: StoryID) throws {
        try db.execute(sql: "DELETE FROM location_proposals WHERE id = ?", arguments: [id.description])
    }

    /// Removes all proposals for a story.
    public func removeProposals(for story: StoryID) throws {
        try db.cachedStatement(sql: "DELETE FROM location_proposals WHERE story = ?")
            .execute(arguments: [story.description])
    }

    /// Records that a place was rejected for a story, by its keyed digest.
    public func reject(place digest: String, of story: StoryID) throws {
        let known = try rejectedPlaces(of: story).filter { $0 != digest } + [digest]
        try db.execute(
            sql: "UPDATE stories SET rejected_places = ? WHERE id = ?",
            arguments: [known.suffix(StoreTransaction.rejectionLimit).joined(separator: " "), story.description]
        )
    }
}

/// A proposal as a row of its table.
private enum ProposalRow {
    static let nameColumns: [(name: LocationName, column: String)] = [
        (.name, "place_name"), (.address, "address"), (.city, "city"), (.state, "state"), (.country, "country"),
    ]

    static let columns = """
        id, story, owner, lat, lon, accuracy, precision, cell, family_sees_exact, place_name, address, city, state,
        country, created_ms
        """

    static func proposal(_ row: Row) -> LocationProposal? {
        guard let id = StoryID(row["id"] as String), let story = StoryID(row["story"] as String),
            let owner = UserID(row["owner"] as String),
            let coordinate = Coordinate(latitude: row["lat"], longitude: row["lon"])
        else { return nil }
        var location = StoryLocation(
            coordinate: coordinate,
            source: .aiExtracted,
            accuracy: row["accuracy"],
            precision: StoryRow.precision(row["precision"], cell: row["cell"]),
            familySeesExact: row["family_sees_exact"]
        )
        for (name, column) in nameColumns { location.names[name] = row[column] as String? }
        return LocationProposal(
            id: id,
            story: story,
            owner: owner,
            location: location,
            createdAt: Timestamp(milliseconds: row["created_ms"])
        )
    }
}
