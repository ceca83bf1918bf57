import Foundation
import HTTPTypes

/// Decides whether a request comes from the service's own page, so that the page's cookie may speak for the user.
///
/// A browser adds the cookie to requests whose sender the user does not know. A token has to be added by the sender, so
/// requests with a token need none of this.
struct PageGuard: Sendable {
    let address: PublicAddress

    /// Returns the cookie of a request.
    func cookie(of headers: HTTPFields, authority: String?) -> SessionCookie {
        SessionCookie(headers, isSecure: address.isSecure(authority: authority, headers: headers))
    }

    /// Rejects a request that changes something, unless the service's own page sends it.
    ///
    /// A page of another origin cannot send `Waymark-Page` without asking first (CORS), and is never allowed to.
    /// `Origin` and `Sec-Fetch-Site` are set by the browser alone; not every browser sends them.
    ///
    /// - Throws: ``Problem`` (403) otherwise.
    func check(_ headers: HTTPFields, authority: String?) throws {
        let isSameSite = headers[.secFetchSite].map { $0 == "same-origin" } ?? true
        let isOwnOrigin = headers[values: .origin].allSatisfy { address.isOwn(origin: $0, authority: authority) }
        guard headers[values: .waymarkPage] == ["1"], isSameSite, isOwnOrigin else { throw Problem.notFromPage }
    }

    /// Whether the browser says that a page of another origin asks for an answer to use in itself.
    ///
    /// Such a page cannot read the answer, but could learn something from its size or time.
    func isEmbedding(_ headers: HTTPFields) -> Bool {
        guard let site = headers[.secFetchSite], site != "same-origin", site != "none" else { return false }
        let isDocument = headers[.secFetchDestination].map { $0 == "document" } ?? true
        return headers[.secFetchMode] != "navigate" || !isDocument
    }
}

extension Problem {
    /// A request carries the page's cookie, or asks for one, and does not come from the page.
    static let notFromPage = Problem(
        .forbidden,
        "not-from-page",
        "Only the page of this service may do this with its cookie, and it sends the header Waymark-Page: 1. Other "
            + "programs send a token in the Authorization header instead. If this is the page, open it at the address of "
            + "the service (--public-url)."
    )
}

extension PublicAddress {
    /// Returns whether the client of a request uses TLS, as far as the service can know.
    func isSecure(authority: String?, headers: HTTPFields) -> Bool {
        if isEncrypted { return true }
        if trustsProxy, let scheme = headers[.forwardedProtocol] { return scheme.lowercased() == "https" }
        guard let given = origin, given.hasPrefix("https://") else { return false }
        return trustsProxy || given == "https://" + (authority ?? "").lowercased()
    }

    /// Returns whether `origin` is that of the service: as configured, or as named in the request's own `Host`.
    func isOwn(origin text: String, authority: String?) -> Bool {
        if let origin, text == origin { return true }
        guard let host = authority?.lowercased(), HostName.isValid(host) else { return false }
        let isPlain = !isEncrypted && origin?.hasPrefix("https://") != true
        return text == "https://" + host || isPlain && text == "http://" + host
    }

    /// The origin of the configured URL: scheme, host and port, in lower case and without a default port.
    private var origin: String? {
        guard let given, let mark = given.range(of: "://") else { return nil }
        let scheme = given[..<mark.lowerBound].lowercased()
        var host = given[mark.upperBound...].prefix { $0 != "/" }.lowercased()
        for (name, port) in [("https", ":443"), ("http", ":80")] where scheme == name && host.hasSuffix(port) {
            host.removeLast(port.count)
        }
        return scheme + "://" + host
    }
}

extension HTTPField.Name {
    /// `Waymark-Page`: sent by the service's own page.
    static let waymarkPage = known("Waymark-Page")
    /// `Sec-Fetch-Site`: whether the sender is of the same origin.
    static let secFetchSite = known("Sec-Fetch-Site")
    /// `Sec-Fetch-Mode`: whether a request is a navigation.
    static let secFetchMode = known("Sec-Fetch-Mode")
    /// `Sec-Fetch-Dest`: what the answer is used as.
    static let secFetchDestination = known("Sec-Fetch-Dest")
}
