import Foundation
import Storage

/// The disk space and memory needed to compile added places and addresses, estimated from measurements and reported
/// before compiling starts.
struct CompileNeed: CustomStringConvertible {
    /// The number of places.
    let places: Int
    /// The number of addresses and street points.
    let addresses: Int
    /// The bytes of disk space for temporary files and the result.
    let disk: Int
    /// The bytes of memory.
    let memory: Int

    /// The bytes of memory needed regardless of the number of places; the constants below are bytes per place or
    /// address.
    private static let least = 350 << 20
    private static let memoryOfPlace = 40
    private static let diskOfPlace = 600
    private static let diskOfAddress = 80

    /// Determines the requirements from the staged input.
    init(staging: GazetteerStaging, path: String) throws {
        places = try staging.placeCount()
        addresses = try staging.addressCount()
        disk = places * Self.diskOfPlace + addresses * Self.diskOfAddress + (64 << 20)
        memory = Self.least + places * Self.memoryOfPlace
    }

    var description: String {
        "\(places) places and \(addresses) addresses, with about \(memory >> 20) MB of memory and \(disk >> 20) MB of disk"
    }

    /// Returns the number of free bytes on a folder's disk if compiling needs more; `nil` if it needs no more, or if
    /// the number is unknown.
    func lackingSpace(in folder: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.intValue, free < disk else { return nil }
        return free
    }
}
