import Formats
import Geometry
import HTTPTypes
import Stories

/// The stream of requests of one viewer, made from the running service's own document.
struct TwinRequests {
    private let operations: [TwinOperation]
    private var draw: TwinDraw
    private(set) var pools: TwinPools
    private var bodies: TwinBodies
    private var deck: [TwinOperation] = []
    /// The families that the viewer belongs to from the start.
    private let home: Set<String>
    /// What earlier answers gave: tags of versions by path, addresses of next pages, credentials.
    private var tags: [String: String] = [:]
    private var links: [String] = []
    private var recent: [TwinRequest] = []
    private var serial = 0
    /// The operations that were asked for.
    private var asked: Set<String> = []
    /// The size of the last box in degrees, which its zoom has to fit.
    private var reach = 1.0
    private var visit: [TwinRequest] = []
    /// What the viewer says who they are with.
    var token: String?

    ///
    /// The holder of a link mostly asks for what links show: with its secret everything else is refused at once.
    init(
        document: JSONValue,
        whole: TwinPopulation,
        token: String?,
        seed: UInt64,
        now: Timestamp,
        isHolder: Bool = false
    ) throws {
        let other: Set<String> = ["GET /v1/stories", "GET /v1/clusters", "GET /v1/me", "GET /v1/me/share-links"]
        operations = try TwinOperation.all(in: document)
            .filter { !isHolder || $0.path.hasPrefix("/v1/shared") || other.contains($0.name) }
        draw = TwinDraw(seed: seed)
        pools = TwinPools(whole: whole)
        home = Set(whole.viewer.families.keys.map(\.rawValue))
        bodies = TwinBodies(document: document, now: now)
        self.token = token
        for operation in operations {
            for name in operation.pathNames { _ = try pools.pool(name, of: operation.path) }
        }
    }

    /// The requests of somebody of whom no viewer may know, which leave nothing that one could see.
    init(
        unseen user: String,
        document: JSONValue,
        world: TwinPopulation,
        token: String,
        seed: UInt64,
        now: Timestamp
    ) throws {
        // To accept or to decline shows to whoever invited, and so does the erasure of an account that was invited.
        let isInvited = user == TwinCast.hidden[0]
        operations = try TwinOperation.all(in: document)
            .filter { !$0.path.hasSuffix("/accept") && !$0.path.hasSuffix("/decline") }
            .filter { !isInvited || $0.name != "DELETE /v1/me" }
        draw = TwinDraw(seed: seed)
        pools = TwinPools(unseen: user, in: world)
        home = []
        bodies = TwinBodies(document: document, isSecret: true, now: now)
        self.token = token
    }

    /// The names of the operations.
    var operationNames: [String] { operations.map(\.name) }

    /// Lets the requests know what time it is.
    mutating func setTime(_ now: Timestamp) { bodies.now = now }

    /// The next request: each operation comes as often as the others, in a random order.
    mutating func next() throws -> TwinRequest {
        serial += 1
        if serial % 25 == 1 { bodies.here = draw.pick(TwinWords.towns) }
        if !recent.isEmpty, draw.chance(4) { return draw.pick(recent) }
        if visit.isEmpty, draw.chance(1) { visit = visitRequests() }
        var request = try visit.popLast() ?? request(drawOperation())
        request.body = request.body?.replacing("NOW", with: RFC3339.format(bodies.now))
        asked.insert(request.operation)
        request.headers[.twinRequestID] = "twin-\(serial)"
        recent.append(request)
        if recent.count > 40 { recent.removeFirst() }
        return request
    }

    /// Each operation comes as often as the others, in a random order; those without any input seldom.
    private mutating func drawOperation() throws -> TwinOperation {
        // Late in a round what has not come yet comes in any case, what ends something last.
        let missing = operations.filter { !asked.contains($0.name) }
        let last = missing.first { !TwinRequests.ends.contains($0.name) } ?? missing.first
        if serial > 150, let last { return last }
        if deck.isEmpty {
            let isPlain = { (operation: TwinOperation) in
                operation.path.count { $0 == "/" } < 2 && operation.query.isEmpty
            }
            deck = operations.filter { !isPlain($0) }
            deck += deck + deck + deck + operations.filter(isPlain)
            deck.shuffle(using: &draw)
        }
        guard let operation = deck.popLast() else { throw TwinFault("There are no operations.") }
        // To end one's account or all one's sessions is a beginning anew: seldom.
        return TwinRequests.ends.contains(operation.name) && !draw.chance(10) ? try drawOperation() : operation
    }

    private static let tile = "{z}/{x}/{y}"
    private static let ends = ["DELETE /v1/me", "DELETE /v1/me/sessions"]

    /// A visit to one of the towns, last request first: one opts in, comes near, and stays long enough to be told.
    private mutating func visitRequests() -> [TwinRequest] {
        let fixes = "POST /v1/fixes"
        let settings = "PUT /v1/me/notification-settings"
        guard let token, Set(operationNames).isSuperset(of: [fixes, settings]) else { return [] }
        let town = draw.pick(TwinWords.towns)
        func request(_ operation: String, _ body: String) -> TwinRequest {
            let parts = operation.split(separator: " ").map(String.init)
            return TwinRequest(
                method: HTTPRequest.Method(parts[0]) ?? .post,
                path: parts[1],
                headers: [.authorization: "Bearer " + token],
                body: body,
                operation: operation
            )
        }
        var requests = [walk(past: town, token: token), request("GET /v1/notifications", "")]
            .compactMap(\.self)
        for step in (0..<8).reversed() {
            // Seconds are filled in when the request is sent: a device reports where it is now.
            let latitude = town.latitude + (step == 0 ? 0.02 : 0)
            let body =
                "{\"device\":\"walk\",\"fixes\":[{\"t\":\"NOW\",\"lat\":\(latitude),\"lon\":\(town.longitude),\"acc\":5}]}"
            requests.append(request(fixes, body))
        }
        return requests + [request(settings, "{\"enabled\":true,\"radius\":150,\"min_dwell\":0}")]
    }

    /// A walk past a town, as a recording: what is there shows in its fences, decisions and silences.
    private mutating func walk(past town: (latitude: Double, longitude: Double), token: String) -> TwinRequest? {
        let operation = "POST /v1/walk"
        guard operationNames.contains(operation) else { return nil }
        var rows = "time,lat,lon,accuracy\n"
        for step in 10..<40 {
            rows += "2019-05-01T12:00:\(step)Z,\(town.latitude + Double(step - 25) / 20_000),\(town.longitude),8\n"
        }
        return TwinRequest(
            method: .post,
            path: "/v1/walk?forget=\(draw.chance(50))&radius=\(draw.pick([75, 300, 5_000]))",
            headers: [.authorization: "Bearer " + token],
            body: rows,
            operation: operation
        )
    }

    private mutating func request(_ operation: TwinOperation) throws -> TwinRequest {
        var path = operation.path
        // A tile's address is drawn as a whole, so that it is one mostly.
        if path.contains(TwinRequests.tile) {
            let value = try pools.value("z", of: path, using: &draw)
            path = path.replacing(TwinRequests.tile, with: value)
        }
        for name in operation.pathNames where path.contains("{\(name)}") {
            var value = try pools.value(name, of: operation.path, isChange: operation.isOwnersChange, using: &draw)
            // To leave one's family ends most of what there is to see: seldom.
            if operation.method == .delete, home.contains(value), !draw.chance(8) {
                value = TwinPools.unheard(.name, using: &draw)
            }
            path = path.replacing("{\(name)}", with: value)
        }
        let bare = path
        path += try query(of: operation)
        if operation.method == .get, !links.isEmpty, draw.chance(5) { path = draw.pick(links) }
        var request = TwinRequest(method: method(for: operation), path: path, operation: operation.name)
        if let schema = operation.body {
            request.body = try body(schema)
        }
        request.headers = headers(for: operation, path: bare)
        return request
    }

    private mutating func method(for operation: TwinOperation) -> HTTPRequest.Method {
        if operation.method == .get, draw.chance(4) { return .head }
        return draw.chance(1) ? draw.pick([.options, .put, .delete, .post, .get, .patch]) : operation.method
    }

    private mutating func body(_ schema: JSONValue) throws -> String {
        if schema["$ref"]?.string?.hasSuffix("/PictureFile") == true {
            // Few, so that one story often gets the picture that it has.
            return draw.chance(85) ? SmallPicture.webp(UInt8(draw.pick(0...3))) : draw.pick(["", "<svg/>", "RIFF"])
        }
        switch draw.pick(0...99) {
        case 0: return ""
        case 1: return "{\"title\":"
        default:
            var json = JSONWriter()
            json.value(try bodies.body(schema, pools: pools, using: &draw))
            return String(decoding: json.bytes, as: UTF8.self)
        }
    }

    private mutating func headers(for operation: TwinOperation, path: String) -> HTTPFields {
        var headers: HTTPFields = [:]
        if let token, draw.chance(98) { headers[.authorization] = "Bearer " + token }
        if draw.chance(1) { headers[.authorization] = draw.pick(["Bearer nonsense", "Basic YTpi", "Bearer"]) }
        if draw.chance(10) { headers[.acceptEncoding] = "gzip" }
        if draw.chance(4) { headers[.accept] = draw.pick(["text/html", "application/geo+json", "*/*"]) }
        if draw.chance(2) { headers[.twinUser] = draw.pick(TwinCast.people + TwinCast.hidden) }
        let tag = tags[path] ?? tags.min { $0.key < $1.key }?.value ?? "\"0123456789abcdef01234567\""
        for name in operation.headers {
            switch name.lowercased() {
            case "if-match" where draw.chance(35):
                headers[.ifMatch] = draw.pick([tag, tag, tag, "*", "\"old\"", "W/" + tag])
            case "if-none-match" where draw.chance(25):
                headers[.ifNoneMatch] = draw.pick([tag, tag, "*", "W/" + tag, "\"old\", " + tag])
            case "idempotency-key" where draw.chance(40):
                headers[.twinRequestKey] = draw.pick(["k1", "k2", "k3", "", draw.digits(8)])
            default: break
            }
        }
        return headers
    }

    private mutating func query(of operation: TwinOperation) throws -> String {
        var pairs: [String] = []
        // Few at a time: with all of them nothing is found.
        let share = 200.0 / Double(max(6, operation.query.count))
        let hasLinks = links.contains { $0.hasPrefix(operation.path + "?") }
        for parameter in operation.query where parameter.isRequired ? draw.chance(98) : draw.chance(min(50, share)) {
            // Only where there is a cursor to give, mostly: a made-up one is refused at once.
            if parameter.name == "cursor", !hasLinks, !draw.chance(8) { continue }
            let count = parameter.isList ? draw.pick([1, 1, 2, 3]) : 1
            let values = try (0..<count).map { _ in try value(of: parameter, path: operation.path) }
            pairs.append("\(parameter.name)=\(values.joined(separator: ","))")
            if draw.chance(1) { pairs.append("\(parameter.name)=\(try value(of: parameter, path: operation.path))") }
        }
        if draw.chance(1) { pairs.append("undocumented=1") }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    private mutating func value(of parameter: TwinOperation.Parameter, path: String) throws -> String {
        if draw.chance(1) { return draw.pick(["", "%zz", "%FF", "x", "-1", "NaN", "1e400"]) }
        let name = parameter.name
        // A cursor of another list is refused: rather one of this.
        let links = draw.chance(15) ? links : links.filter { $0.hasPrefix(path + "?") }
        if let known = try TwinQuery.value(name, pools: pools, links: links, reach: &reach, using: &draw) {
            return known
        }
        let schema = parameter.schema
        if let words = schema["enum"]?.array { return draw.pick(words).string ?? "x" }
        switch schema["type"]?.string {
        case "integer", "number":
            let (least, most) = (schema["minimum"]?.number ?? 0, schema["maximum"]?.number ?? 100)
            let number = draw.pick([least, most, most + 1, least + (min(most, least + 30) - least) * draw.unit()])
            return schema["type"]?.string == "integer" ? "\(Int(number))" : "\(number)"
        case "boolean": return draw.pick(["true", "false"])
        default: return draw.pick(TwinWords.open + TwinWords.closed).replacing("'", with: "%27")
        }
    }

    /// Learns from an answer: ids, tags of versions, addresses of next pages.
    mutating func learn(_ request: TwinRequest, _ reply: TwinReply) {
        let path = String(request.path.prefix { $0 != "?" })
        if let tag = reply.fields[.eTag] { tags[path] = tag }
        if request.method == .delete, (200..<300).contains(reply.status), let id = path.split(separator: "/").last {
            for name in pools.pools.keys.sorted() where pools.pools[name]?.seen.contains(String(id)) == true {
                pools.remove(String(id), from: name)
            }
        }
        if request.method == .get, reply.status == 404, let id = path.split(separator: "/").last {
            pools.lose(String(id), from: "id")
        }
        guard (200..<300).contains(reply.status), reply.fields[.contentEncoding] == nil,
            let json = try? JSONValue(parsing: reply.bytes, limits: .init(bytes: .max))
        else { return }
        for found in TwinPools.found(in: json, operation: request.operation) {
            pools.add(found.value, to: found.pool)
            if reply.status == 201, request.method == .post { pools.addMine(found.value, to: found.pool) }
        }
        if let next = TwinQuery.next(in: json) {
            links.append(next)
            if links.count > 30 { links.removeFirst() }
        }
    }

    /// Learns of something that only the whole world has.
    mutating func learnUnseen(_ request: TwinRequest, _ reply: TwinReply) {
        guard let json = try? JSONValue(parsing: reply.bytes, limits: .init(bytes: .max)) else { return }
        for found in TwinPools.found(in: json, operation: request.operation) where found.pool != "user" {
            guard pools.pools[found.pool]?.seen.contains(found.value) == false else { continue }
            pools.addUnseen(found.value, to: found.pool)
        }
    }
}

extension HTTPField.Name {
    /// `X-Request-Id`, set by the harness so that it can be compared.
    static let twinRequestID = named("X-Request-Id")
    /// `Idempotency-Key`.
    static let twinRequestKey = named("Idempotency-Key")
    /// `Waymark-User`.
    static let twinUser = named("Waymark-User")

    private static func named(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .accept }
}
