import Web
import Library
import Formats
import HTTPTypes
import Storage
import Stories

/// The routes of live streams: server-sent events, which a client can resume where it stopped.
struct LiveEndpoints: Sendable {
    let library: StoryLibrary
    let accounts: Accounts

    var all: [Endpoint] { [feed, ticket, map] }

    fileprivate static let ticketParameter = QueryParameter.optional(
        "ticket",
        .text(1...100),
        "A single-use ticket from /v1/notifications/stream/ticket, instead of Authorization."
    )

    private static let since = QueryParameter.optional(
        "since",
        .integer(0...(1 << 53)),
        "The id of the last event received, like Last-Event-ID. The stream continues after it; an unknown id produces "
            + "a gap event."
    )

    private static let stream = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.eventStream,
        schema: nil,
        description: "Server-sent events until the client disconnects."
    )

    private static let refusals = [
        Endpoint.Refusal(status: .tooManyRequests, description: "There are \(LiveHub.mostOfUser) streams already.")
    ]

    private var feed: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/notifications/stream",
            name: "streamNotifications",
            summary: "Streams the caller's feed live: events notification, read, badge, settings and gap.",
            access: .user,
            scope: .notificationsRead,
            isLive: true,
            parameters: [LiveEndpoints.since, LiveEndpoints.ticketParameter],
            headers: [.lastEventID],
            ticket: .init(parameter: LiveEndpoints.ticketParameter, redeem: redeem),
            success: [LiveEndpoints.stream],
            refusals: LiveEndpoints.refusals,
            handler: { call in
                let user = try call.user
                try await checkKnown(user)
                let resume =
                    try FeedStream.position(ofID: call.headers[.lastEventID])
                    ?? call[LiveEndpoints.since].map(Int64.init)
                let seat = try library.live.open(.feed, for: LiveOwner(call))
                let stream = FeedStream(
                    library: library,
                    user: user,
                    service: call.viewer.service,
                    client: seat.client,
                    resume: resume,
                    isGood: check(call, .notificationsRead)
                )
                return answer(stream, seat)
            }
        )
    }

    private var map: Endpoint {
        Endpoint(
            method: .get,
            path: "/v1/events",
            name: "streamMapChanges",
            summary: "Streams changes to what the viewer sees in a part of the map: events view and changed.",
            access: .anyone,
            scope: .storiesRead,
            cost: .normal,
            isLive: true,
            parameters: [ViewportParameters.plain, LiveEndpoints.ticketParameter, StoryFilters.all],
            headers: [.lastEventID],
            ticket: .init(parameter: LiveEndpoints.ticketParameter, redeem: redeem),
            success: [LiveEndpoints.stream],
            refusals: LiveEndpoints.refusals,
            handler: { call in
                let window = try call[ViewportParameters.plain]
                if let user = call.viewer.user { try await checkKnown(user) }
                let seat = try library.live.open(.map, for: LiveOwner(call))
                let stream = MapStream(
                    library: library,
                    client: seat.client,
                    window: window,
                    search: try call[StoryFilters.all],
                    viewer: call.viewer,
                    address: call.viewText,
                    resume: call.headers[.lastEventID],
                    isGood: check(call, .storiesRead)
                )
                return answer(stream, seat)
            }
        )
    }

    /// Rejects a stream for a user without an account: it would end at once, and reading never creates an account.
    private func checkKnown(_ user: UserID) async throws {
        guard try await library.viewer(of: user) == nil else { return }
        throw Problem(
            .notFound,
            "unknown-user",
            "You have no account yet. Your first change creates it; open the stream after that."
        )
    }

    private func answer(_ stream: some LiveStream, _ seat: LiveHub.Seat) -> Answer {
        var answer = Answer(mediaType: MediaType.eventStream)
        answer.live = LiveAnswer(stream: stream, seat: seat)
        return answer
    }

    /// Returns a check that the token of a stream still belongs to the same user and has the scope.
    ///
    /// A stream without a user always passes.
    private func check(_ call: Call, _ scope: Scope) -> @Sendable () async -> Bool {
        { [accounts, credentials = call.credentials, user = call.viewer.user] in
            guard user != nil else { return true }
            do {
                let principal = try await accounts.principal(credentials, isWriting: false)
                return principal.viewer.user == user && principal.scopes.contains(scope)
            } catch is Refusal {
                return false
            } catch {
                // The database cannot be read now, so the check has no result. The stream stays open: its data comes
                // from the same database.
                return true
            }
        }
    }

    private var ticket: Endpoint {
        Endpoint(
            method: .post,
            path: "/v1/notifications/stream/ticket",
            name: "streamTicket",
            summary:
                "Issues a ticket that opens one live stream within a minute, for clients that cannot send a header.",
            access: .user,
            success: [
                .init(
                    status: .created,
                    mediaType: MediaType.json,
                    schema: .object([
                        .init("ticket", .text(minBytes: 16, maxBytes: 100), required: true),
                        .init("expires_at", .text(minBytes: 20, maxBytes: 40, format: "date-time"), required: true),
                    ]),
                    description: "The ticket, for the parameter ticket."
                )
            ],
            handler: { call in
                let (begun, now) = (library.clock.lasting, library.now())
                let (text, end) = try library.live.tickets.issue(
                    call.credentials,
                    for: LiveOwner(call),
                    random: library.random,
                    at: begun
                )
                let remaining = end.milliseconds - begun.milliseconds
                var json = JSONWriter(capacity: 100)
                json.beginObject()
                json.member("ticket", text)
                json.member("expires_at", RFC3339.format(now.advanced(byMilliseconds: remaining)))
                json.endObject()
                return Answer(status: .created, body: json.bytes)
            }
        )
    }

    private var redeem: @Sendable (String) throws -> Credentials? {
        { [library] text in
            guard !text.isEmpty else { return nil }
            guard let credentials = library.live.tickets.redeem(text, at: library.clock.lasting) else {
                throw Problem.unauthorized("The ticket was used or has ended. Get a new one and try again.")
            }
            return credentials
        }
    }
}

extension Call {
    /// The path and the sorted query without the ticket: one text for each view of the map.
    fileprivate var viewText: String {
        let parts = query.texts(without: [LiveEndpoints.ticketParameter.name])
            .map { "\($0.key)=\($0.value.sorted().joined(separator: "\u{1F}"))" }.sorted()
        return ([path] + parts).joined(separator: "\u{1E}")
    }
}

extension HTTPField.Name {
    /// `Last-Event-ID`: the event after which a stream of server-sent events resumes.
    static let lastEventID = known("Last-Event-ID")
}

extension LiveOwner {
    /// Creates the owner of a caller's streams.
    fileprivate init(_ call: Call) {
        self.init(call.viewer.user, service: call.viewer.service, address: call.address)
    }
}
