package import Formats

/// One row in any format, before validation: texts by field.
package struct ImportRecord: Sendable {
    /// The line or number of the row in its file.
    package let row: Int
    /// The filled fields, trimmed.
    package var values: [ImportField: String] = [:]
    /// The text without the addresses of its links, if it has any.
    package var bareText: String?
    /// Further paragraphs of the text: what the file says in elements that no field has.
    package var paragraphs: [String] = []
    /// Fields given as lists instead of one text.
    package var lists: [ImportField: [String]] = [:]
    /// Easting and northing, or longitude and latitude, from the geometry of the row.
    package var position: GeoJSONFeature.Position?
    /// The geometry, if it is more than the point ``position``.
    package var drawn: JSONValue?
    /// Whether the row has a geometry, so that `lat` and `lon` are not read.
    package var hasGeometry = false
    /// The places besides the location, as JSON objects.
    package var places: [JSONValue] = []
    /// The column by which the file says in every row who may see the story: the privacy, or whether it is public.
    ///
    /// An empty cell of it is an error and not the default.
    package var audience: ImportField?
    /// The problems found while reading.
    package var problems: [Finding] = []
    /// The digest of the whole content of the row, which identifies a row without an id.
    package var digest = ContentDigest()

    package init(row: Int) {
        self.row = row
    }

    /// A problem without its file and row.
    package struct Finding: Sendable {
        package let severity: ImportProblem.Severity
        package let field: ImportField?
        /// What follows the field's name, for a part of it: `[2].role`.
        package var member = ""
        package let message: String
    }

    /// Adds an error.
    package mutating func fail(_ field: ImportField?, _ message: String) {
        problems.append(Finding(severity: .error, field: field, message: message))
    }

    /// Adds a warning of a geometry without positions.
    mutating func warnOfEmpty(_ type: String, _ field: ImportField?) {
        warn(field, "the \(type.prefix(40)) is empty and gives no place")
    }

    /// Adds a warning.
    package mutating func warn(_ field: ImportField?, _ message: String) {
        problems.append(Finding(severity: .warning, field: field, message: message))
    }
}
