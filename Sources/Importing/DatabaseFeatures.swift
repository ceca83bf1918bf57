/// Reads the features of a database, which this target cannot open itself.
package struct DatabaseFeatures: Sendable {
    /// What was found in a database.
    package struct Found: Sendable {
        /// A FeatureCollection; its `crs` names the reference system, if there is one.
        package let geoJSON: [UInt8]
        /// What was not read, for people, each without a full stop.
        package let remarks: [String]

        package init(geoJSON: [UInt8], remarks: [String]) { (self.geoJSON, self.remarks) = (geoJSON, remarks) }
    }

    /// The reason a database cannot be read.
    package struct Failure: Error {
        /// One sentence without a full stop.
        package let reason: String

        package init(reason: String) { self.reason = reason }
    }

    private let body: @Sendable (_ bytes: [UInt8], _ limit: Int) throws(Failure) -> Found?

    /// Creates a reader; it returns `nil` for bytes that are not a database of its kind, and at most `limit` bytes.
    package init(_ body: @escaping @Sendable (_ bytes: [UInt8], _ limit: Int) throws(Failure) -> Found?) {
        self.body = body
    }

    func read(_ bytes: [UInt8], name: String, limit: Int) throws(ImportProblem) -> Found? {
        do throws(Failure) {
            return try body(bytes, limit)
        } catch {
            throw ImportProblem(file: name, severity: .error, message: error.reason)
        }
    }
}
