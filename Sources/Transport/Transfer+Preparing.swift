import CCurl

// Configuration of libcurl.
extension Transfer {
    /// Sets all options; returns `false` if libcurl rejects one.
    func prepare() -> Bool {
        let isPrepared =
            switch ticket.job {
            case .http(let request, let url): prepare(request, url)
            case .mail(let mail, let server): prepare(mail, server)
            }
        return isPrepared && prepareAlways()
    }

    /// Sets the options common to all transfers: nothing from the environment, no redirects or proxies, and a check of
    /// every address when dialling.
    private func prepareAlways() -> Bool {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let codes = [
            set(CURLOPT_NOSIGNAL, 1), set(CURLOPT_PROXY, ""), set(CURLOPT_NOPROXY, "*"), set(CURLOPT_NETRC, 0),
            set(CURLOPT_FOLLOWLOCATION, 0), set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1), set(CURLOPT_HTTP09_ALLOWED, 0),
            set(CURLOPT_DNS_CACHE_TIMEOUT, 0), wm_easy_set_quick_exit(easy), set(CURLOPT_BUFFERSIZE, 16_384),
            set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), set(CURLOPT_SSL_VERIFYPEER, 1),
            set(CURLOPT_SSL_VERIFYHOST, 2), set(CURLOPT_CONNECTTIMEOUT_MS, options.connectTimeout.milliseconds),
            set(CURLOPT_TIMEOUT_MS, options.timeout.milliseconds),
            wm_easy_set_pointer(easy, CURLOPT_PRIVATE, context),
            wm_easy_set_pointer(easy, CURLOPT_WRITEDATA, context),
            wm_easy_set_pointer(easy, CURLOPT_HEADERDATA, context),
            wm_easy_set_pointer(easy, CURLOPT_READDATA, context),
            wm_easy_set_data_function(easy, CURLOPT_WRITEFUNCTION, writeFunction),
            wm_easy_set_data_function(easy, CURLOPT_HEADERFUNCTION, headerFunction),
            wm_easy_set_data_function(easy, CURLOPT_READFUNCTION, readFunction),
            wm_easy_set_socket_function(easy, socketFunction, context),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { return false }
        return options.certificates.map { set(CURLOPT_CAINFO, $0) == CURLE_OK } ?? true
    }

    private func prepare(_ request: OutboundRequest, _ url: OutboundURL) -> Bool {
        var lines = request.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // A field without a value makes libcurl omit the header it would otherwise add.
        lines.append("Expect:")
        if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            lines.append("Content-Type:")
        }
        guard let header = list(lines) else { return false }
        var codes = [
            set(CURLOPT_URL, url.text), set(CURLOPT_PATH_AS_IS, 1), wm_easy_set_list(easy, CURLOPT_HTTPHEADER, header),
            wm_easy_set_protocols(easy, 0, options.allowsHTTP ? 1 : 0),
            // Connections are limited in time, because the addresses of names change.
            set(CURLOPT_MAXAGE_CONN, 60), set(CURLOPT_MAXLIFETIME_CONN, 600),
            set(CURLOPT_FRESH_CONNECT, request.isRepeatable ? 0 : 1),
            set(CURLOPT_FORBID_REUSE, request.isRepeatable ? 0 : 1),
        ]
        // The TLS handshake shows whether requests can share a connection (HTTP/2). Without TLS, requests would wait
        // for an answer to find out.
        let isEncrypted = url.scheme == "https"
        codes.append(set(CURLOPT_HTTP_VERSION, Int(isEncrypted ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)))
        codes.append(set(CURLOPT_PIPEWAIT, isEncrypted ? 1 : 0))
        if request.method == "GET" || request.method == "DELETE" && request.body.isEmpty {
            codes.append(set(CURLOPT_HTTPGET, 1))
        } else {
            codes.append(set(CURLOPT_POST, 1))
            codes.append(wm_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(request.body.count)))
            var body = request.body
            // libcurl copies the body, using the size set above.
            codes.append(
                body.withUnsafeMutableBytes { wm_easy_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
            )
        }
        if request.method == "PUT" || request.method == "DELETE" {
            codes.append(set(CURLOPT_CUSTOMREQUEST, request.method))
        }
        return codes.allSatisfy { $0 == CURLE_OK } && prepareName(url)
    }

    /// Passes the addresses returned by the test resolver, if there is one, to libcurl.
    private func prepareName(_ url: OutboundURL) -> Bool {
        guard let resolver = options.resolver, url.literal == nil else { return true }
        let addresses = resolver(url.host).map { $0.contains(":") ? "[\($0)]" : $0 }
        guard !addresses.isEmpty, let names = list(["\(url.authority):\(addresses.joined(separator: ","))"]) else {
            return false
        }
        return wm_easy_set_list(easy, CURLOPT_RESOLVE, names) == CURLE_OK
    }

    private func prepare(_ mail: OutboundMail, _ server: MailServer) -> Bool {
        let scheme = server.security == .tls ? "smtps" : "smtp"
        guard let recipients = list(["<\(mail.to)>"]) else { return false }
        let encryption = server.security == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL
        var codes = [
            set(CURLOPT_URL, "\(scheme)://\(server.host):\(server.port)/\(mail.domain)"),
            wm_easy_set_protocols(easy, 1, 0), set(CURLOPT_USE_SSL, Int(encryption.rawValue)),
            set(CURLOPT_MAIL_FROM, "<\(mail.from)>"), wm_easy_set_list(easy, CURLOPT_MAIL_RCPT, recipients),
            set(CURLOPT_UPLOAD, 1), wm_easy_set_size(easy, CURLOPT_INFILESIZE_LARGE, Int64(mail.bytes.count)),
            set(CURLOPT_FRESH_CONNECT, 1), set(CURLOPT_FORBID_REUSE, 1),
        ]
        if let login = server.login {
            codes.append(set(CURLOPT_USERNAME, login.user))
            codes.append(set(CURLOPT_PASSWORD, login.password))
        }
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    private func set(_ option: CURLoption, _ value: Int) -> CURLcode { wm_easy_set_long(easy, option, value) }

    private func set(_ option: CURLoption, _ value: String) -> CURLcode { wm_easy_set_text(easy, option, value) }

    /// Creates a libcurl list that lives as long as the transfer.
    private func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                return nil
            }
            list = longer
        }
        if let list { lists.append(list) }
        return list
    }
}

extension Duration {
    /// The duration in whole milliseconds, at least one, at most about 24 days.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(min(2_000_000_000, max(1, min(2_000_000, seconds) * 1000 + attoseconds / 1_000_000_000_000_000)))
    }
}
