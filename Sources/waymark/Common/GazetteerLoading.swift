import Library
import Gazetteer
import Logging

/// Loads the gazetteer from this program's folders.
func loadGazetteer(_ database: DatabaseOptions) throws -> GazetteerIndex {
    try GazetteerLoader(folders: DataFolders(), logger: database.logger(level: .notice)).load()
}

/// Loads the gazetteer with the operator's additions.
func loadPlaceSearch(_ database: DatabaseOptions) throws -> PlaceSearch {
    let additions = try GazetteerAdditions.load(beside: database.path)
    return PlaceSearch(places: try loadGazetteer(database), additions: additions)
}

/// Loads the gazetteer for a command that also works without place names; if that fails, reports the error and returns
/// `nil`.
func gazetteerIfPossible(_ database: DatabaseOptions) -> GazetteerIndex? {
    do {
        return try loadGazetteer(database)
    } catch {
        Console.error("Continuing without place names: \(error)")
        return nil
    }
}
