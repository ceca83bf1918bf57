import Foundation
import Storage

/// What compiling added places and addresses takes, as measured: said before it begins.
struct CompileNeed: CustomStringConvertible {
    /// The number of places.
    let places: Int
    /// The number of addresses and points of streets.
    let addresses: Int
    /// Bytes of disk, of what is put aside and of the file itself.
    let disk: Int
    /// Bytes of memory.
    let memory: Int

    /// Bytes of memory whatever there is, and for each place.
    private static let least = 350 << 20
    private static let memoryOfPlace = 40
    private static let diskOfPlace = 600
    private static let diskOfAddress = 80

    /// Looks at what was read.
    init(staging: GazetteerStaging, path: String) throws {
        places = try staging.placeCount()
        addresses = try staging.addressCount()
        disk = places * Self.diskOfPlace + addresses * Self.diskOfAddress + (64 << 20)
        memory = Self.least + places * Self.memoryOfPlace
    }

    var description: String {
        "\(places) places and \(addresses) addresses, with about \(memory >> 20) MB of memory and \(disk >> 20) MB of disk"
    }

    /// The free bytes of a folder's disk if they are too few.
    func lackingSpace(in folder: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue, free < disk else { return nil }
        return free
    }
}
