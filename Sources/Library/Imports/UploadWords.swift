/// What importers say, as clients over HTTP can follow it: importers name the options of the command.
enum UploadWords: Sendable {
    /// Advice that needs other words, and those words.
    private static let advice = [
        ("Give --map title=COLUMN", "Call the column with the titles title"),
        ("or give --map title=COLUMN", "or call the column with the titles title"),
        (
            "give --map easting=… and --map northing=…, or correct the columns",
            "call the columns easting and northing, or correct them"
        ),
        ("give --map lat=… and --map lon=…, or correct the columns", "call the columns lat and lon, or correct them"),
        (" (or give --map)", ""), ("or --ignore the column", "or rename the column"),
        ("give --crs EPSG:…", "give the parameter crs, such as EPSG:26918"),
        ("give its --crs", "give its reference system in the parameter crs"),
        ("give another --encoding", "give another one in the parameter encoding"),
        ("give --privacy public", "give the parameter privacy: public"),
        (
            "give its folder, and the photographs in it become stories",
            "send a table with a row for its story, and the picture to the story"
        ),
    ]
    /// The options that have a parameter of the same name, where the sentence stays as it is.
    private static let parameters = ["crs", "encoding", "privacy"]

    /// Returns a message of an importer with parameters in place of options.
    ///
    /// - Complexity: O(length).
    static func overHTTP(_ message: String) -> String {
        var words = message
        for (option, instead) in advice { words = words.replacing(option, with: instead) }
        for name in parameters { words = words.replacing("--\(name)", with: "the parameter \(name)") }
        return words
    }
}
