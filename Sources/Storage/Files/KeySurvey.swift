import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What is wrong with the keys beside a database, found without making or changing any.
enum KeySurvey: Sendable {
    /// Returns a message for each problem, with what to do; none if there is no folder of keys.
    static func problems(besideDatabase path: String) -> [String] {
        let folder = path + ".keys"
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else { return [] }
        guard isFolder.boolValue else {
            return ["\(folder) is a file and no folder. Put the folder of keys back from where the database came from."]
        }
        guard access(folder, R_OK | X_OK) == 0 else {
            return [
                "\(folder) cannot be read by this user (\(String(cString: strerror(errno)))). Let the user who runs the service "
                    + "own it (chown; chmod 700 for the folder, 600 for its files), and run this command as that user."
            ]
        }
        do {
            let checks = try KeyChecks(folder: folder)
            return StoreKeys.Name.allCases.filter(\.isBeside).compactMap { problem(with: $0, in: folder, by: checks) }
        } catch {
            return ["\(error)"]
        }
    }

    private static func problem(with name: StoreKeys.Name, in folder: String, by checks: KeyChecks) -> String? {
        let file = "\(folder)/\(name.rawValue).key"
        do {
            if let key = try StoreKeys.read(name, file) {
                return checks.differs(key, from: name) ? StoreKeys.advice(on: name, in: file, .changed) : nil
            }
        } catch {
            return "\(error)"
        }
        // A key that came with a later version of the program is made by its first start.
        guard checks.expects(name) else { return nil }
        return "\(file) is missing. The next start makes a new key, and then \(name.consequence). Put the file back "
            + "from a backup of the folder of keys before that."
    }
}
