import Formats
import Projections
public import Stories

/// Reads stories from the contents of files, and returns the valid stories with the problems of each row.
///
/// It performs no input or output.
public struct StoryImporter: Sendable {
    /// Options for all stories in a file.
    public struct Options: Sendable {
        /// The owner of the stories.
        public var owner: UserID
        /// The kind of stories that specify none.
        public var kind: StoryKind
        /// The kinds that a file may also spell differently: `Video Object` for `video_object`.
        public var knownKinds: Set<StoryKind>
        /// The privacy of stories that specify none.
        public var privacy: Privacy
        /// Whether ``privacy`` was chosen explicitly for this file; if not, the file is rejected if a column appears to
        /// specify privacy.
        public var privacyIsGiven: Bool
        /// Whether stories may be published that a column restricts: not if the whole file is given as restricted.
        var watchesPrivacy: Bool { !privacyIsGiven || privacy == .public }
        /// For family-only stories whose row names no family: the only family that may see them.
        public var family: FamilyID?
        /// The families of the owner, which are the only ones that a row may name.
        public var ownerFamilies: Set<FamilyID> = []
        /// The name of the import; `nil` means the file's base name.
        public var source: String?
        /// The reference system of the coordinates, such as `EPSG:26918`; `nil` means the one given in the file, else
        /// longitude and latitude on WGS 84.
        public var referenceSystem: String?
        /// The source of the locations (LOC-01).
        public var locationSource: LocationSource
        /// What the operator says about columns and encoding.
        public var columns = ColumnChoices()
        /// Whether rows with errors are skipped instead of rejecting the whole file.
        public var skipsBadRows: Bool
        /// The last possible date of a story, or `nil` for no check (LOC-07).
        public var today: CalendarDay?
        /// How rows without a position are located by their words; `nil` if they are not.
        public var geocoding: RowGeocoding?
        /// Gets each valid row that only names a place and was not located; called while the file is read.
        public var unlocated: (@Sendable (ImportedStory) -> Void)?
        /// How the positions of a file are compared with the map and its own words; `nil` if they are not.
        public var plausibility: PlausibilityCheck?
        /// The maximum size of a decompressed file, in bytes.
        public var byteLimit: Int
        /// Whether stories keep the ids and times of our own exports: only for a database without stories.
        public var keepsIDs = false
        /// What is said first of a file: how it was converted to what is read here.
        package var remarks: [String] = []
        /// If the file was gathered from others, one for each feature: their paths in the folder that it is named after.
        package var members: [String] = []
        /// Returns a message as its reader can follow it; `nil` if they can give the options of the command.
        package var rewords: (@Sendable (String) -> String)?
        /// Reads GeoPackages; without it they are rejected.
        package var databases: DatabaseFeatures?
        /// Which kinds of stories a file may name.
        public var kinds = KindChoices()
        /// Returns what to do about a column that seems to restrict stories.
        package var privacyRemedy: @Sendable (_ column: String) -> String = { name in
            let shown = name.prefix(40)
            return "Give --map 'privacy=\(shown)' if its values are public, family_only and private, --map "
                + "'is_public=\(shown)' if yes means that everybody may see the story, --privacy for the whole file, or --ignore "
                + "'\(shown)' if it means something else"
        }
        /// Returns what to do about a column that seems to say where objects are kept.
        package var storageRemedy: @Sendable (_ column: String) -> String = { name in
            let shown = name.prefix(40)
            return "give --ignore '\(shown)', or --map 'place_name=\(shown)' if it is the place of the stories"
        }
        /// Returns whether reading is to end early; called on the reading thread.
        package var isStopped: (@Sendable () -> Bool)?
        /// Receives every problem as it is found, also those beyond ``ImportResult/problemLimit``; on the reading thread.
        public var onProblem: (@Sendable (ImportProblem) -> Void)?

        /// Creates the default options.
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

    /// The size in bytes beyond which a file gets a remark (REL-06).
    public static let largeFile = 100 * 1024 * 1024

    package let options: Options

    /// Creates an importer.
    public init(options: Options) {
        self.options = options
    }

    /// Returns an importer that also reads GeoPackages.
    package func reading(_ databases: DatabaseFeatures) -> StoryImporter {
        var options = options
        options.databases = databases
        return StoryImporter(options: options)
    }

    /// Returns an importer whose rows may name these families.
    package func knowing(_ families: Set<FamilyID>) -> StoryImporter {
        var options = options
        options.ownerFamilies = families
        return StoryImporter(options: options)
    }

    /// An importer that reads the same and reports to nobody: for reading a file again of which everything was reported.
    package var silenced: StoryImporter {
        var options = options
        (options.onProblem, options.unlocated) = (nil, nil)
        return StoryImporter(options: options)
    }

    /// Returns an importer that ends early, and rejects the file, once `isStopped` returns `true`.
    package func stopping(_ isStopped: @escaping @Sendable () -> Bool) -> StoryImporter {
        var options = options
        options.isStopped = isStopped
        return StoryImporter(options: options)
    }

    /// Returns the name of the import of a file.
    package func source(of fileName: String) -> String { options.source ?? ImportFile.baseName(of: fileName) }

    /// Reads a file.
    ///
    /// Any error rejects the whole file unless bad rows are to be skipped; errors about the file itself always do.
    /// - Complexity: O(bytes); `progress` is called every 1,000 rows and at the end.
    public func read(
        _ bytes: [UInt8],
        fileName: String,
        progress: (ImportProgress) -> Void = { _ in }
    ) -> ImportResult {
        var stories: [ImportedStory] = []
        var result = read(bytes, fileName: fileName, progress: progress) { story, _ in stories.append(story) }
        if !result.isRefused {
            // Those whose date waits for the other rows come last.
            stories.sort { $0.row < $1.row }
            result.stories = stories
        }
        return result
    }

    /// Reads a file and passes each valid story to `body` instead of keeping it.
    ///
    /// Stories whose date depends on the other rows (``DateHabit``) come last. `body` also learns whether the whole file is
    /// already known to be rejected; if it is, nothing may be kept of what was passed before. The result says so in the end.
    package func read(
        _ bytes: [UInt8],
        fileName: String,
        progress: (ImportProgress) -> Void,
        each body: (_ story: ImportedStory, _ isRefused: Bool) -> Void
    ) -> ImportResult {
        var result = ImportResult(for: options)
        for remark in options.remarks {
            result.add(ImportProblem(file: fileName, severity: .warning, message: remark))
        }
        do throws(ImportProblem) {
            let file = try ImportFile(
                bytes,
                name: fileName,
                limit: options.byteLimit,
                encoding: options.columns.encoding,
                databases: options.databases
            )
            result.format = file.format
            for remark in file.remarks { result.add(remark) }
            if let remark = file.sizeRemark(limit: StoryImporter.largeFile) { result.add(remark) }
            var source = try RecordSource(file, options: options)
            result.format = source.format
            try read(&source, of: file, into: &result, progress, body)
            for remark in source.remarks { result.add(remark) }
            try source.checkAll()
            if let problem = PrivacyColumns.error(source.privateColumns, in: file, options) { throw problem }
            result.addFirst(PrivacyColumns.warnings(source.privateColumns, in: file, options))
        } catch {
            result.add(error)
            result.isRefused = true
        }
        if result.errorCount > 0 && !options.skipsBadRows { result.isRefused = true }
        return result
    }

    private func read(
        _ source: inout RecordSource,
        of file: ImportFile,
        into result: inout ImportResult,
        _ progress: (ImportProgress) -> Void,
        _ body: (ImportedStory, Bool) -> Void
    ) throws(ImportProblem) {
        var validator = StoryValidator(options: options, file: file, projection: try projection(for: source, file))
        var waiting: [ImportedStory] = []
        while let record = try source.next() {
            result.rows += 1
            let (story, problems) = validator.validate(record)
            for problem in problems { result.add(problem) }
            if let story {
                if validator.isDateAmbiguous(story) {
                    waiting.append(story)
                } else {
                    body(story, result.errorCount > 0 && !options.skipsBadRows)
                }
            } else {
                result.badRows += 1
            }
            guard result.rows.isMultiple(of: 1000) else { continue }
            progress(file.progress(rows: result.rows, bytes: source.position))
            if options.isStopped?() == true { throw file.error("reading was stopped") }
        }
        for remark in validator.settleDates(of: &waiting) { result.add(remark) }
        for story in waiting { body(story, result.errorCount > 0 && !options.skipsBadRows) }
        // After the last story: what is passed on piece by piece is passed on with the progress.
        progress(file.progress(rows: result.rows, bytes: file.bytes.count))
        guard result.rows > 0 else { throw file.error("the file is valid but contains no stories") }
        for remark in validator.remarks { result.add(remark) }
        (result.located, result.unlocated) = validator.locatedRows
        let doubts = validator.doubts()
        for doubt in doubts { result.add(doubt) }
        // Doubts about the whole file are not about rows that could be skipped.
        if doubts.contains(where: { $0.severity == .error }) { result.isRefused = true }
    }

    /// Returns the conversion for the coordinates, or `nil` if they are longitude and latitude on WGS 84.
    private func projection(for source: RecordSource, _ file: ImportFile) throws(ImportProblem) -> Projection? {
        guard let name = options.referenceSystem ?? source.referenceSystem else { return nil }
        if name.uppercased() == "EPSG:4326" { return nil }
        if source.isGeographic {
            throw file.error(
                "\(source.format.rawValue.uppercased()) is always in longitude and latitude on WGS 84; leave out the reference system",
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
