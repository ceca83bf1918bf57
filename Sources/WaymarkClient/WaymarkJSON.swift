import Foundation

/// The JSON of the service: names with underscores, times as RFC 3339.
enum WaymarkJSON: Sendable {
    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            for isPrecise in [true, false] {
                if let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: isPrecise).parse(text) {
                    return date
                }
            }
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(text) is not a time of RFC 3339")
            )
        }
        return try decoder.decode(type, from: data)
    }

    static func encode(_ value: any Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        return try encoder.encode(value)
    }
}
