import Library
import Foundation
import HTTPTypes

/// Finds the secrets of apps that cannot send a bearer token.
enum AppCredential: Sendable {
    /// Returns the credentials of a request, with a secret found elsewhere converted to a bearer token.
    ///
    /// The password of HTTP Basic authentication (RFC 7617) is accepted with any user name. Without an `Authorization`
    /// header, the endpoint looks for the secret in the query; it is used only if it begins like one of our keys.
    static func credentials(
        _ headers: HTTPFields,
        of endpoint: Endpoint,
        query: [String: [String]]
    ) -> Credentials {
        var credentials = Credentials(headers)
        let find = endpoint.credential
        guard find != nil || endpoint.cookie == .yieldsToPassword else { return credentials }
        guard let authorization = credentials.authorization else {
            let secret = endpoint.keyCookie.flatMap { cookie($0, in: headers) } ?? find?(query)
            return bearing(secret, credentials)
        }
        guard let password = password(authorization) else { return credentials }
        credentials.authorization = "Bearer " + password
        return credentials
    }

    /// Returns the credentials with `secret`, found outside `Authorization`, as the bearer token if it begins like one
    /// of our keys; otherwise returns them unchanged.
    static func bearing(_ secret: String?, _ credentials: Credentials) -> Credentials {
        guard let secret, secret.hasPrefix(SecretText.Kind.key.rawValue) else { return credentials }
        var credentials = credentials
        credentials.authorization = "Bearer " + secret
        return credentials
    }

    private static func cookie(_ name: String, in headers: HTTPFields) -> String? {
        let start = name + "="
        for field in headers[values: .cookie] {
            for pair in field.split(separator: ";") {
                let pair = pair.drop { $0 == " " || $0 == "\t" }
                if pair.hasPrefix(start) { return String(pair.dropFirst(start.count)) }
            }
        }
        return nil
    }

    private static func password(_ authorization: String) -> String? {
        let parts = authorization.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let text = String(validating: data, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        let password = text[text.index(after: colon)...]
        // A space would split the header value into three parts.
        return password.isEmpty || password.contains(" ") ? nil : String(password)
    }
}
