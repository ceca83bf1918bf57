package import Foundation
package import Library
import Transport

/// What a program finds around it without a service: the map engine, and who answers at an operator's addresses.
package enum Surroundings: Sendable {
    /// The name of the folder of the map engine.
    package static let mapEngine = PageFiles.engineFolder

    /// Returns the folder of the map engine, from which the page is served; `nil` if there is none.
    package static func mapEngine(in folders: DataFolders) -> URL? { PageFiles.engine(folders) }

    /// The version of libcurl, and of what encrypts for it.
    package static var sending: String { Reach.library }

    /// Connects to an address that the operator chose and hangs up; returns what is in the way, or `nil`.
    ///
    /// If the connection is encrypted, the certificate is checked, by a file instead of the system's if one is given. Blocks
    /// the thread for a few seconds at most.
    package static func obstacle(host: String, port: Int, isEncrypted: Bool, certificates: String?) -> String? {
        Reach.obstacle(host: host, port: port, isEncrypted: isEncrypted, certificates: certificates)?.description
    }

    /// Asks what listens on this machine for a path; `nil` if it does not answer in HTTP.
    package static func answer(of url: String) -> (status: Int, body: [UInt8])? {
        guard let answer = try? Reach.ask(url) else { return nil }
        return (answer.status, answer.body)
    }
}
