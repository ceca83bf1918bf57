import Library
import Formats

/// A message that the service sends on its own initiative, as described in the OpenAPI document.
package struct Webhook: Sendable {
    /// A header field of the message, besides the content type, with its meaning as a sentence.
    package typealias Header = (name: String, description: String)

    /// The name under which the document lists the message; also its operation id.
    package var name: String
    /// The purpose of the message, and the effect of each answer.
    package var summary: String
    /// The name of the schema of its body.
    package var schema: String
    /// The meaning of an answer with status 200.
    package var answer: String

    /// Creates a value from its parts.
    package init(name: String, summary: String, schema: String, answer: String) {
        self.name = name
        self.summary = summary
        self.schema = schema
        self.answer = answer
    }
}

extension OpenAPIDocument {
    /// Writes the messages that the service sends on its own initiative; each has all of their headers.
    func writeWebhooks(to json: inout JSONWriter, as version: Version) {
        json.beginObject()
        for webhook in webhooks {
            json.key(webhook.name)
            json.beginObject()
            json.key("post")
            write(webhook, to: &json, as: version)
            json.endObject()
        }
        json.endObject()
    }

    private func write(_ webhook: Webhook, to json: inout JSONWriter, as version: Version) {
        json.beginObject()
        json.member("operationId", webhook.name)
        json.member("summary", webhook.summary)
        json.key("parameters")
        json.beginArray()
        for header in webhookHeaders {
            writeParameter(
                header.name,
                in: "header",
                schema: .text(minBytes: 1, maxBytes: 1_000),
                required: true,
                description: header.description,
                to: &json,
                as: version
            )
        }
        json.endArray()
        json.key("requestBody")
        json.beginObject()
        json.member("required", true)
        writeContent(MediaType.json, schema: .named(webhook.schema), to: &json, as: version)
        json.endObject()
        json.key("responses")
        json.beginObject()
        json.key("200")
        json.beginObject()
        json.member("description", webhook.answer)
        json.endObject()
        json.endObject()
        json.endObject()
    }
}
