import Formats

// Servers of the owner's choice get the text, the link, and at most the message's id and type, but no other data for
// programs.
extension ChannelWriter {
    /// Writes the request that publishes a message as JSON to the root of the server.
    func ntfyRequest(_ message: ChannelMessage, to ntfy: NtfyTarget) -> OutgoingHTTP {
        let body = Payload.fitted(message, most: ChannelWriter.mostPushBytes) { payload in
            var json = JSONWriter(capacity: 1_024)
            json.beginObject()
            json.key("topic")
            json.value(ntfy.topic)
            json.key("title")
            json.value(payload.title)
            json.key("message")
            json.value(payload.body)
            // Servers from version 2.16 replace a message with the same sequence id; older ones ignore it.
            json.key("sequence_id")
            json.value(message.id)
            json.key("priority")
            json.value(message.isQuiet ? 2 : 3)
            if let link = payload.link {
                json.key("click")
                json.value(link)
            }
            json.endObject()
            return json.bytes
        }
        var headers = ChannelWriter.jsonHeaders(message)
        if let token = ntfy.token { headers.append(.init("authorization", "Bearer \(token)")) }
        return OutgoingHTTP(url: ntfy.server.root + "/", headers: headers, body: body)
    }

    /// Writes the request that removes a message from the devices that show it; servers know it from version 2.16 on.
    ///
    /// - Parameters:
    ///   - id: the id of the message.
    ///   - target: the channel through which it was sent.
    /// - Returns: the request.
    /// - Throws: ``ChannelError/badMessage`` for a kind of channel that cannot do this.
    public func withdrawal(of id: String, from target: ChannelTarget) throws -> OutgoingMessage {
        guard case .ntfy(let ntfy) = target.settings, ChannelWriter.isID(id) else { throw ChannelError.badMessage }
        var headers = [OutgoingHTTP.Field("user-agent", ChannelWriter.userAgent)]
        if let token = ntfy.token { headers.append(.init("authorization", "Bearer \(token)")) }
        let url = "\(ntfy.server.root)/\(ntfy.topic)/\(id)"
        return .http(OutgoingHTTP(method: "DELETE", url: url, headers: headers, body: []))
    }

    /// Writes the request, with the token in a header because URLs end up in logs.
    func gotifyRequest(_ message: ChannelMessage, to gotify: GotifyTarget) -> OutgoingHTTP {
        let body = Payload.fitted(message, most: ChannelWriter.mostPushBytes) { payload in
            var json = JSONWriter(capacity: 1_024)
            json.beginObject()
            json.key("title")
            json.value(payload.title)
            json.key("message")
            json.value(payload.body)
            json.key("priority")
            json.value(message.isQuiet ? 2 : 5)
            json.key("extras")
            json.beginObject()
            if let link = payload.link {
                json.key("client::notification")
                json.beginObject()
                json.key("click")
                json.beginObject()
                json.key("url")
                json.value(link)
                json.endObject()
                json.endObject()
            }
            json.key("waymark::message")
            json.beginObject()
            json.key("id")
            json.value(message.id)
            json.key("type")
            json.value(message.type)
            json.endObject()
            json.endObject()
            json.endObject()
            return json.bytes
        }
        let headers = ChannelWriter.jsonHeaders(message) + [.init("x-gotify-key", gotify.token)]
        let url = gotify.server.root + "/message"
        return OutgoingHTTP(url: url, headers: headers, body: body, isRepeatable: ChannelKind.gotify.dropsRepeats)
    }

    /// Writes the request, with the link below the text because Apprise has no field for it.
    func appriseRequest(_ message: ChannelMessage, to apprise: AppriseTarget) -> OutgoingHTTP {
        let body = Payload.fitted(message, most: ChannelWriter.mostPushBytes) { payload in
            var json = JSONWriter(capacity: 1_024)
            json.beginObject()
            json.key("title")
            json.value(payload.title)
            json.key("body")
            json.value(payload.link.map { "\(payload.body)\n\($0)" } ?? payload.body)
            json.key("type")
            json.value(message.type == "sync.failed" ? "failure" : "info")
            json.key("format")
            json.value("text")
            if let tag = apprise.tag {
                json.key("tag")
                json.value(tag)
            }
            json.endObject()
            return json.bytes
        }
        let url = apprise.server.root + "/notify/" + apprise.key
        return OutgoingHTTP(
            url: url,
            headers: ChannelWriter.jsonHeaders(message),
            body: body,
            isRepeatable: ChannelKind.apprise.dropsRepeats
        )
    }
}
