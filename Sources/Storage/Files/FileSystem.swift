import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The file system that a database lies on, as the system's table of mounts names it.
///
/// SQLite's log needs memory that all processes share and locks that hold. A network file system promises neither, and
/// loses acknowledged writes or damages the file (sqlite.org/wal.html, "All processes using a database must be on the
/// same host computer").
package struct FileSystem: Hashable, Sendable {
    /// What is known of a file system.
    package enum Suitability: Hashable, Sendable {
        /// It is on a disk, or in the memory, of this machine.
        case local
        /// It is on another machine.
        case network
        /// It is not known here.
        case unknown
    }

    /// Its name, such as `ext4` or `fuse.sshfs`.
    package let name: String

    /// Creates a value from the name.
    package init(name: String) { self.name = name }

    private static let local: Set<String> = [
        "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "jfs", "reiserfs", "nilfs2", "bcachefs", "ubifs",
        "tmpfs", "ramfs", "rootfs", "overlay", "aufs", "ecryptfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "vfat",
        "msdos",
        "exfat", "ntfs3", "hfsplus", "apfs", "ufs", "iso9660", "udf", "squashfs", "erofs",
    ]
    private static let network: Set<String> = [
        "nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "coda", "ncpfs", "ceph", "lustre",
        "gfs", "gfs2", "ocfs2", "gpfs", "beegfs", "pvfs2", "orangefs", "glusterfs", "davfs", "prl_fs", "vboxsf",
        "vmhgfs", "fuse.acd_cli",
        "fuse.sshfs", "fuse.s3fs", "fuse.s3ql", "fuse.rclone", "fuse.gcsfuse", "fuse.goofys", "fuse.mount-s3",
        "fuse.glusterfs", "fuse.ceph", "fuse.ceph-fuse", "fuse.davfs", "fuse.davfs2", "fuse.curlftpfs", "fuse.smbnetfs",
        "fuse.juicefs", "fuse.seaweedfs", "fuse.moosefs", "fuse.mfs", "fuse.lizardfs", "fuse.vmhgfs-fuse", "fuse.nfs",
        "fuse.blobfuse", "fuse.blobfuse2", "fuse.dislocker-nfs", "fuse.onedriver", "fuse.google-drive-ocamlfuse",
    ]

    /// Whether a database may lie on it.
    package var suitability: Suitability {
        if FileSystem.local.contains(name) { return .local }
        return FileSystem.network.contains(name) ? .network : .unknown
    }

    /// Finds the file system of a path in the text of `/proc/self/mountinfo`; `nil` if no line fits.
    ///
    /// The deepest mount point counts, and of several at one point the last, which hides the others.
    package init?(of path: String, mounts: String) {
        var best: (depth: Int, name: String)?
        for line in mounts.split(separator: "\n") {
            // "36 35 98:0 /root /mount/point options [optional fields] - type source options"; proc(5).
            let fields = line.split(separator: " ")
            guard fields.count > 6, let dash = fields.dropFirst(6).firstIndex(of: "-"), dash + 1 < fields.endIndex
            else { continue }
            let point = FileSystem.unescaped(fields[4])
            guard path == point || path.hasPrefix(point == "/" ? "/" : point + "/") else { continue }
            if point.utf8.count >= best?.depth ?? 0 { best = (point.utf8.count, String(fields[dash + 1])) }
        }
        guard let best else { return nil }
        name = best.name
    }

    /// Finds the file system of the folder of a database; `nil` if the system does not say.
    init?(ofDatabase path: String) {
        guard let data = FileManager.default.contents(atPath: "/proc/self/mountinfo") else { return nil }
        self.init(of: path, mounts: String(decoding: data, as: UTF8.self))
    }

    /// Returns a path of the table in which spaces and some other characters are written as `\040`.
    private static func unescaped(_ text: Substring) -> String {
        var (bytes, rest) = ([UInt8](), Array(text.utf8)[...])
        while let first = rest.popFirst() {
            let digits = rest.prefix(3)
            if first == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(first)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns whether a file that exists can be read here but never be written, and so can only be served as it is.
    ///
    /// That is so on a disk that is mounted read-only, for a file that is marked as immutable, and for a file that this
    /// user may only read.
    package static func isReadOnly(_ path: String) -> Bool {
        guard access(path, R_OK) == 0 else { return false }
        if access(path, W_OK) != 0 { return [EROFS, EACCES, EPERM].contains(errno) }
        return access(URL(fileURLWithPath: path).deletingLastPathComponent().path, W_OK) != 0 && errno == EROFS
    }
}
