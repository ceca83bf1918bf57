import CCurl

/// One transfer: a libcurl handle and the data received through it.
///
/// Used only on the loop's thread.
final class Transfer {
    let ticket: Ticket
    let easy: UnsafeMutableRawPointer
    let options: OutboundOptions
    private let guardian: AddressGuard
    /// The lists that libcurl reads during the transfer.
    var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var sent = 0
    private var headerBytes = 0
    private var headers: [String: String] = [:]
    private var body: [UInt8] = []
    /// The status in the complete header, or 0.
    private var status = 0
    private var pendingStatus = 0
    private var isHeaderTooLarge = false
    private var isBodyCut = false
    private var isRefused = false
    /// The last reply of a mail server, and the last negative one.
    private var reply: (code: Int, line: [UInt8])?
    private var badReply: (code: Int, line: [UInt8])?

    /// Prepares a handle; `nil` if libcurl rejects an option, so that nothing is sent with incomplete options.
    init?(ticket: Ticket, options: OutboundOptions) {
        guard let easy = curl_easy_init() else { return nil }
        self.ticket = ticket
        self.easy = easy
        self.options = options
        guardian = options.guardian
        guard prepare() else { return nil }
    }

    deinit {
        curl_easy_cleanup(easy)
        for list in lists { curl_slist_free_all(list) }
    }

    /// Returns the result of the transfer.
    func outcome(_ code: CURLcode) -> Result<OutboundResponse, any Error> {
        if case .mail = ticket.job { return mailOutcome(code) }
        if isHeaderTooLarge { return .failure(OutboundError.answerTooLarge) }
        if status >= 200 {
            let version = wm_easy_get_long(easy, CURLINFO_HTTP_VERSION)
            let response = OutboundResponse(
                status: status,
                headers: headers,
                body: body,
                isComplete: code == CURLE_OK && !isBodyCut,
                version: version == Int(CURL_HTTP_VERSION_2_0) ? 2 : 1
            )
            return .success(response)
        }
        return .failure(error(code))
    }

    private func mailOutcome(_ code: CURLcode) -> Result<OutboundResponse, any Error> {
        if code == CURLE_OK, let reply {
            return .success(OutboundResponse(status: reply.code, body: reply.line, version: 0))
        }
        if isHeaderTooLarge { return .failure(OutboundError.answerTooLarge) }
        if let badReply {
            return .success(OutboundResponse(status: badReply.code, body: badReply.line, version: 0))
        }
        return .failure(error(code))
    }

    private func error(_ code: CURLcode) -> OutboundError { isRefused ? .refusedAddress : Transfer.error(code) }

    /// Returns what a code of libcurl means where no answer was received.
    static func error(_ code: CURLcode) -> OutboundError {
        switch code {
        case CURLE_OK, CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            return .badAnswer
        case CURLE_COULDNT_RESOLVE_HOST: return .couldNotResolve
        case CURLE_COULDNT_CONNECT: return .couldNotConnect
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CERTPROBLEM,
            CURLE_LOGIN_DENIED:
            return .insecure
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM, CURLE_HTTP2:
            return .closedEarly
        default: return .failed(Int(code.rawValue))
        }
    }
}

// Callbacks of libcurl.
extension Transfer {
    /// Checks an IP address that is about to be dialled, and opens the socket if it is allowed.
    fileprivate func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        var buffer = [UInt8](repeating: 0, count: 16)
        var port: UInt16 = 0
        let count = wm_address_bytes(address, &buffer, &port)
        guard let dialled = IPAddress(bytes: Array(buffer.prefix(Int(count)))), mayDial(dialled, port: Int(port)) else {
            isRefused = true
            return curl_socket_t(CURL_SOCKET_BAD)
        }
        return wm_open_socket(address)
    }

    private func mayDial(_ address: IPAddress, port: Int) -> Bool {
        switch ticket.job {
        case .http(_, let url): port == url.port && guardian.allows(address)
        // The operator chose this server; nobody else can.
        case .mail(_, let server): port == server.port
        }
    }

    /// Processes a line of an HTTP header or of a mail server's reply; `false` ends the transfer.
    fileprivate func takeHeader(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        headerBytes += line.count
        guard headerBytes <= options.mostHeaderBytes else {
            isHeaderTooLarge = true
            return false
        }
        let text = line.prefix { $0 != 0x0D && $0 != 0x0A }
        if case .mail = ticket.job {
            takeReply(text)
        } else if text.isEmpty {
            status = pendingStatus
        } else if text.starts(with: "HTTP/".utf8) {
            headers = [:]
            status = 0
            pendingStatus = wm_easy_get_long(easy, CURLINFO_RESPONSE_CODE)
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")), headers.count < 100 {
            let name = String(decoding: text[..<colon], as: UTF8.self).lowercased()
            let value = String(decoding: text[text.index(after: colon)...], as: UTF8.self)
            if headers[name] == nil { headers[name] = value.withoutBlanks }
        }
        return true
    }

    private func takeReply(_ line: Slice<UnsafeBufferPointer<UInt8>>) {
        // 221 closes the session, after all relevant replies.
        guard let code = Int(String(decoding: line.prefix(3), as: UTF8.self)), (200..<600).contains(code), code != 221
        else { return }
        reply = (code, Array(line.prefix(512)))
        if code >= 400 { badReply = reply }
    }

    /// Processes a piece of the body; `false` ends the transfer, because enough was read.
    fileprivate func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let room = options.mostAnswerBytes - body.count
        body += bytes.prefix(max(0, room))
        isBodyCut = bytes.count > room
        return !isBodyCut
    }

    /// Provides the next piece of an e-mail.
    fileprivate func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard case .mail(let mail, _) = ticket.job else { return 0 }
        let piece = mail.bytes[sent...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        sent += piece.count
        return piece.count
    }
}

/// Returns the transfer behind a context from libcurl.
///
/// It is alive: libcurl calls back only while its handle exists, and the transfer owns the handle.
private func transfer(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
}

private func buffer(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count).bindMemory(to: UInt8.self)
}

/// Receives pieces of a body.
let writeFunction: wm_data_function = { bytes, size, count, context in
    transfer(context)?.takeBody(buffer(bytes, size * count)) == true ? size * count : 0
}

/// Receives lines of a header.
let headerFunction: wm_data_function = { bytes, size, count, context in
    transfer(context)?.takeHeader(buffer(bytes, size * count)) == true ? size * count : 0
}

/// Provides pieces of an e-mail.
let readFunction: wm_data_function = { bytes, size, count, context in
    transfer(context)?.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? 0
}

/// Checks an address and opens a socket.
let socketFunction: wm_socket_function = { context, _, address in
    guard let transfer = transfer(context), let address else { return curl_socket_t(CURL_SOCKET_BAD) }
    return transfer.open(address)
}

extension String {
    /// The text without leading and trailing spaces and tabs.
    var withoutBlanks: String {
        var text = self[...]
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
