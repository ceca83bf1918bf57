/// What a route answers to whom about what: one row of the table.
struct RouteRule: Sendable {
    /// The sort of thing that a route is about, and who gets which status for it.
    enum About: Sendable {
        /// Nothing in particular: the same for all who may call it.
        case nothing(Int)
        /// A story: the status for its owner, and for everybody else who sees it.
        case story(own: Int, others: Int)
        /// A place of a story, one that waits for its owner or not: the status for the owner of the story, and for everybody
        /// else who sees the story.
        case storyPlace(own: Int, others: Int, isWaiting: Bool)
        /// The picture of a story: the status for everybody who sees the story.
        case picture(Int)
        /// A family: the status by what the caller is in it.
        case family(owner: Int, admin: Int, member: Int)
        /// A report, whoever made it.
        case anyReport(Int)
        /// Something of one user alone that nobody else sees, named by a path parameter.
        case own(OwnThing, Int)
        /// A member of a family.
        case member(@Sendable (_ caller: Standing, _ target: Target) -> Int)
        /// An invitation into a family, pending there or not.
        case invitation(@Sendable (_ caller: Standing, _ isThere: Bool) -> Int)
        /// A collection: the status for its owner, and for everybody else who may know of it.
        case collection(own: Int, others: Int)
        /// A named place: the status for its owner, and for everybody else who may know of it.
        case namedPlace(own: Int, others: Int)
        /// A place: the same for everybody, whether or not anything lies there.
        case place(Int)
        /// A device of the caller's: any name, but with a device's key no other than its own.
        case device(Int)
        /// An entry of the outbox, whoever it is for.
        case entry(Int)
        /// Another user, whether or not there is one.
        case person(Int)
        /// A cluster: for whoever sees a story of it.
        case cluster(Int)
        /// An invitation by the token of a link that nobody was given.
        case link(Int, malformed: Int)
        /// A basemap, the same for everybody.
        case basemap(Int)
        /// A tile: one with something in it, and one where what there is is not for the caller.
        case tile(Int, empty: Int)
        /// A story, or its picture, for the holder of a link: only what the link shows.
        case shared(Int, hasPicture: Bool)
        /// A cluster for the holder of a link: only of stories that the link shows.
        case sharedCluster(Int)
    }

    /// Things of one user alone.
    enum OwnThing: String, Sendable {
        case report, key, session, passkey, invitation, fix, notification, channel, proposal, link
        case providerAccount = "provider_account"
        case storyImport = "import"
    }

    /// What somebody is in a family.
    enum Standing: String, CaseIterable, Sendable {
        case owner, admin, member, former, none
    }

    /// Whom a route about members is about.
    enum Target: String, CaseIterable, Sendable {
        case oneself, owner, admin, member, outsider, nobody, malformed
    }

    /// Who may call it.
    enum Access: Sendable {
        /// Everybody.
        case anyone
        /// Whoever has a token that is good for it.
        case user
        /// An app's backend.
        case service
        /// Whoever has the operators' scope.
        case operators
        /// Whoever holds a share link.
        case link
    }

    let access: Access
    let about: About
    /// The parameters that it cannot do without.
    var query = ""
    /// A body that it takes.
    var body: String?

    init(_ access: Access, _ about: About, query: String = "", body: String? = nil) {
        self.access = access
        self.about = about
        self.query = query
        self.body = body
    }
}

extension RouteRule {
    /// The table: every operation of the document, by its name.
    ///
    /// A route that is not here fails the test.
    static let table: [String: RouteRule] = [
        stories, service, families, accounts, person, privacy, sync, lists, sharing,
    ]
    .reduce(into: [:]) { table, part in table.merge(part) { first, _ in first } }

    private static let story = #"{"kind":"photo","title":"A"}"#
    private static let place = #"{"lat":1,"lon":2}"#

    private static let stories: [String: RouteRule] = [
        "GET /v1/stories": RouteRule(.anyone, .nothing(200)),
        "POST /v1/stories": RouteRule(.user, .nothing(201), body: story),
        "GET /v1/stories/{id}": RouteRule(.anyone, .story(own: 200, others: 200)),
        "GET /stories": RouteRule(.anyone, .nothing(200)),
        "GET /stories/{id}": RouteRule(.anyone, .story(own: 200, others: 200)),
        "PATCH /v1/stories/{id}": RouteRule(.user, .story(own: 200, others: 403), body: #"{"title":"B"}"#),
        "DELETE /v1/stories/{id}": RouteRule(.user, .story(own: 204, others: 403)),
        "PUT /v1/stories/{id}/location": RouteRule(.user, .story(own: 200, others: 403), body: place),
        "DELETE /v1/stories/{id}/location": RouteRule(.user, .story(own: 204, others: 403)),
        "GET /v1/stories/{id}/places": RouteRule(.anyone, .story(own: 200, others: 200)),
        "POST /v1/stories/{id}/places": RouteRule(.user, .story(own: 201, others: 403), body: place),
        "PATCH /v1/stories/{id}/places/{story_place}": RouteRule(
            .user,
            .storyPlace(own: 200, others: 403, isWaiting: false),
            body: #"{"role":"born"}"#
        ),
        "DELETE /v1/stories/{id}/places/{story_place}": RouteRule(
            .user,
            .storyPlace(own: 204, others: 403, isWaiting: false)
        ),
        "POST /v1/stories/{id}/places/{story_place}/confirm": RouteRule(
            .user,
            .storyPlace(own: 200, others: 403, isWaiting: true)
        ),
        "POST /v1/stories/{id}/places/{story_place}/reject": RouteRule(
            .user,
            .storyPlace(own: 204, others: 403, isWaiting: true)
        ),
        "GET /v1/me/places/waiting": RouteRule(.user, .nothing(200)),
        "GET /v1/stories/{id}/thumbnail": RouteRule(.anyone, .picture(200)),
        "PUT /v1/stories/{id}/thumbnail": RouteRule(
            .user,
            .story(own: 200, others: 403),
            body: SmallPicture.webp()
        ),
        "DELETE /v1/stories/{id}/thumbnail": RouteRule(.user, .story(own: 204, others: 403)),
        "GET /v1/me/location-proposals": RouteRule(.user, .nothing(200)),
        "POST /v1/me/location-proposals/{proposal}/confirm": RouteRule(.user, .own(.proposal, 200)),
        "POST /v1/me/location-proposals/{proposal}/reject": RouteRule(.user, .own(.proposal, 204)),
        "GET /v1/clusters": RouteRule(.anyone, .nothing(200), query: "?bbox=-180,-90,180,90&zoom=1"),
        "GET /v1/bounds": RouteRule(.anyone, .nothing(200)),
        "GET /v1/approximate-cell": RouteRule(.anyone, .nothing(200), query: "?lat=33.75&lon=-84.39"),
    ]

    private static let service: [String: RouteRule] = [
        "GET /healthz": RouteRule(.anyone, .nothing(200)),
        "GET /readyz": RouteRule(.anyone, .nothing(200)),
        "GET /openapi.json": RouteRule(.anyone, .nothing(200)),
        "GET /openapi-3.0.json": RouteRule(.anyone, .nothing(200)),
        "GET /docs": RouteRule(.anyone, .nothing(200)),
        "GET /v1/geocode": RouteRule(.anyone, .nothing(200), query: "?q=Atlanta"),
        "GET /v1/suggest": RouteRule(.anyone, .nothing(200), query: "?q=Atl"),
        "GET /v1/reverse": RouteRule(.anyone, .nothing(200), query: "?lat=33.75&lon=-84.39"),
        "GET /nominatim/search": RouteRule(.anyone, .nothing(200), query: "?q=Atlanta"),
        "GET /nominatim/reverse": RouteRule(.anyone, .nothing(200), query: "?lat=33.75&lon=-84.39"),
        "GET /nominatim/lookup": RouteRule(.anyone, .nothing(200), query: "?osm_ids=N1"),
        "GET /nominatim/status": RouteRule(.anyone, .nothing(200)),
        "GET /photon/api": RouteRule(.anyone, .nothing(200), query: "?q=Atlanta"),
        "GET /photon/reverse": RouteRule(.anyone, .nothing(200), query: "?lat=33.75&lon=-84.39"),
        "GET /photon/status": RouteRule(.anyone, .nothing(200)),
        "GET /pelias/v1/search": RouteRule(.anyone, .nothing(200), query: "?text=Atlanta"),
        "GET /pelias/v1/autocomplete": RouteRule(.anyone, .nothing(200), query: "?text=Atl"),
        "GET /pelias/v1/reverse": RouteRule(
            .anyone,
            .nothing(200),
            query: "?point.lat=33.75&point.lon=-84.39"
        ),
        "POST /v1/fixes": RouteRule(.user, .nothing(200), body: #"{"device":"p","fixes":[]}"#),
        "GET /v1/fixes": RouteRule(.user, .nothing(200)),
        "GET /v1/fixes/{fix}/explain": RouteRule(.user, .own(.fix, 200)),
        "GET /v1/fences": RouteRule(.user, .nothing(200), query: "?lat=33.75&lon=-84.39"),
        "POST /v1/fences/{place}/entered": RouteRule(.user, .place(200), body: "{}"),
        "GET /v1/me/devices/{device}": RouteRule(.user, .device(200)),
        "PUT /v1/me/devices/{device}": RouteRule(.user, .device(200), body: #"{"permission":"always"}"#),
        "POST /v1/imports": RouteRule(
            .user,
            .nothing(200),
            query: "?dry_run=true&name=a.csv",
            body: "title\nA\n"
        ),
        "GET /v1/imports": RouteRule(.user, .nothing(200)),
        "GET /v1/imports/{import}": RouteRule(.user, .own(.storyImport, 200)),
        "DELETE /v1/imports/{import}": RouteRule(.user, .own(.storyImport, 200)),
        "POST /v1/traces": RouteRule(.user, .nothing(200), query: "?dry_run=true", body: "time,lat,lon\n"),
        "POST /v1/walk": RouteRule(.user, .nothing(200), body: "time,lat,lon\n"),
        "POST /ingest/owntracks": RouteRule(.user, .nothing(200), body: #"{"_type":"lwt"}"#),
        "POST /ingest/overland": RouteRule(.user, .nothing(200), body: #"{"locations":[]}"#),
        "GET /ingest/osmand": RouteRule(.user, .nothing(200), query: "?id=p&lat=33.75&lon=-84.39"),
        "POST /ingest/osmand": RouteRule(.user, .nothing(200), query: "?id=p&lat=33.75&lon=-84.39", body: "{}"),
        "POST /ingest/ulogger/client/index.php": RouteRule(.user, .nothing(200), body: "action=addtrack&track=a"),
        "GET /v1/notifications": RouteRule(.user, .nothing(200)),
        "GET /v1/notifications/badge": RouteRule(.user, .nothing(200)),
        "POST /v1/notifications/read-all": RouteRule(.user, .nothing(404), body: #"{"before":"x"}"#),
        "POST /v1/notifications/seen": RouteRule(.user, .nothing(404), body: #"{"before":"x"}"#),
        "GET /v1/notifications/{notification}": RouteRule(.user, .own(.notification, 200)),
        "PATCH /v1/notifications/{notification}": RouteRule(.user, .own(.notification, 200), body: #"{"read":true}"#),
        "GET /v1/notifications/{notification}/stories": RouteRule(.user, .own(.notification, 200)),
        "POST /v1/notifications/{notification}/opened": RouteRule(.user, .own(.notification, 200)),
        "GET /v1/notifications/stream": RouteRule(.user, .nothing(200)),
        "POST /v1/notifications/stream/ticket": RouteRule(.user, .nothing(201)),
        "GET /v1/events": RouteRule(.anyone, .nothing(200), query: "?bbox=-180,-90,180,90&zoom=1"),
        "GET /v1/me/notification-settings": RouteRule(.user, .nothing(200)),
        "PUT /v1/me/notification-settings": RouteRule(.user, .nothing(200), body: #"{"radius":200}"#),
        "GET /v1/me/channels": RouteRule(.user, .nothing(200)),
        "POST /v1/me/channels": RouteRule(
            .user,
            .nothing(201),
            body: #"{"kind":"webhook","target":{"url":"https://example.org/hook"}}"#
        ),
        "GET /v1/me/channels/{channel}": RouteRule(.user, .own(.channel, 200)),
        "PATCH /v1/me/channels/{channel}": RouteRule(.user, .own(.channel, 200), body: #"{"enabled":false}"#),
        "GET /v1/me/labels": RouteRule(.user, .nothing(200)),
        "PUT /v1/me/labels/{user}": RouteRule(.user, .person(200), body: #"{"label":"Aunt Olga"}"#),
        "DELETE /v1/me/labels/{user}": RouteRule(.user, .person(204)),
        "DELETE /v1/me/channels/{channel}": RouteRule(.user, .own(.channel, 204)),
        "POST /v1/me/channels/{channel}/verify": RouteRule(.user, .own(.channel, 200), body: "{}"),
        "POST /v1/me/channels/{channel}/rotate": RouteRule(.user, .own(.channel, 200)),
        // Nothing is sent through one that has not been proven yet.
        "POST /v1/me/channels/{channel}/test": RouteRule(.user, .own(.channel, 409)),
        "GET /v1/unsubscribe": RouteRule(.anyone, .nothing(200)),
        "POST /v1/unsubscribe": RouteRule(.anyone, .nothing(404), query: "?token=email.ana.0"),
        "GET /metrics": RouteRule(.operators, .nothing(200)),
        "GET /v1/service/status": RouteRule(.operators, .nothing(200)),
        "GET /service/status": RouteRule(.operators, .nothing(200)),
        "GET /v1/service/outbox": RouteRule(.operators, .nothing(200)),
        "GET /v1/service/outbox/{entry}": RouteRule(.operators, .entry(200)),
        "POST /v1/service/outbox/replay": RouteRule(.operators, .nothing(200), body: #"{"all":true}"#),
        "POST /v1/notifications": RouteRule(
            .service,
            .nothing(200),
            body: #"{"users":["nobody-at-all"],"type":"comment.new","title":"Hello"}"#
        ),
    ]
}
