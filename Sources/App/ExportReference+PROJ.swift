package import Projections
import Storage
import Web

extension ExportReference {
    /// Creates the system that PROJ knows by a name; `nil` for WGS 84 itself, which exports have without conversion.
    ///
    /// - Throws: ``ProjectionError`` if PROJ does not know it, or if it has no number.
    package init?(named name: String) throws(ProjectionError) {
        guard name.uppercased() != "EPSG:4326" else { return nil }
        let projection = try Projection(from: name)
        let definition = try projection.requireDefinition()
        self.init(
            system: GeoPackageSystem(
                title: projection.title,
                organization: definition.authority,
                code: definition.code,
                definition: definition.text
            ),
            isGeographic: projection.isGeographic,
            position: projection.point(of:)
        )
    }

    /// Returns the name of the system with a code, as an export takes it; `nil` for WGS 84 itself.
    ///
    /// - Throws: ``ParameterMismatch`` if PROJ does not know it, or if it has no number.
    static func known(_ code: String) throws(ParameterMismatch) -> ExportReference? {
        do throws(ProjectionError) {
            return try ExportReference(named: code)
        } catch {
            throw ParameterMismatch(message: "is refused: \(error.description)")
        }
    }
}
