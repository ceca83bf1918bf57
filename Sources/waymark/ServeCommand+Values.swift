import App
import ArgumentParser
import Foundation
import Logging
import Notifications
import Settings

extension ServeCommand {
    /// Returns everything that is wrong with the options, in the order in which it is checked.
    ///
    /// Each rule is checked by itself, so that one does not hide another.
    func objections() async -> [any Error] {
        var found = plainObjections()
        do {
            let silent = Logger(label: "check") { _ in SwiftLogNoOpLogHandler() }
            _ = try await issuer.outsideIssuer(logger: silent)
        } catch {
            found.append(error)
        }
        return found
    }

    /// Returns what is wrong with the options, except for the keys of another issuer.
    private func plainObjections() -> [any Error] {
        var rules: [() throws -> Void] = [checkNumbers, checkHost, checkAddress]
        for origin in origins { rules.append { try ServeCommand.checkOrigin(origin) } }
        for origin in mediaOrigins { rules.append { _ = try ServeCommand.site(origin, option: "--media-origin") } }
        for site in embedders { rules.append { _ = try ServeCommand.site(site, option: "--allow-embedding") } }
        for scheme in linkSchemes { rules.append { try ServeCommand.checkLinkScheme(scheme) } }
        rules += limits.rules
        rules.append { _ = try encryption.certificates() }
        rules.append { _ = try backups.plan() }
        rules += sendingOptions.rules
        rules.append { _ = try provider.settings(certificates: sendingOptions.certificates) }
        rules.append { _ = try messaging.broker() }
        rules += [checkMetricsPort, checkFolder, checkDatabase, space.checkOrder]
        return rules.compactMap { rule -> (any Error)? in
            do {
                try rule()
                return nil
            } catch {
                return error
            }
        }
    }

    private func checkFolder() throws {
        let folder = URL(fileURLWithPath: database.path).deletingLastPathComponent().path
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        throw CommandFailure.usage(
            "--database: the folder \(folder) does not exist. Make it with \"mkdir -p '\(folder)'\", or give another --database."
        )
    }

    /// Rejects a path at which no database can be; what is in a file is read when it is opened.
    private func checkDatabase() throws {
        let path = URL(fileURLWithPath: database.path).resolvingSymlinksInPath().path
        let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        guard let type, type != .typeRegular else { return }
        let what = type == .typeDirectory ? "a folder" : "a device or a pipe, so no database can be in it"
        throw CommandFailure.usage("--database: \(database.path) is \(what). Give a file as --database.")
    }

    private func checkNumbers() throws {
        guard (0...65_535).contains(port) else { throw CommandFailure.usage("--port must be between 0 and 65535.") }
        guard (0...100_000).contains(retentionDays) else {
            throw CommandFailure.usage("--retention-days must be between 0 and 100000.")
        }
    }

    private func checkHost() throws {
        let isLoopback = ["127.0.0.1", "localhost", "::1"].contains(host)
        guard !(demo && dev) else { throw CommandFailure.usage("Give either --demo or --dev.") }
        if dev, !isLoopback { throw CommandFailure.usage("--dev listens on this machine only; leave out --host.") }
        if demo, !isLoopback { throw CommandFailure.usage("--demo listens on this machine only; leave out --host.") }
        let isEncrypted = try encryption.files() != nil
        guard isLoopback || trustedProxy || isEncrypted else {
            throw CommandFailure.usage(
                "--host \(host): other machines are served with TLS alone. Give --tls-certificate and --tls-key, or use a "
                    + "proxy with TLS and give --trusted-proxy."
            )
        }
    }

    private func checkAddress() throws {
        let url = try publicURL.map(ServeCommand.address)
        guard url != nil || !ServeCommand.isEveryAddress(host) else {
            throw CommandFailure.usage(
                "--host \(host) means every address of this machine and cannot be used in links. Give the URL of the "
                    + "service, such as --public-url https://stories.example.org"
            )
        }
    }

    private func checkMetricsPort() throws {
        guard watch.metricsPort != port else {
            throw CommandFailure.usage("--metrics-port and --port are both \(port); give one of them another number.")
        }
    }

    /// Returns whether a host to listen on stands for every address of the machine, in any notation.
    static func isEveryAddress(_ host: String) -> Bool {
        var v4 = in_addr()
        // As interpreted by the system: `0` and `0x0` are the same as `0.0.0.0`.
        if inet_aton(host, &v4) != 0 { return v4.s_addr == 0 }
        var v6 = in6_addr()
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard inet_pton(AF_INET6, bare, &v6) == 1 else { return host.isEmpty }
        let bytes = withUnsafeBytes(of: v6, Array.init)
        // ::ffff:0.0.0.0 is the IPv6 equivalent.
        return bytes.allSatisfy { $0 == 0 } || bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0]
    }

    /// Parses a time such as `30s`, `2min` or `30`, in seconds up to an hour.
    @Sendable static func seconds(_ text: String) throws -> Int {
        let unit = text.hasSuffix("min") ? 60 : 1
        let digits = text.hasSuffix("min") ? text.dropLast(3) : text.hasSuffix("s") ? text.dropLast() : text[...]
        guard let count = Int(digits), count >= 0, count <= 3_600 / unit else {
            throw ValidationError("\(excerpt(text)) is not a time such as 30s or 2min, of at most an hour.")
        }
        return count * unit
    }

    /// Parses the public URL of the service; a trailing slash is removed.
    static func address(_ text: String) throws -> String {
        guard let url = URL(string: text), let host = url.host, !host.isEmpty, url.query == nil, url.fragment == nil,
            url.user == nil, url.password == nil, ["http", "https"].contains(url.scheme?.lowercased()),
            text.utf8.count <= 2_000
        else {
            throw CommandFailure.usage(
                "--public-url: \(Setting.shownAddress(text)) is not a URL such as https://stories.example.org, without a user "
                    + "name, ? and #."
            )
        }
        return text.last == "/" ? String(text.dropLast()) : text
    }

    /// Rejects a value that no browser would send as an origin.
    static func checkOrigin(_ text: String) throws {
        guard let url = URL(string: text), let host = url.host, !host.isEmpty, url.path.isEmpty, url.query == nil,
            url.fragment == nil, url.user == nil, url.password == nil, let scheme = url.scheme,
            ["http", "https"].contains(scheme), text == text.lowercased(), text.utf8.count <= 2_000
        else {
            throw CommandFailure.usage(
                "--allow-origin: \(Setting.shownAddress(text)) is not an origin such as https://app.example, in lower case "
                    + "without a path."
            )
        }
    }

    /// Parses an origin that policies of the page name.
    static func site(_ text: String, option: String) throws -> MediaOrigin {
        guard let origin = MediaOrigin(text) else {
            throw CommandFailure.usage(
                "\(option): \(Setting.shownAddress(text)) is not an origin such as https://media.example, in lower case, without a path "
                    + "and without the default port; http:// only for this machine."
            )
        }
        return origin
    }

    /// Rejects a value that cannot be the scheme of an app's links.
    static func checkLinkScheme(_ text: String) throws {
        guard LinkTemplate.isScheme(text) else {
            throw CommandFailure.usage(
                "--link-scheme: \(Setting.shownAddress(text)) is not the scheme of an app's links, such as myapp. It must have 2 to 64 "
                    + "characters of a-z, 0-9, +, - and ., and must not be a scheme that browsers run or open."
            )
        }
    }
}
