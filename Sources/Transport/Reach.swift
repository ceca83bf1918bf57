import CCurl

/// Finds out whether somebody answers at an address that the operator chose, for a command at their own terminal.
///
/// Unless it is given ranges, it judges no address, so nothing that anybody else can name may be asked here. Its calls
/// block the thread for a few seconds at most.
package enum Reach: Sendable {
    /// An answer over HTTP.
    package struct Answer: Sendable {
        /// The status.
        package let status: Int
        /// The body.
        package let body: [UInt8]
    }

    /// The version of libcurl and of what encrypts for it, such as `7.88.1 OpenSSL/3.0.17`.
    package static var library: String {
        let words = String(cString: curl_version()).split(separator: " ").prefix(2)
        return words.joined(separator: " ").replacing("libcurl/", with: "")
    }

    /// Connects, checks the certificate of an encrypted connection, and hangs up before anything is said.
    ///
    /// Returns what is in the way; `nil` if somebody answers. `certificates` is a file to trust instead of the system's.
    /// With `ranges`, only public addresses and these are dialled, as by ``OutboundTransport``; without, all are.
    package static func obstacle(
        host: String,
        port: Int,
        isEncrypted: Bool,
        certificates: String? = nil,
        allowing ranges: [AddressRange]? = nil,
        within limit: Duration = .seconds(3)
    ) -> OutboundError? {
        guard (1...65_535).contains(port) else { return .badURL(.port) }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        guard !bare.isEmpty, bare.utf8.allSatisfy(isOfHost) else { return .badURL(.host) }
        let name = bare.contains(":") ? "[\(bare)]" : bare
        guard let easy = handle("\(isEncrypted ? "https" : "http")://\(name):\(port)/", within: limit) else {
            return .failed(Int(CURLE_FAILED_INIT.rawValue))
        }
        defer { curl_easy_cleanup(easy) }
        var codes = [
            wm_easy_set_long(easy, CURLOPT_CONNECT_ONLY, 1),
            // What speaks no HTTP need not agree on a version of it.
            wm_easy_set_long(easy, CURLOPT_SSL_ENABLE_ALPN, 0),
        ]
        if let certificates { codes.append(wm_easy_set_text(easy, CURLOPT_CAINFO, certificates)) }
        let dial = GuardedDial(AddressGuard(allowed: ranges ?? []))
        if ranges != nil {
            codes.append(
                wm_easy_set_socket_function(easy, dialFunction, Unmanaged.passUnretained(dial).toOpaque())
            )
        }
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { return .failed(Int(CURLE_FAILED_INIT.rawValue)) }
        let code = withExtendedLifetime(dial) { curl_easy_perform(easy) }
        guard code != CURLE_OK else { return nil }
        return dial.isRefused ? .refusedAddress : Transfer.error(code)
    }

    /// Asks a service on this machine, whatever name its certificate has.
    ///
    /// - Throws: ``OutboundError`` if it does not answer, or not in HTTP.
    package static func ask(_ url: String, within limit: Duration = .seconds(5)) throws(OutboundError) -> Answer {
        guard let easy = handle(url, within: limit) else { throw .failed(Int(CURLE_FAILED_INIT.rawValue)) }
        defer { curl_easy_cleanup(easy) }
        let received = ReceivedBody()
        let codes = [
            // It is asked by its address, which no certificate names, and nothing is sent that others may not know.
            wm_easy_set_long(easy, CURLOPT_SSL_VERIFYPEER, 0), wm_easy_set_long(easy, CURLOPT_SSL_VERIFYHOST, 0),
            wm_easy_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(received).toOpaque()),
            wm_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION, receiveFunction),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { throw .failed(Int(CURLE_FAILED_INIT.rawValue)) }
        let code = withExtendedLifetime(received) { curl_easy_perform(easy) }
        let status = wm_easy_get_long(easy, CURLINFO_RESPONSE_CODE)
        guard code == CURLE_OK, status >= 200 else { throw Transfer.error(code) }
        return Answer(status: status, body: received.bytes)
    }

    /// Returns a handle that reads nothing from the environment; `nil` if libcurl rejects it.
    private static func handle(_ url: String, within limit: Duration) -> UnsafeMutableRawPointer? {
        guard OutboundTransport.isReady, let easy = curl_easy_init() else { return nil }
        let codes = [
            wm_easy_set_text(easy, CURLOPT_URL, url), wm_easy_set_protocols(easy, 0, 1),
            wm_easy_set_long(easy, CURLOPT_NOSIGNAL, 1), wm_easy_set_text(easy, CURLOPT_PROXY, ""),
            wm_easy_set_text(easy, CURLOPT_NOPROXY, "*"), wm_easy_set_long(easy, CURLOPT_NETRC, 0),
            wm_easy_set_long(easy, CURLOPT_FOLLOWLOCATION, 0), wm_easy_set_quick_exit(easy),
            wm_easy_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            wm_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, limit.milliseconds),
            wm_easy_set_long(easy, CURLOPT_TIMEOUT_MS, limit.milliseconds),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else {
            curl_easy_cleanup(easy)
            return nil
        }
        return easy
    }

    /// Whether a byte may be in a name or an IP address.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}

/// Opens the sockets of a connection whose addresses are judged; used on one thread.
private final class GuardedDial {
    private let guardian: AddressGuard
    /// Whether an address was refused.
    private(set) var isRefused = false

    init(_ guardian: AddressGuard) { self.guardian = guardian }

    func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        var buffer = [UInt8](repeating: 0, count: 16)
        var port: UInt16 = 0
        let count = wm_address_bytes(address, &buffer, &port)
        guard let dialled = IPAddress(bytes: Array(buffer.prefix(Int(count)))), guardian.allows(dialled) else {
            isRefused = true
            return curl_socket_t(CURL_SOCKET_BAD)
        }
        return wm_open_socket(address)
    }
}

/// Checks an address and opens a socket.
private let dialFunction: wm_socket_function = { context, _, address in
    guard let context, let address else { return curl_socket_t(CURL_SOCKET_BAD) }
    return Unmanaged<GuardedDial>.fromOpaque(context).takeUnretainedValue().open(address)
}

/// The body of an answer while it arrives; used on one thread.
private final class ReceivedBody {
    /// The maximum length in bytes; a longer answer is none of ours.
    static let most = 65_536

    var bytes: [UInt8] = []
}

/// Receives pieces of a body.
private let receiveFunction: wm_data_function = { bytes, size, count, context in
    guard let bytes, let context else { return 0 }
    let received = Unmanaged<ReceivedBody>.fromOpaque(context).takeUnretainedValue()
    guard received.bytes.count + size * count <= ReceivedBody.most else { return 0 }
    received.bytes += UnsafeRawBufferPointer(start: bytes, count: size * count)
    return size * count
}
