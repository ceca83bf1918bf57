import Formats
import HTTPTypes
import HummingbirdTesting
import Stories

/// A collection that the owner shares by a link, made alike in every twin world.
enum TwinSharing: Sendable {
    private static let title = "Reunion"

    /// Makes the collection, stories of every level and precision in it and beside it, and the link.
    ///
    /// Returns the link's secret.
    ///
    /// Everything else of the owner and of others stays as different as the worlds are.
    static func secret(in worlds: [TwinWorld], _ clients: [any TestClientProtocol]) async throws -> String {
        let token = try await worlds[0].token(of: "olga")
        func send(_ path: String, _ body: String) async throws -> JSONValue {
            var request = TwinRequest(method: .post, path: path, body: body, operation: "sharing")
            request.headers[.authorization] = "Bearer " + token
            var replies: [TwinReply] = []
            for client in clients { replies.append(try await TwinReply(request, by: client)) }
            let made = try replies.map { try JSONValue(parsing: $0.bytes, limits: .init(bytes: .max)) }
            // What else the owner is told may depend on their other stories.
            let ids = Set(made.map { "\($0["id"]?.string ?? "") \($0["secret"]?.string ?? "")" })
            guard replies.allSatisfy({ $0.status == 201 }), ids.count == 1 else {
                throw TwinFault("POST \(path) to share answered \(replies.map(\.status)), or the worlds differ")
            }
            return made[0]
        }
        let trip = try await send("/v1/collections", "{\"title\":\"\(title)\"}")
        var number = 0
        for privacy in Privacy.allCases.map(\.rawValue) {
            for precision in ["exact", "approximate", "hidden"] {
                for (index, town) in TwinWords.towns.prefix(3).enumerated() {
                    number += 1
                    let collection = index == 2 ? "Elsewhere" : title
                    let date = "1965-03-\(10 + number % 15)"
                    _ = try await send(
                        "/v1/stories",
                        """
                        {"kind":"photo","title":"Reunion \(number)","privacy":"\(privacy)","date":"\(date)",\
                        "collection":"\(collection)","location":{"lat":\(town.latitude),"lon":\(town.longitude),\
                        "precision":"\(precision)"}}
                        """
                    )
                }
            }
        }
        let body = "{\"collection\":\"\(trip["id"]?.string ?? "")\",\"precision\":\"approximate\",\"days\":365}"
        guard let secret = try await send("/v1/me/share-links", body)["secret"]?.string else {
            throw TwinFault("A new link has no secret.")
        }
        return secret
    }
}
