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

    /// Which addresses the service dials for a purpose.
    package enum Dialling: Sendable {
        /// All: nobody but the operator can choose the machine.
        case all
        /// Those of the operator's OpenID Connect provider.
        case provider(isEncrypted: Bool)
        /// Those of the operator's collector of spans.
        case collector
        /// Those of channels, with the ranges that the operator allows.
        case channels(ranges: [String])

        /// The ranges that are dialled besides the public ones; `nil` for all.
        fileprivate var ranges: [AddressRange]? {
            switch self {
            case .all: nil
            case .provider(let isEncrypted):
                CurlProviderTransport.ranges(isEncrypted: isEncrypted).compactMap { AddressRange($0) }
            case .collector: SpanCollector.ranges.compactMap { AddressRange($0) }
            case .channels(let ranges): ranges.compactMap { AddressRange($0) }
            }
        }
    }

    /// What is in the way of a connection.
    package struct Obstacle: Sendable {
        /// One sentence without a full stop.
        package let words: String
        /// Whether the address is none that the service dials.
        package let isRefused: Bool
    }

    /// Connects to an address that the operator chose and hangs up; returns what is in the way, or `nil`.
    ///
    /// An address that the service does not dial for that purpose is not dialled here either. If the connection is
    /// encrypted, the certificate is checked, by a file instead of the system's if one is given. Blocks the thread for a
    /// few seconds at most.
    package static func obstacle(
        host: String,
        port: Int,
        isEncrypted: Bool,
        certificates: String?,
        dialling: Dialling
    ) -> Obstacle? {
        let found = Reach.obstacle(
            host: host,
            port: port,
            isEncrypted: isEncrypted,
            certificates: certificates,
            allowing: dialling.ranges
        )
        return found.map { Obstacle(words: $0.description, isRefused: $0 == .refusedAddress) }
    }

    /// Asks what listens on this machine for a path; `nil` if it does not answer in HTTP.
    package static func answer(of url: String) -> (status: Int, body: [UInt8])? {
        guard let answer = try? Reach.ask(url) else { return nil }
        return (answer.status, answer.body)
    }
}
