import App
import Formats
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The address at which the service listens: whether it is free, or who answers there.
struct ListeningAddress: Sendable {
    let host: String
    let port: Int
    let isEncrypted: Bool
    /// The path of the database.
    let database: String
    /// Whether a service holds it.
    let isHeld: Bool

    private static let subject = "address"

    private var shown: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    func findings() -> [Finding] {
        guard port != 0 else { return [Finding(.ok, Self.subject, "any free port of \(host)")] }
        switch bindingError() {
        case nil: return [free]
        case .some(EADDRINUSE): return answers()
        case .some(EACCES):
            return [
                Finding(
                    .problem,
                    Self.subject,
                    "this user may not listen on \(shown).",
                    remedy: "Ports below 1024 need a right (CAP_NET_BIND_SERVICE in the unit). Or give another --port."
                )
            ]
        case .some(let code):
            return [
                Finding(
                    .problem,
                    Self.subject,
                    "nobody can listen on \(shown): \(String(cString: strerror(code))).",
                    remedy: "Give --host an address of this machine."
                )
            ]
        }
    }

    private var free: Finding {
        guard isHeld else { return Finding(.ok, Self.subject, "\(shown) is free") }
        return Finding(
            .note,
            Self.subject,
            "a service holds the database, but nothing listens on \(shown).",
            remedy: "Give the --port or --host that it was started with. Otherwise it is about to start or to stop."
        )
    }

    /// Asks who has the address.
    private func answers() -> [Finding] {
        let name = ["0.0.0.0", ""].contains(host) ? "127.0.0.1" : host == "::" ? "[::1]" : host
        let target = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
        guard let answer = Surroundings.answer(of: "\(isEncrypted ? "https" : "http")://\(target):\(port)/readyz"),
            let json = try? JSONValue(parsing: answer.body)
        else { return [taken] }
        let type = json["type"]?.string ?? ""
        let isReady = answer.status == 200 && json["status"]?.string == "ready"
        guard isReady || type.hasPrefix("/problems/") else { return [taken] }
        guard isHeld else { return [other] }
        guard isReady else {
            let detail = json["detail"]?.string ?? "it is not ready."
            return [Finding(type == "/problems/starting" ? .note : .problem, "service", detail)]
        }
        let warnings = (json["warnings"]?.array ?? []).compactMap { $0["detail"]?.string }
        return [Finding(.ok, Self.subject, "the service answers at \(shown)")]
            + warnings.map { Finding(.note, "service", $0) }
    }

    /// No process holds the database, so the service that answers is another one.
    private var other: Finding {
        Finding(
            .problem,
            Self.subject,
            "a Waymark with another database answers at \(shown), so a service of \(database) cannot start there.",
            remedy: "If it is an earlier one, stop it. Otherwise give another --port, or the --database that it has."
        )
    }

    private var taken: Finding {
        Finding(
            .problem,
            Self.subject,
            "\(shown) is in use by another program\(isEncrypted ? ", or by a Waymark without TLS" : "").",
            remedy: "Give another --port."
        )
    }

    /// Takes the address for a moment, as a service would, without listening; returns the error of the system, or `nil`.
    private func bindingError() -> Int32? {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = ListeningAddress.stream
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &list) == 0, let first = list else {
            return EADDRNOTAVAIL
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(first.pointee.ai_family, ListeningAddress.stream, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As the service does: connections that ended a moment ago do not count.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        return bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0 ? nil : errno
    }

    #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    private static let stream = SOCK_STREAM
    #endif
}
