/// The service as authenticators know it (WebAuthn §4 "Relying Party"): passkeys are made for its host name, and answers
/// count only for pages of its origin.
package struct RelyingParty: Hashable, Sendable {
    /// The host name of the service, in lower case.
    package let id: String
    /// The origin of its pages: scheme, host and port, in lower case and without the default port.
    package let origin: String

    /// Creates the relying party of a service; `nil` where browsers allow no passkeys.
    ///
    /// They need HTTPS and a host name, not an IP address. The one exception is `localhost`.
    ///
    /// - Parameters:
    ///   - publicURL: The configured URL of the service; `nil` if there is none.
    ///   - authority: The host and port that the request names. Without a configured URL it counts only if it is
    ///     `localhost`: any other name is whatever the caller says.
    package init?(publicURL: String?, authority: String?) {
        guard let url = publicURL ?? authority.map({ "http://" + $0 }),
            let parts = RelyingParty.parts(of: url.lowercased())
        else { return nil }
        let (scheme, name, port) = parts
        switch scheme {
        case "https" where publicURL != nil: break
        case "http" where name == "localhost": break
        default: return nil
        }
        let isDefault = port == nil || port == (scheme == "https" ? "443" : "80")
        id = name
        origin = "\(scheme)://\(name)" + (isDefault ? "" : ":" + (port ?? ""))
    }

    /// Returns scheme, host name and port of a URL; `nil` if its host is no name in ASCII.
    private static func parts(of url: String) -> (scheme: String, name: String, port: String?)? {
        guard let mark = url.firstIndex(of: ":"), url[mark...].hasPrefix("://") else { return nil }
        let rest = url[url.index(mark, offsetBy: 3)...]
        let pieces = rest.prefix { $0 != "/" }.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = pieces.first, pieces.count <= 2, isName(name) else { return nil }
        guard pieces.count == 2 else { return (String(url[..<mark]), String(name), nil) }
        let isPort = (1...5).contains(pieces[1].utf8.count) && pieces[1].utf8.allSatisfy(isDigit)
        return isPort ? (String(url[..<mark]), String(name), String(pieces[1])) : nil
    }

    /// Returns whether a text is a host name, whose last part, unlike that of an IP address, begins with a letter.
    private static func isName(_ text: Substring) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, let first = labels.last?.first, !isDigit(first) else { return false }
        return labels.allSatisfy { label in
            !label.isEmpty
                && label.allSatisfy {
                    isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
                }
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
