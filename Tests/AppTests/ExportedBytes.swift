import App
import Foundation
import Library
import Stories
import TestSupport

extension ServiceFixture {
    /// Returns an export of stories as a viewer gets it, in a stream or as a file.
    func exported(
        _ format: ExportFormat,
        as viewer: Viewer,
        options: ExportOptions = ExportOptions()
    ) async throws -> (bytes: [UInt8], outcome: StoryExport.Outcome) {
        let export = StoryExport(maps: library.maps)
        guard format.isStreamed else {
            let place = try TemporaryFolder()
            let path = place.path("export.gpkg")
            let outcome = try await export.writePackage(
                toFile: path,
                in: nil,
                search: .init(),
                viewer: viewer,
                options: options
            )
            return ([UInt8](try Data(contentsOf: URL(filePath: path))), outcome)
        }
        var bytes: [UInt8] = []
        let outcome = try await export.write(
            format,
            in: nil,
            search: .init(),
            viewer: viewer,
            options: options,
            to: { bytes += $0 }
        )
        return (bytes, outcome)
    }
}
