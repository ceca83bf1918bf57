import CReadOSM

/// An OpenStreetMap extract (`.osm.pbf` or `.osm`), read by readosm.
struct OpenStreetMapFile: Sendable {
    /// The path; readosm determines the format by its extension.
    let path: String

    /// Reads the file once and passes its elements to `collector`.
    ///
    /// - Throws: ``GazetteerFileProblem``.
    func parse(_ collector: some ElementCollector) throws {
        var handle: UnsafeRawPointer?
        var status = readosm_open(path, &handle)
        defer { _ = readosm_close(handle) }
        guard status == READOSM_OK else { throw Self.problem(status) }
        status = collector.run(handle)
        guard status == READOSM_OK || (status == READOSM_ABORT && collector.mayStop) else { throw Self.problem(status) }
    }

    private static func problem(_ status: Int32) -> GazetteerFileProblem {
        switch status {
        case READOSM_INVALID_SUFFIX: GazetteerFileProblem("the name must end in .osm.pbf or .osm")
        case READOSM_FILE_NOT_FOUND: GazetteerFileProblem("the file does not exist or cannot be read")
        case READOSM_INSUFFICIENT_MEMORY: GazetteerFileProblem("there is not enough memory to read it")
        default: GazetteerFileProblem("the file is not an OpenStreetMap extract, or it is damaged")
        }
    }
}

/// Receives the elements that readosm reads from a file.
protocol ElementCollector: AnyObject {
    /// Whether the collector itself stopped reading, which is not an error.
    var mayStop: Bool { get }
    /// Reads the file behind a handle and returns readosm's status.
    func run(_ handle: UnsafeRawPointer?) -> Int32
}
