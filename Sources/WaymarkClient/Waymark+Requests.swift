public import Foundation

extension Waymark {
    /// Returns a page of the stories that the caller may see, newest first; with words, those that fit best first.
    ///
    /// - Parameters:
    ///   - words: what to search for.
    ///   - box: where to look; `nil` includes stories without a place.
    ///   - limit: the maximum number of stories.
    ///   - cursor: the page, from ``StoryListPage/next``.
    /// - Returns: the page.
    /// - Throws: ``WaymarkFailure``.
    public func stories(
        searching words: String? = nil,
        in box: GeoBox? = nil,
        limit: Int? = nil,
        cursor: String? = nil
    ) async throws -> StoryListPage {
        try await read(
            "v1/stories",
            [("q", words), ("bbox", box?.text), ("limit", limit.map { String($0) }), ("cursor", cursor)]
        )
    }

    /// Returns a story.
    ///
    /// - Throws: ``WaymarkFailure``; not there and not visible are the same.
    public func story(_ id: String) async throws -> StoryRecord {
        // Anything else would be another path.
        guard !id.isEmpty, id.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }) else {
            throw WaymarkFailure(.notFound, detail: "This is not the id of a story.")
        }
        return try await read("v1/stories/" + id)
    }

    /// Creates a story of the caller and returns it.
    ///
    /// - Parameters:
    ///   - draft: the story.
    ///   - key: names the request, so that a repetition with the same key creates nothing else.
    /// - Returns: the story as it is stored.
    /// - Throws: ``WaymarkFailure``.
    public func create(_ draft: NewStory, key: String = UUID().uuidString) async throws -> StoryRecord {
        try await exchange("POST", "v1/stories", body: draft, headers: ["Idempotency-Key": key])
    }

    /// Returns the markers in a box at a zoom from 0 to 22: clusters with exact counts, and single stories.
    ///
    /// - Throws: ``WaymarkFailure``.
    public func markers(in box: GeoBox, zoom: Int) async throws -> [MapMarker] {
        let list: MarkerList = try await read("v1/clusters", [("bbox", box.text), ("zoom", String(zoom))])
        return list.features
    }

    /// Returns the places that a text names, the best match first.
    ///
    /// - Throws: ``WaymarkFailure``.
    public func geocode(_ text: String) async throws -> [GeocodedPlace] { try await read("v1/geocode", [("q", text)]) }

    /// Reports positions of one of the caller's devices.
    ///
    /// - Throws: ``WaymarkFailure``. Fixes that cannot be used are no failure; the outcomes name them.
    public func report(_ fixes: [PositionFix], of device: String) async throws -> FixOutcomes {
        try await exchange("POST", "v1/fixes", body: FixReportBody(device: device, fixes: fixes))
    }
}
