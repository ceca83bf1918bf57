package import Importing
import Storage

extension DatabaseFeatures {
    /// Reads GeoPackages with SQLite.
    package static let geoPackages = DatabaseFeatures { bytes, limit throws(Failure) in
        do throws(GeoPackageFile.Problem) {
            return try GeoPackageFile.layer(in: bytes, limit: limit)
                .map {
                    Found(geoJSON: $0.geoJSON, remarks: $0.remarks)
                }
        } catch {
            throw Failure(reason: error.reason)
        }
    }
}
