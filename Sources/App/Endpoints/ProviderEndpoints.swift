import Web
import Library
import Formats
import HTTPTypes
import Logging
import OpenID
import Storage
import Stories

/// The routes by which people sign in with the operator's OpenID Connect provider, and link their account there.
struct ProviderEndpoints: Sendable {
    let library: StoryLibrary
    /// Speaks with the provider; `nil` if the operator named none.
    let provider: ProviderClient?
    let ways: SignInWays
    let address: PublicAddress
    let languages: PageLanguages
    let logger: Logger

    var all: [Endpoint] { [start, arrival, accounts, link, unlink, join] }

    static let startPath = "/signin/provider"
    static let arrivalPath = "/signin/provider/callback"

    static let next = QueryParameter.optional(
        "next",
        .text(0...OwnPath.mostBytes),
        "The path of this service to open afterwards; by default the map."
    )

    static let page = Endpoint.Success(
        status: .ok,
        mediaType: MediaType.html,
        schema: nil,
        description: "A page that says what went wrong, or asks whether to go on."
    )

    static let redirect = Endpoint.Success(
        status: .seeOther,
        mediaType: MediaType.html,
        schema: nil,
        description: "The browser is sent on."
    )

    private var start: Endpoint {
        Endpoint(
            method: .get,
            path: ProviderEndpoints.startPath,
            name: "beginProviderSignIn",
            summary: "Sends the browser to the operator's OpenID Connect provider to sign in.",
            access: .anyone,
            cost: .normal,
            parameters: [ProviderEndpoints.next],
            cookie: .manages,
            success: [ProviderEndpoints.redirect, ProviderEndpoints.page],
            refusalTypes: [MediaType.html],
            handler: { call in
                let next = try call[ProviderEndpoints.next].flatMap { OwnPath($0) } ?? .map
                // Somebody else's page must not sign people in unasked: theirs would be the session that they end up in.
                guard ["same-origin", "none"].contains(call.headers[.fetchSite] ?? "none") else {
                    return confirmation(next, call)
                }
                return await answering(call, next: next) { provider in
                    let (location, cookie) = try await begin(.signIn, next: next, provider, call)
                    return ProviderEndpoints.redirect(to: location, cookies: [cookie])
                }
            }
        )
    }

    private var arrival: Endpoint {
        Endpoint(
            method: .get,
            path: ProviderEndpoints.arrivalPath,
            name: "endProviderSignIn",
            summary: """
                Takes the provider's answer from the browser, and signs in for 30 days or links the accounts. The browser \
                must be the one that began.
                """,
            access: .anyone,
            cost: .raised,
            // Providers add parameters of their own.
            isLenient: true,
            cookie: .manages,
            success: [ProviderEndpoints.redirect],
            refusalTypes: [MediaType.html],
            handler: { call in
                let cookie = journeyCookie(of: call)
                let journey = cookie.value.flatMap { ProviderJourney(opening: $0, with: seal, at: library.now()) }
                var answer = await answering(call, next: journey?.next ?? .map, purpose: journey?.purpose ?? .signIn) {
                    try await arrive(journey, with: $0, call)
                }
                // Each journey ends with its first answer.
                answer.headers.append(HTTPField(name: .setCookie, value: cookie.clearing))
                return answer
            }
        )
    }
}

// Both ways.
extension ProviderEndpoints {
    /// Seals journeys; sessions do not depend on it.
    private var seal: RowSeal {
        RowSeal(
            secrets: library.store.keys.accepted(.tokens, at: library.now()),
            purpose: "waymark provider journey 1"
        )
    }

    private func journeyCookie(of call: Call) -> ShortCookie {
        ShortCookie("waymark_provider", of: call.headers, isSecure: call.cookie.isSecure)
    }

    private func returnAddress(_ call: Call) -> String {
        address.url(authority: call.authority, headers: call.headers) + ProviderEndpoints.arrivalPath
    }

    /// Begins a journey: returns the address at the provider, and the cookie.
    func begin(
        _ purpose: ProviderJourney.Purpose,
        next: OwnPath,
        _ provider: ProviderClient,
        _ call: Call
    ) async throws -> (location: String, cookie: String) {
        let random = library.random
        let journey = ProviderJourney(
            attempt: SignInAttempt(random: random.bytes(SignInAttempt.randomBytes)),
            purpose: purpose,
            next: next,
            startedAt: library.now()
        )
        let location = try await provider.authorizationAddress(of: journey.attempt, redirect: returnAddress(call))
        let sealed = try journey.sealed(with: seal, random: random)
        return (location, journeyCookie(of: call).setting(sealed, seconds: ProviderJourney.seconds))
    }

    private func arrive(
        _ journey: ProviderJourney?,
        with provider: ProviderClient,
        _ call: Call
    ) async throws -> Answer {
        let answer = AuthorizationAnswer(call.query.all)
        // Before the provider is asked anything.
        guard let journey, answer.belongs(to: journey.attempt) else { throw OpenIDError.answer(.state) }
        try library.signIns.limits.countProvided(by: call.address, at: library.clock.lasting)
        let now = library.now
        let identity = try await provider.identity(
            by: answer,
            to: journey.attempt,
            redirect: returnAddress(call),
            now: { Double(now().milliseconds) / 1_000 }
        )
        switch journey.purpose {
        case .link(let user, let session):
            guard call.viewer.user == user, call.principal.session?.id == session else { throw SessionChanged() }
            try await library.signIns.byProvider.link(identity, to: user)
            return ProviderEndpoints.redirect(to: journey.next.marked("linked=1").text)
        case .signIn: return try await signIn(identity, .signIn, next: journey.next, provider, call)
        case .join(let token):
            let invited = OwnPath("/#invitation=\(token.text)") ?? .map
            return try await signIn(identity, .join(token), next: journey.next, ifKnown: invited, provider, call)
        }
    }

    private func signIn(
        _ identity: ProviderIdentity,
        _ intention: ProviderSignIns.Intention,
        next: OwnPath,
        ifKnown known: OwnPath? = nil,
        _ provider: ProviderClient,
        _ call: Call
    ) async throws -> Answer {
        let (begun, hasJoined) = try await library.signIns.byProvider.begin(
            for: identity,
            intention,
            rules: .init(
                joins: provider.settings.joins,
                invitationsMakeAccounts: ways.invitationsMakeAccounts
            ),
            .init(
                label: BrowserLabel.label(userAgent: call.headers[.userAgent]),
                former: call.cookie.secret,
                client: call.address
            )
        )
        let path = hasJoined ? next : known ?? next
        return ProviderEndpoints.redirect(
            to: path.marked("signed-in=1").text,
            cookies: [call.cookie.setting(begun.secret, seconds: SignInService.seconds)]
        )
    }

    static func redirect(to location: String, cookies: [String] = []) -> Answer {
        // The address has a code in it, which is nobody else's business.
        var headers: HTTPFields = [.location: location, .referrerPolicy: "no-referrer"]
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return Answer(status: .seeOther, headers: headers)
    }
}

/// Somebody signed in or out in the browser that links accounts.
private struct SessionChanged: Error {}

// Pages for people.
extension ProviderEndpoints {
    private func site(_ call: Call) -> PageSite {
        PageSite(
            url: address.url(authority: call.authority, headers: call.headers),
            mediaOrigins: [],
            language: languages.language(for: call.headers),
            languages: languages.all
        )
    }

    private static func startAddress(_ next: OwnPath) -> WebAddress? {
        WebAddress(startPath + "?" + FormText.encode([("next", next.text)]))
    }

    private func confirmation(_ next: OwnPath, _ call: Call) -> Answer {
        guard let provider else { return page(.notSignedIn, .notOffered, status: .notFound, call) }
        let link = (ProviderEndpoints.startAddress(next), SignInText.begin(provider: provider.settings.name))
        return page(.beginTitle, nil, link: link, status: .ok, call)
    }

    /// Runs `body`; whatever it throws becomes a page, which never says whether an account exists.
    private func answering(
        _ call: Call,
        next: OwnPath,
        purpose: ProviderJourney.Purpose = .signIn,
        _ body: (ProviderClient) async throws -> Answer
    ) async -> Answer {
        guard let provider else { return page(.notSignedIn, .notOffered, status: .notFound, call) }
        do {
            return try await body(provider)
        } catch {
            let (status, text) = ProviderEndpoints.words(for: error, provider.settings.name)
            logger.warning(
                "a sign-in with the provider failed",
                metadata: ["why": "\(ProviderEndpoints.reason(error))"]
            )
            // Linking begins in the page, where the person is signed in.
            if case .link = purpose { return page(.notLinked, text, status: status, call) }
            return page(.notSignedIn, text, link: (ProviderEndpoints.startAddress(next), .again), status: status, call)
        }
    }

    private func page(
        _ title: SignInText,
        _ text: SignInText?,
        link: (WebAddress?, SignInText)? = nil,
        status: HTTPResponse.Status,
        _ call: Call
    ) -> Answer {
        let site = site(call)
        let page = SignInPage(title: title, text: text, link: link.map { (address: $0.0, text: $0.1) }, site: site)
        return Answer(
            status: status,
            mediaType: MediaType.html,
            headers: [.contentSecurityPolicy: site.contentPolicy, .referrerPolicy: "no-referrer"],
            body: page.bytes
        )
    }

    /// Returns what the operator may read in the log: no name, no address and nothing that the provider sent.
    static func reason(_ error: any Error) -> String {
        switch error {
        case let error as OpenIDError: error.description
        case let error as ProviderOutage: error.description
        case let error as any RefusalConvertible: error.refusal.code
        case is SessionChanged: "the session changed"
        default: "\(type(of: error))"
        }
    }

    private static func words(for error: any Error, _ name: String) -> (HTTPResponse.Status, SignInText) {
        switch error {
        case let error as OpenIDError: words(for: error, name)
        case is ProviderOutage, is CancellationError: (.badGateway, .outage(provider: name))
        case is SessionChanged: (.conflict, .otherSession)
        case let error as any RefusalConvertible: words(for: error.refusal, name)
        default: (.internalServerError, .outage(provider: name))
        }
    }

    private static func words(for error: OpenIDError, _ name: String) -> (HTTPResponse.Status, SignInText) {
        switch error {
        case .answer(.state): (.badRequest, .lost)
        case .refused(let code) where AuthorizationAnswer.isDenial(code): (.forbidden, .denied(provider: name))
        case .token(let fault) where fault.isOfClocks: (.badGateway, .clocks(provider: name))
        case .metadata, .keys, .refused: (.badGateway, .outage(provider: name))
        case .answer, .exchange, .token: (.badGateway, .distrusted(provider: name))
        }
    }

    private static func words(for refusal: Refusal, _ name: String) -> (HTTPResponse.Status, SignInText) {
        switch refusal.code {
        case Refusal.unknownPerson.code: (.forbidden, .unknown(provider: name))
        case Refusal.linkedElsewhere.code: (.conflict, .linkedElsewhere(provider: name))
        case Refusal.linkedOtherwise.code: (.conflict, .linkedOtherwise(provider: name))
        default:
            switch refusal.kind {
            case .tooMany: (.tooManyRequests, .crowded)
            case .gone, .notFound, .conflict: (.gone, .invitationEnded)
            default: (.serviceUnavailable, .outage(provider: name))
            }
        }
    }
}

extension HTTPField.Name {
    /// `Sec-Fetch-Site`: whose page sends a browser here.
    static let fetchSite = known("Sec-Fetch-Site")
}
