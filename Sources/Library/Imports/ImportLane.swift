import Formats

/// A line of files that wait to be read and stored, one at a time.
///
/// Small files have a line of their own, so that no large one, which may take minutes, keeps them waiting: before each of
/// them are at most as many small ones as files may be sent at the same time. Users have one import at a time, so they
/// take turns in each line.
package enum ImportLane: Hashable, Sendable {
    case small
    case large

    /// The maximum length of a small file in bytes, as it is sent and unpacked: some seconds of work.
    package static let smallBytes = 2 << 20

    /// Chooses the line of a file by its length when unpacked.
    ///
    /// - Complexity: O(bytes), at most ``smallBytes`` of what is packed in them.
    package init(of bytes: [UInt8]) {
        var content = bytes
        if Gzip.isGzip(bytes) {
            do throws(Gzip.Failure) {
                content = try Gzip.decompress(bytes, limit: ImportLane.smallBytes)
            } catch .tooLarge {
                self = .large
                return
            } catch {
                // It is refused before anything is made of it.
                content = []
            }
        }
        // An archive never unpacks to more than its directory says.
        let sizes = content.starts(with: [0x50, 0x4B]) ? (try? ZipReader(content))?.entries.map(\.size) ?? [] : []
        let isSmall =
            sizes.allSatisfy { (0...ImportLane.smallBytes).contains($0) }
            && sizes.reduce(0, +) <= ImportLane.smallBytes && content.count <= ImportLane.smallBytes
        self = isSmall ? .small : .large
    }
}
