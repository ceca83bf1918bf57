import Web
package import Library
import Crypto
import Formats
import Geometry
import Storage
import Stories
import StoryMap

/// Notifies a client that the part of the map in view has changed.
///
/// It compares the answers that the client itself would get; nothing else influences it. Only the clock determines when
/// it compares them.
package struct MapStream: LiveStream {
    package let library: StoryLibrary
    package let client: LiveClient
    let window: MapWindow
    let search: StorySearch
    /// The initial viewer.
    let viewer: Viewer
    /// The query, as one text.
    let address: String
    /// The tag last seen, as given by an earlier stream.
    let resume: String?
    /// Whether the token is still valid.
    package let isGood: @Sendable () async -> Bool

    /// The state last seen.
    fileprivate struct Sight: Sendable {
        var question: MapQuestion
        var version: [UInt8]
        var tag: String
    }

    /// The progress of a client.
    package struct Progress: Sendable {
        fileprivate var sight: Sight
    }

    @concurrent package func begin(to sink: inout any PieceSink) async throws -> Progress? {
        guard let sight = try await look(anew: true, since: nil) else { return nil }
        let isKnown = resume == nil || resume == sight.tag
        return try await tell(isKnown ? "view" : "changed", sight, to: &sink) ? Progress(sight: sight) : nil
    }

    @concurrent package func tell(
        _ reasons: LiveClient.Reasons,
        _ progress: Progress,
        to sink: inout any PieceSink
    ) async throws -> Progress? {
        guard !reasons.isDisjoint(with: [.map, .view]) else { return progress }
        guard let next = try await look(anew: reasons.contains(.view), since: progress.sight) else { return nil }
        if next.tag != progress.sight.tag { guard try await tell("changed", next, to: &sink) else { return nil } }
        return Progress(sight: next)
    }

    /// Returns the current state; `anew` also reloads the viewer and query.
    ///
    /// Returns `nil` if the user is gone.
    private func look(anew: Bool, since last: Sight?) async throws -> Sight? {
        let question: MapQuestion
        if let last, !anew, !search.dependsOnMore {
            question = MapQuestion(query: last.question.query, snapshot: library.maps.index.snapshot())
        } else {
            var viewer = viewer
            if let user = viewer.user, last != nil {
                guard var current = try await library.viewer(of: user) else { return nil }
                current.service = viewer.service
                viewer = current
            }
            question = try await library.maps.mapQuestion(search, viewer: viewer)
        }
        let version = question.version(address: address)
        if let last, last.version == version {
            return Sight(question: question, version: version, tag: last.tag)
        }
        // Runs off the request threads, because a large part takes a while.
        let digest = await Task(executorPreference: globalConcurrentExecutor) { [library, window, client] in
            library.live.views.digest(
                of: window,
                question,
                version: version,
                for: client.owner.holder
            )
        }
        .value
        return Sight(question: question, version: version, tag: tag(of: digest))
    }

    /// Returns a digest as sent to a client: under the cursor key, valid only for this user and query.
    private func tag(of digest: [UInt8]) -> String {
        let scope = Array("map view 1\u{0}\(viewer.user?.rawValue ?? "")\u{0}\(address)\u{0}".utf8)
        let key = SymmetricKey(data: library.store.keys[.cursors])
        return Base64.encodeURL(HMAC<SHA256>.authenticationCode(for: scope + digest, using: key).prefix(12))
    }

    @concurrent private func tell(_ name: String, _ sight: Sight, to sink: inout any PieceSink) async throws -> Bool {
        var bytes: [UInt8] = []
        var json = JSONWriter(capacity: 40)
        json.beginObject()
        json.member("zoom", window.zoom)
        json.endObject()
        EventText.append(name, id: sight.tag, data: json.bytes, to: &bytes)
        return try await send(bytes, to: &sink)
    }
}

extension StorySearch {
    /// Whether its results depend on more than the map: words, favourites or collections.
    var dependsOnMore: Bool { onlyFavourites || !words.isEmpty || !filter.collections.isEmpty }
}
