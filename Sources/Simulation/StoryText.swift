import Formats
import Geometry

/// Stories whose title and text say the same, so that half a change shows.
enum StoryText {
    /// The body of the request that makes a story.
    static func body(of name: String, _ privacy: String, at point: Coordinate) -> String {
        let location = "{\"lat\":\(point.latitude),\"lon\":\(point.longitude),\"name\":\"\(name)\"}"
        return "{\"kind\":\"photo\",\(words(of: name, version: 0)),\"privacy\":\"\(privacy)\",\"location\":\(location)}"
    }

    /// The members that a change of a story gives anew.
    static func words(of name: String, version: Int) -> String {
        let text = Array(repeating: "text v\(version)", count: 60).joined(separator: " ")
        return "\"title\":\"\(name) v\(version)\",\"text\":\"\(text)\""
    }

    /// The name in a title.
    static func name(in title: String) -> String { title.split(separator: " ").first.map(String.init) ?? title }

    /// The value of a story as a fact.
    static func value(title: String, text: String?, privacy: String) -> String {
        let version = title.split(separator: " ").last.map(String.init) ?? ""
        let isOne = text == Array(repeating: "text \(version)", count: 60).joined(separator: " ")
        return isOne ? "\(version) \(privacy)" : "\(version) with another text \(privacy)"
    }
}
