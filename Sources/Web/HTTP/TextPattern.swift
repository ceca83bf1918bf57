/// The patterns of texts, as regular expressions of ECMA-262 for the OpenAPI document.
package enum TextPattern: Sendable {
    /// The number of a reference system, such as `EPSG:26918`.
    package static let referenceSystem = "^(EPSG|epsg):[0-9]{1,6}$"
    /// Any text without NUL, which no text of the service contains.
    package static let any = #"^[^\u0000]*$"#
    /// One line without control characters.
    static let line = #"^[^\u0000-\u001f\u007f]*$"#
    /// A part of a path; characters that are special in a URL appear as `%` and two digits.
    static let pathPart = #"^[^/\u0000]+$"#
    /// A word of an open set, such as the kind of a story.
    package static let word = "^[a-z][a-z0-9_]*$"
    /// The type of a notification, such as `comment.new`.
    package static let noticeType = "^[a-z][a-z0-9_.-]*$"
    /// Latitude and longitude, separated by a comma.
    package static let position = #"^ *-?[0-9]{1,2}(\.[0-9]+)? *, *-?[0-9]{1,3}(\.[0-9]+)? *$"#
    /// An e-mail address, roughly.
    package static let email = #"^[^@\s\u0000]+@[^@\s\u0000]+\.[^@\s\u0000]+$"#
    /// Four numbers, separated by commas.
    package static let box = #"^-?[0-9]{1,3}(\.[0-9]+)?(,-?[0-9]{1,3}(\.[0-9]+)?){3}$"#
    /// A day, whose year may be negative.
    package static let day = "^-?[0-9]{4}-[0-9]{2}-[0-9]{2}$"
    /// A month and a day.
    package static let dayOfYear = "^(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"

    /// Returns the pattern of a text in a named format of JSON Schema.
    package static func of(format: String?) -> String {
        switch format {
        case "date-time":
            #"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$"#
        case "date": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
        default: any
        }
    }
}
