import App
import Foundation

/// A machine that the settings name, and that the service connects to.
struct OtherMachine: Sendable {
    /// Where a machine is.
    typealias Parts = (host: String, port: Int, isEncrypted: Bool)

    private let subject: String
    private let parts: Parts
    private let certificates: String?
    private let dialling: Surroundings.Dialling
    private let isNeeded: Bool
    private let remedy: String

    /// Creates a machine such as the `mail server`; `nil` if it is nowhere.
    ///
    /// `certificates` is a file to trust instead of the system's, `dialling` says which addresses the service itself
    /// dials, `isNeeded` whether it lacks something without the machine, and `remedy` what to do if that cannot be reached.
    init?(
        _ subject: String,
        _ parts: Parts?,
        trusting certificates: String? = nil,
        dialling: Surroundings.Dialling = .all,
        isNeeded: Bool = true,
        remedy: String
    ) {
        guard let parts else { return nil }
        (self.subject, self.parts, self.certificates) = (subject, parts, certificates)
        (self.dialling, self.isNeeded, self.remedy) = (dialling, isNeeded, remedy)
    }

    /// Reads the host and the port of a URL; `nil` if there is none.
    static func place(of url: String) -> Parts? {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else { return nil }
        let isEncrypted = parts.scheme?.lowercased() == "https"
        return (host, parts.port ?? (isEncrypted ? 443 : 80), isEncrypted)
    }

    /// Connects, and hangs up.
    func finding() -> Finding {
        let host = parts.host
        let shown = "\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(parts.port)"
        let obstacle = Surroundings.obstacle(
            host: host,
            port: parts.port,
            isEncrypted: parts.isEncrypted,
            certificates: certificates,
            dialling: dialling
        )
        guard let obstacle else { return Finding(.ok, subject, "\(shown) answers") }
        let state: Finding.State = isNeeded ? .problem : .note
        guard !obstacle.isRefused else {
            return Finding(
                state,
                subject,
                "\(shown): the service does not connect to such an address, so neither does this command.",
                remedy: "Correct the setting, or the address that this name has."
            )
        }
        return Finding(state, subject, "\(shown): \(obstacle.words).", remedy: remedy)
    }
}
