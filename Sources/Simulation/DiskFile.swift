import Geometry

/// One file of the simulated disk: what is on the disk for certain, and what was written to it since.
struct DiskFile: Sendable {
    /// A change that may not be on the disk yet.
    private enum Change: Sendable {
        case write(offset: Int, bytes: [UInt8])
        case truncate(Int)
    }

    private var durable: [UInt8]
    /// The changes since; those before the first `forgotten` were passed over by a sync that failed, and no later sync
    /// brings them to the disk: the system believes that it has written them.
    private var pending: [Change] = []
    private var forgotten = 0

    /// Creates a file with this content on the disk.
    init(_ content: [UInt8]) { durable = content }

    /// Whether nothing is waiting for a sync.
    var isDurable: Bool { pending.isEmpty }

    mutating func write(_ bytes: [UInt8], at offset: Int) { pending.append(.write(offset: offset, bytes: bytes)) }

    mutating func truncate(to size: Int) { pending.append(.truncate(size)) }

    /// Puts all changes on the disk, but those that a failed sync has passed over.
    mutating func sync() {
        guard forgotten > 0 else {
            for change in pending { DiskFile.apply(change, to: &durable) }
            pending = []
            return
        }
        let fresh = pending[forgotten...]
        var kept = pending[..<forgotten]
        for change in fresh {
            DiskFile.apply(change, to: &durable)
            kept.removeAll { DiskFile.supersedes(change, $0) }
        }
        pending = Array(kept)
        forgotten = pending.count
    }

    /// Notes that a sync failed.
    mutating func failSync() { forgotten = pending.count }

    /// The content as every process on the machine reads it.
    var current: [UInt8] {
        pending.reduce(into: durable) { DiskFile.apply($1, to: &$0) }
    }

    /// The content after the power was cut: each sector of each change that waits is there or not.
    func afterPowerCut(using generator: inout SplitMix64) -> [UInt8] {
        // Nothing, everything or any part: all occur on real disks, and mixtures alone would hardly ever draw the first two.
        let mode = Int.random(in: 0..<4, using: &generator)
        var content = durable
        for change in pending {
            switch change {
            case .truncate:
                if mode == 1 || mode > 1 && Bool.random(using: &generator) { DiskFile.apply(change, to: &content) }
            case .write(let offset, let bytes):
                if mode == 1 { DiskFile.apply(change, to: &content) }
                guard mode > 1, Int.random(in: 0..<3, using: &generator) > 0 else { continue }
                let isWhole = Bool.random(using: &generator)
                var start = 0
                while start < bytes.count {
                    let end = min(bytes.count, start + DiskFile.sector - (offset + start) % DiskFile.sector)
                    if isWhole || Bool.random(using: &generator) {
                        DiskFile.apply(.write(offset: offset + start, bytes: Array(bytes[start..<end])), to: &content)
                    }
                    start = end
                }
            }
        }
        return content
    }

    /// The bytes that a disk writes whole or not at all.
    private static let sector = 512

    private static func apply(_ change: Change, to content: inout [UInt8]) {
        switch change {
        case .truncate(let size):
            if size < content.count { content.removeLast(content.count - size) }
            if size > content.count { content += [UInt8](repeating: 0, count: size - content.count) }
        case .write(let offset, let bytes):
            let end = offset + bytes.count
            if end > content.count { content += [UInt8](repeating: 0, count: end - content.count) }
            content.withUnsafeMutableBytes { $0[offset..<end].copyBytes(from: bytes) }
        }
    }

    /// Whether nothing of an earlier change is left once a later one is on the disk.
    private static func supersedes(_ later: Change, _ earlier: Change) -> Bool {
        switch (later, earlier) {
        case (.truncate(let size), .write(let offset, _)): offset >= size
        case (.truncate, .truncate): true
        case (.write(let start, let bytes), .write(let offset, let old)):
            offset < start + bytes.count && start < offset + old.count
        case (.write, .truncate): false
        }
    }
}
