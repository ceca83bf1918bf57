import Crypto
import Foundation
package import Gazetteer
package import GazetteerCompiler
import Geometry
import Importing
import Storage

/// Reads files into the staging file next to a database and compiles its contents.
///
/// Every batch is stored with the position in the file, and an interrupted import resumes there.
public final class GazetteerImport {
    /// The reason why a file cannot be added or removed, or the added files cannot be compiled.
    public struct Refusal: Error, Sendable, CustomStringConvertible {
        /// One or two sentences: the problem and the remedy.
        public let description: String
    }

    private static let reportEvery: Int64 = 200_000

    private let database: String
    private let tables: () throws -> GazetteerSources
    private let batchSize: Int
    private let staging: GazetteerStaging
    private let report: (String) -> Void
    private let index: GazetteerIndex
    /// Country codes by the names used in files.
    private var countryCodes: [String: String] = [:]
    private static let mostCountries = 1_000

    /// Opens the staging file of a database.
    ///
    /// - Parameters:
    ///   - database: the path of the database.
    ///   - loader: finds the gazetteer of the program.
    ///   - report: called with messages about the progress.
    /// - Throws: ``GazetteerLoader/Failure``, or an SQLite error.
    public convenience init(database: String, loader: GazetteerLoader, report: @escaping (String) -> Void) throws {
        try self.init(database: database, index: loader.load(), tables: loader.tables, report: report)
    }

    /// Opens the staging file of a database; records are stored in batches of `batchSize`.
    package init(
        database: String,
        index: GazetteerIndex,
        tables: @escaping () throws -> GazetteerSources,
        batchSize: Int = 20_000,
        report: @escaping (String) -> Void
    ) throws {
        self.database = database
        self.tables = tables
        self.report = report
        self.batchSize = max(1, batchSize)
        self.index = index
        staging = try GazetteerStaging(path: GazetteerAdditions.staging(beside: database))
    }

    /// Closes the staging file, and removes it if it is empty.
    public func close() throws {
        let isEmpty = try staging.sources().isEmpty
        try staging.close()
        guard isEmpty else { return }
        let path = GazetteerAdditions.staging(beside: database)
        for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + ending) }
    }

    /// Returns the files added to a database so far.
    ///
    /// - Throws: ``StoreError``.
    public static func sources(beside database: String) throws -> [AddedFile] {
        let path = GazetteerAdditions.staging(beside: database)
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let staging = try GazetteerStaging(path: path)
        defer { try? staging.close() }
        return try staging.sources().map(AddedFile.init)
    }

    /// Reads a file, resuming where an earlier import stopped.
    ///
    /// - Throws: ``Refusal`` if it cannot be read or is in an unknown format.
    public func add(_ path: String) throws { try add(path) { _ in } }

    /// Reads a file; `check` receives the number of each record before the record is used, and may throw to stop the
    /// reading.
    package func add(_ path: String, check: (Int64) throws -> Void) throws {
        let url = URL(fileURLWithPath: path)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let size = attributes[.size] as? Int, attributes[.type] as? FileAttributeType == .typeRegular
        else { throw Refusal(description: "\(path) does not exist or is not a file.") }
        let changed = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        let name = url.lastPathComponent
        let source = try staging.begin(name, mark: "\(size) \(Int64(changed))")
        guard !source.isDone else { return report("\(name) has already been added.") }
        if source.position > 0 {
            report("\(name): resuming after \(Self.counted(source.position, "record", "records"))")
        }
        var intake = Intake(source: source)
        let unused: UnusedRows
        do {
            unused = try GazetteerFiles.read(path) { record in
                intake.seen += 1
                try check(intake.seen)
                guard intake.seen > source.position else { return }
                take(record, into: &intake.batch)
                if intake.batch.count >= batchSize { try keep(&intake) }
            }
        } catch let problem as GazetteerFileProblem {
            // Discards everything read from a damaged file, but keeps the content of an earlier file of the same name.
            try staging.discard(source)
            throw Refusal(description: "\(path): \(problem). Nothing was added from it.")
        }
        guard intake.seen > 0 else {
            try staging.discard(source)
            let why = unused.first.first.map { " Row \(name):\($0.line): \($0.reason)." } ?? ""
            throw Refusal(description: "\(path) contains no place and no address.\(why)")
        }
        try staging.append(intake.batch, source: source, position: intake.seen, isDone: true)
        let left = unused.count > 0 ? ", \(Self.counted(unused.count, "row", "rows")) could not be used:" : ""
        report("\(name): \(Self.counted(intake.seen, "record", "records"))\(left)")
        for row in unused.first { report("\(name):\(row.line): \(row.reason)") }
        if unused.count > unused.first.count { report("… and \(unused.count - unused.first.count) more") }
    }

    /// Removes the staged content of the added file with this name; ``compile()`` then applies the removal.
    ///
    /// - Throws: ``Refusal`` if no such file was added.
    public func remove(_ name: String) throws {
        let name = URL(fileURLWithPath: name).lastPathComponent
        guard try staging.remove(name) else {
            let known = try staging.sources().map(\.name).joined(separator: ", ")
            throw Refusal(
                description: "There is no added file \(name)\(known.isEmpty ? "" : "; the added files are \(known)")."
            )
        }
        report("\(name): removed")
    }

    private static func counted(_ count: some BinaryInteger, _ one: String, _ several: String) -> String {
        "\(count) \(count == 1 ? one : several)"
    }

    /// The part of a file that is not stored yet.
    private struct Intake {
        let source: GazetteerStaging.Source
        var batch = GazetteerStaging.Batch()
        var seen: Int64 = 0
    }

    private func keep(_ intake: inout Intake) throws {
        try staging.append(intake.batch, source: intake.source, position: intake.seen, isDone: false)
        intake.batch = GazetteerStaging.Batch()
        if intake.seen / Self.reportEvery > (intake.seen - Int64(batchSize)) / Self.reportEvery {
            report("\(intake.source.name): \(intake.seen) records")
        }
    }

    private func take(_ record: GazetteerRecord, into batch: inout GazetteerStaging.Batch) {
        switch record {
        case .address(let entry): if let row = staged(entry) { batch.addresses.append(row) }
        case .place(let place): if let row = staged(place) { batch.places.append(row) }
        case .name(let name, let place):
            batch.names.append(
                .init(
                    place: place,
                    text: name.text,
                    language: name.language,
                    isHistoric: name.isHistoric,
                    isPreferred: name.isPreferred
                )
            )
        }
    }

    /// Completes an address with the gazetteer's data about its location.
    private func staged(_ entry: AddressEntry) -> GazetteerStaging.Address? {
        let key = entry.streetKey
        guard !key.isEmpty, let coordinate = Coordinate(latitude: entry.latitude, longitude: entry.longitude) else {
            return nil
        }
        let position = index.reverse(coordinate)
        let around = position?.place
        return GazetteerStaging.Address(
            key: key,
            street: entry.street,
            number: entry.number,
            value: Int64(entry.orderValue),
            city: entry.city.isEmpty ? position?.neighbourhood ?? position?.settlementName ?? "" : entry.city,
            region: around?.admin1 ?? entry.region,
            country: entry.country.isEmpty ? around?.countryCode ?? "" : entry.country.lowercased(),
            postcode: entry.postcode,
            latitude: entry.latitude,
            longitude: entry.longitude
        )
    }

    /// Returns the two-letter code of a country, given its two- or three-letter code or its name; empty if it is
    /// unknown.
    private func countryCode(_ text: String) -> String {
        let text = text.trimmingCharacters(in: .whitespaces)
        if let known = countryCodes[text] { return known }
        let code: String
        if text.utf8.count == 2, index.longCode(ofCountry: text) != nil {
            code = text.uppercased()
        } else if let short = index.shortCode(ofCountry: text) {
            code = short
        } else {
            code = index.places(named: text, limit: 200).first { $0.kind == .country }?.countryCode?.uppercased() ?? ""
        }
        if countryCodes.count < Self.mostCountries { countryCodes[text] = code }
        return code
    }

    private func staged(_ place: AddedPlace) -> GazetteerStaging.Place? {
        var place = place
        if !place.country.isEmpty { place.country = countryCode(place.country) }
        let isPart = place.kind == .neighbourhood || place.kind == .street || place.kind == .landmark
        if place.country.isEmpty || place.region.isEmpty || (isPart && place.city.isEmpty),
            let coordinate = Coordinate(latitude: place.latitude, longitude: place.longitude),
            let position = index.reverse(coordinate)
        {
            let around = position.place
            if place.country.isEmpty { place.country = around.countryCode ?? "" }
            let isSame = place.country.lowercased() == around.countryCode
            if place.region.isEmpty, isSame { place.region = around.admin1 ?? "" }
            if isPart, place.city.isEmpty, isSame { place.city = position.settlementName ?? "" }
        }
        return GazetteerStaging.Place(id: place.id, content: Data(place.encoded))
    }

    /// Compiles all staged input into the file next to the database and returns a description of it.
    ///
    /// Names and records are put into temporary files next to the database, so that memory hardly grows with their
    /// number.
    ///
    /// - Throws: ``Refusal`` if the disk is too full or the staged content has another version,
    ///   ``GazetteerLoader/Failure`` if a file cannot be written.
    public func compile() throws -> String {
        let path = GazetteerAdditions.file(beside: database)
        guard try !staging.sources().isEmpty else {
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
            return "nothing"
        }
        let need = try CompileNeed(staging: staging, path: GazetteerAdditions.staging(beside: database))
        report("compiling the added files: \(need)")
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        if let free = need.lackingSpace(in: folder) {
            throw Refusal(
                description: """
                    Compiling needs about \(need.disk >> 20) MB of disk in \(folder), but only \(free >> 20) MB are \
                    free. Free some space and run 'waymark gazetteer build'; the data read so far is kept.
                    """
            )
        }
        let space = ScratchSpace { try FileScratch(folder: folder) }
        let checksum = Array(SHA256.hash(data: Data(try staging.sources().map(\.name).joined(separator: "\n").utf8)))
        let spellings = try SpellingBuilder(space: space)
        var places: CompiledPlaces?
        if need.places > 0 {
            places = try GazetteerBuilder.build(
                added: { add in
                    try staging.forEachPlace { row, names in
                        guard var place = AddedPlace(encoded: [UInt8](row.content)) else {
                            throw Refusal(description: Self.otherVersion)
                        }
                        place.names += names.map {
                            AddedName(
                                $0.text,
                                language: $0.language,
                                isHistoric: $0.isHistoric,
                                isPreferred: $0.isPreferred
                            )
                        }
                        for name in place.names { try spellings.add(name, of: place.id) }
                        try add(place)
                    }
                },
                sources: try tables(),
                space: space
            )
        }
        try addSpellings(to: spellings)
        do {
            try write(places, spellings, checksum, space, to: path)
        } catch let error as CocoaError {
            throw GazetteerLoader.Failure(description: "\(path) cannot be written: \(error.localizedDescription)")
        }
        return try GazetteerAdditions.load(beside: database)?.summary ?? "nothing"
    }

    private static let otherVersion = """
        The files added before were read by another version of this program. Remove the file that ends in \
        .gazetteer-import and add your files again.
        """
}

extension GazetteerImport {
    private static let numbersAtOnce = 1 << 20

    /// Writes places and addresses; house numbers, which may be many, go through a temporary file.
    private func write(
        _ places: CompiledPlaces?,
        _ spellings: SpellingBuilder,
        _ checksum: [UInt8],
        _ space: ScratchSpace,
        to path: String
    ) throws {
        let numbersPath = path + ".numbers"
        let unfinished = path + ".new"
        defer {
            for leftover in [numbersPath, unfinished] { try? FileManager.default.removeItem(atPath: leftover) }
        }
        var builder = AddressBuilder()
        try Data().write(to: URL(fileURLWithPath: numbersPath))
        let numbers = try FileHandle(forUpdating: URL(fileURLWithPath: numbersPath))
        defer { try? numbers.close() }
        var held = 0
        try staging.forEachAddress { row in
            builder.add(Self.entry(row), key: row.key)
            held += 1
            guard held >= Self.numbersAtOnce / 16 else { return }
            try numbers.write(contentsOf: Data(builder.takeNumbers()))
            held = 0
        }
        builder.end()
        try numbers.write(contentsOf: Data(builder.takeNumbers()))
        try Data().write(to: URL(fileURLWithPath: unfinished))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: unfinished))
        defer { try? file.close() }
        try builder.writeHead(places: places, spellings: spellings, checksum: checksum, space: space) {
            try file.write(contentsOf: Data($0))
        }
        try numbers.seek(toOffset: 0)
        while let piece = try numbers.read(upToCount: Self.numbersAtOnce), !piece.isEmpty {
            try file.write(contentsOf: piece)
        }
        try SealedFile.seal(file)
        try file.synchronize()
        // The file is renamed once complete: a running service keeps its mapping of the old file, and the next service
        // to start maps the new one.
        guard rename(unfinished, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Adds GeoNames' names for the bundled places.
    private func addSpellings(to spellings: SpellingBuilder) throws {
        guard try staging.hasNames() else { return }
        try staging.indexNames()
        let table = try tables().places
        var start = table.startIndex
        while start < table.endIndex {
            let end = table[start...].firstIndex(of: 0x0A) ?? table.endIndex
            let id = "geonames:" + String(decoding: table[start..<end].prefix { $0 != 0x09 }, as: UTF8.self)
            for name in try staging.names(of: id) {
                try spellings.add(AddedName(name.text, language: name.language, isHistoric: name.isHistoric), of: id)
            }
            start = end + 1
        }
    }

    private static func entry(_ row: GazetteerStaging.Address) -> AddressEntry {
        AddressEntry(
            street: row.street,
            number: row.number,
            city: row.city,
            region: row.region,
            country: row.country,
            postcode: row.postcode,
            latitude: row.latitude,
            longitude: row.longitude
        )
    }
}

@available(*, unavailable)
extension GazetteerImport: Sendable {}
