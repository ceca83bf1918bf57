import CSpatiaLite
import GRDBSQLite
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SQLite's interface to files, with simulated disks in between.
///
/// Installed once for the process, as the default; databases without a simulated disk pass by it untouched.
enum DiskInterface {
    /// What SQLite knows as a file: its methods first, then ours.
    private struct Header {
        var methods: UnsafePointer<sqlite3_io_methods>?
        var disk: Unmanaged<SimulatedDisk>?
        var part: SimulatedDisk.Part
        /// The system's own file.
        ///
        /// It lies elsewhere, because PROJ takes for granted that SQLite's default interface never
        /// needs more room for a file than at first.
        var own: UnsafeMutablePointer<sqlite3_file>
    }

    private static let disks = Mutex<[String: SimulatedDisk]>([:])

    /// Puts a disk under the database at its path.
    ///
    /// - Throws: ``SimulationFault`` if SQLite does not accept the interface.
    static func attach(_ disk: SimulatedDisk) throws {
        guard installed == SQLITE_OK else { throw SimulationFault("SQLite refused the simulated disk: \(installed)") }
        disks.withLock { $0[disk.path] = disk }
    }

    /// Takes the disk away; connections that are open keep it.
    static func detach(_ disk: SimulatedDisk) { disks.withLock { $0[disk.path] = nil } }

    /// The system's own interface.
    ///
    /// Safe to share: a constant that SQLite never frees and that nobody here writes.
    nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

    /// The outcome of the installation, made on first use.
    ///
    /// What is allocated here is never freed, because SQLite keeps it.
    private static let installed: Int32 = {
        guard let system else { return SQLITE_MISUSE }
        let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        own.initialize(to: system.pointee)
        own.pointee.pNext = nil
        own.pointee.zName = UnsafePointer(strdup("waymark-sim"))
        own.pointee.xOpen = { _, name, file, flags, outFlags in
            DiskInterface.open(name, file, flags, outFlags)
        }
        return sqlite3_vfs_register(own, 1)
    }()

    private static func open(
        _ name: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let system, let open = system.pointee.xOpen, let file else { return SQLITE_CANTOPEN }
        guard let name, flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL) != 0 else {
            return open(system, name, file, flags, outFlags)
        }
        let path = String(cString: name)
        let isLog = flags & SQLITE_OPEN_WAL != 0
        let disk = disks.withLock { $0[isLog ? String(path.dropLast(4)) : path] }
        guard let disk else { return open(system, name, file, flags, outFlags) }
        let place = UnsafeMutableRawPointer.allocate(byteCount: Int(system.pointee.szOsFile), alignment: 16)
        place.initializeMemory(as: UInt8.self, repeating: 0, count: Int(system.pointee.szOsFile))
        let own = place.assumingMemoryBound(to: sqlite3_file.self)
        let code = open(system, name, own, flags, outFlags)
        guard code == SQLITE_OK else {
            place.deallocate()
            file.pointee.pMethods = nil
            return code
        }
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: Header.self)
            .initialize(
                to: Header(methods: methods, disk: .passRetained(disk), part: isLog ? .log : .database, own: own)
            )
        return SQLITE_OK
    }

    /// The system's own file behind ours.
    private static func own(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
        header(file).pointee.own
    }

    private static func header(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<Header> {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: Header.self)
    }

    /// The methods of our files.
    ///
    /// Safe to share: never changed after this, and never freed.
    nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
        var table = sqlite3_io_methods()
        // Without memory-mapped reads, which SQLite then does not ask for.
        table.iVersion = 2
        table.xClose = { file in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            let code = own.pointee.pMethods?.pointee.xClose?(own) ?? SQLITE_MISUSE
            DiskInterface.header(file).pointee.disk?.release()
            DiskInterface.header(file).pointee.disk = nil
            // SQLite calls no function of a closed file.
            UnsafeMutableRawPointer(own).deallocate()
            return code
        }
        table.xRead = { file, bytes, count, offset in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xRead?(own, bytes, count, offset) ?? SQLITE_MISUSE
        }
        table.xWrite = { DiskInterface.write($0, $1, $2, $3) }
        table.xTruncate = { file, size in
            guard let file, let disk = DiskInterface.header(file).pointee.disk?.takeUnretainedValue() else {
                return SQLITE_MISUSE
            }
            let own = DiskInterface.own(file)
            if case .fails(let code, _) = disk.truncate(to: Int(size), DiskInterface.header(file).pointee.part) {
                return code
            }
            return own.pointee.pMethods?.pointee.xTruncate?(own, size) ?? SQLITE_MISUSE
        }
        table.xSync = { file, _ in
            guard let file, let disk = DiskInterface.header(file).pointee.disk?.takeUnretainedValue() else {
                return SQLITE_MISUSE
            }
            // What is durable is known here, so the real disk need not be waited for.
            if case .fails(let code, _) = disk.sync(DiskInterface.header(file).pointee.part) { return code }
            return SQLITE_OK
        }
        addRest(to: &table)
        let place = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        place.initialize(to: table)
        return UnsafePointer(place)
    }()

    private static func write(
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ bytes: UnsafeRawPointer?,
        _ count: Int32,
        _ offset: Int64
    ) -> Int32 {
        guard let file, let bytes, let disk = header(file).pointee.disk?.takeUnretainedValue() else {
            return SQLITE_MISUSE
        }
        let own = own(file)
        guard let write = own.pointee.pMethods?.pointee.xWrite else { return SQLITE_MISUSE }
        let content = UnsafeRawBufferPointer(start: bytes, count: Int(count))
        switch disk.write(content, at: Int(offset), to: header(file).pointee.part) {
        case .succeeds: return write(own, bytes, count, offset)
        case .fails(let code, let made):
            if made > 0 { _ = write(own, bytes, Int32(made), offset) }
            return code
        }
    }

    /// Passes everything else on to the system.
    private static func addRest(to table: inout sqlite3_io_methods) {
        table.xFileSize = { file, size in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xFileSize?(own, size) ?? SQLITE_MISUSE
        }
        table.xLock = { file, level in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xLock?(own, level) ?? SQLITE_MISUSE
        }
        table.xUnlock = { file, level in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xUnlock?(own, level) ?? SQLITE_MISUSE
        }
        table.xCheckReservedLock = { file, outcome in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xCheckReservedLock?(own, outcome) ?? SQLITE_MISUSE
        }
        table.xFileControl = { file, what, value in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xFileControl?(own, what, value) ?? SQLITE_NOTFOUND
        }
        table.xSectorSize = { file in
            guard let file else { return 4_096 }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xSectorSize?(own) ?? 4_096
        }
        table.xDeviceCharacteristics = { file in
            guard let file else { return 0 }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xDeviceCharacteristics?(own) ?? 0
        }
        table.xShmMap = { file, region, size, extends, place in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xShmMap?(own, region, size, extends, place) ?? SQLITE_MISUSE
        }
        table.xShmLock = { file, offset, count, flags in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xShmLock?(own, offset, count, flags) ?? SQLITE_MISUSE
        }
        table.xShmBarrier = { file in
            guard let file else { return }
            let own = DiskInterface.own(file)
            own.pointee.pMethods?.pointee.xShmBarrier?(own)
        }
        table.xShmUnmap = { file, deletes in
            guard let file else { return SQLITE_MISUSE }
            let own = DiskInterface.own(file)
            return own.pointee.pMethods?.pointee.xShmUnmap?(own, deletes) ?? SQLITE_MISUSE
        }
    }
}
