import Formats
import Projections
public import Stories

/// Reads stories out of files: validated values with problems by row.
///
/// Writes nothing and opens nothing.
public struct StoryImporter: Sendable {
    /// What is the same for all stories of a file.
    public struct Options: Sendable {
        /// Whose stories they are.
        public var owner: UserID
        /// The kind of stories that name none.
        public var kind: StoryKind
        /// The kinds that a file may name in other writing too: `Video Object` for `video_object`.
        public var knownKinds: Set<StoryKind>
        /// The privacy of stories that name none.
        public var privacy: Privacy
        /// Whether somebody chose ``privacy`` for this file; if not, a column that looks like privacy refuses it.
        public var privacyIsGiven: Bool
        /// For family-only stories: the one family that may see them.
        public var family: FamilyID?
        /// The name of the import; `nil` means the file's base name.
        public var source: String?
        /// The reference system of the coordinates, `EPSG:26918` for instance; `nil` means what the file says, else
        /// longitude and latitude on WGS 84.
        public var referenceSystem: String?
        /// Where the locations come from (LOC-01).
        public var locationSource: LocationSource
        /// Whether rows with errors are left out instead of refusing the whole file.
        public var skipsBadRows: Bool
        /// The day after which no story can have happened, or `nil` for no such check (LOC-07).
        public var today: CalendarDay?
        /// The most bytes of a file, unpacked.
        public var byteLimit: Int

        /// Creates the options of an ordinary import.
        public init(owner: UserID) {
            self.owner = owner
            kind = .interview
            knownKinds = Set(StoryKind.known)
            privacy = .public
            privacyIsGiven = false
            locationSource = .manual
            skipsBadRows = false
            byteLimit = 500 * 1024 * 1024
        }
    }

    /// The size in bytes beyond which a file is remarked on (REL-06).
    public static let largeFile = 100 * 1024 * 1024

    private let options: Options

    /// Creates an importer.
    public init(options: Options) {
        self.options = options
    }

    /// Reads a file.
    ///
    /// Any error refuses the whole file unless bad rows are to be skipped; what concerns the file itself always does.
    /// - Complexity: O(bytes); `progress` is called every 1,000 rows and at the end.
    public func read(
        _ bytes: [UInt8],
        fileName: String,
        progress: (ImportProgress) -> Void = { _ in }
    ) -> ImportResult {
        var result = ImportResult()
        do throws(ImportProblem) {
            let file = try ImportFile(bytes, name: fileName, limit: options.byteLimit)
            result.format = file.format
            if let remark = file.sizeRemark(limit: StoryImporter.largeFile) { result.add(remark) }
            var source = try RecordSource(file, options: options)
            result.format = source.format
            try read(&source, of: file, into: &result, progress)
            for remark in source.remarks { result.add(remark) }
            if !options.privacyIsGiven, let name = source.ignoredNames.first(where: ImportField.seemsToBePrivacy) {
                throw file.error(
                    "\(name.prefix(40)) looks as if it said who may see a story. Call it privacy, with public, family_only or "
                        + "private in it, or say --privacy for the whole file"
                )
            }
        } catch {
            result.add(error)
            result.isRefused = true
        }
        if result.errorCount > 0 && !options.skipsBadRows { result.isRefused = true }
        if result.isRefused { result.stories = [] }
        return result
    }

    private func read(
        _ source: inout RecordSource,
        of file: ImportFile,
        into result: inout ImportResult,
        _ progress: (ImportProgress) -> Void
    ) throws(ImportProblem) {
        var validator = StoryValidator(options: options, file: file, projection: try projection(for: source, file))
        while let record = try source.next() {
            result.rows += 1
            let (story, problems) = validator.validate(record)
            for problem in problems { result.add(problem) }
            if let story { result.stories.append(story) } else { result.badRows += 1 }
            if result.rows.isMultiple(of: 1000) { progress(file.progress(rows: result.rows, bytes: source.position)) }
        }
        progress(file.progress(rows: result.rows, bytes: file.bytes.count))
        guard result.rows > 0 else { throw file.error("the file has no stories: there is nothing after its beginning") }
        for remark in validator.remarks { result.add(remark) }
    }

    /// The conversion the coordinates need, or `nil` when they are longitude and latitude on WGS 84.
    private func projection(for source: RecordSource, _ file: ImportFile) throws(ImportProblem) -> Projection? {
        guard let name = options.referenceSystem ?? source.referenceSystem else { return nil }
        if name.uppercased() == "EPSG:4326" { return nil }
        if source.format == .gpx {
            throw file.error(
                "GPX is always in longitude and latitude on WGS 84; leave out the reference system",
                field: "crs"
            )
        }
        do throws(ProjectionError) {
            return try Projection(from: name)
        } catch {
            throw file.error(error.description, field: "crs")
        }
    }
}
