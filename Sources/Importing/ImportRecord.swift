package import Formats

/// One row of any format, before it is judged: texts by field.
package struct ImportRecord: Sendable {
    /// The line or number of the row in its file.
    package let row: Int
    /// The filled fields, trimmed.
    package var values: [ImportField: String] = [:]
    /// Fields that came as lists instead of one text.
    package var lists: [ImportField: [String]] = [:]
    /// East and north, or longitude and latitude, when the format has geometries.
    package var position: GeoJSONFeature.Position?
    /// Whether the format has geometries, so that `lat` and `lon` are not looked for.
    package var hasGeometry = false
    /// What was already wrong on reading.
    package var problems: [Finding] = []
    /// All that the row says, for a digest that tells it from others.
    package var digest = ContentDigest()

    package init(row: Int) {
        self.row = row
    }

    /// A problem whose file and row are known from elsewhere.
    package struct Finding: Sendable {
        package let severity: ImportProblem.Severity
        package let field: ImportField?
        package let message: String
    }

    /// Adds an error.
    package mutating func fail(_ field: ImportField?, _ message: String) {
        problems.append(Finding(severity: .error, field: field, message: message))
    }

    /// Adds a warning.
    package mutating func warn(_ field: ImportField?, _ message: String) {
        problems.append(Finding(severity: .warning, field: field, message: message))
    }
}
