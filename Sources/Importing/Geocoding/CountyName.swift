/// Names of counties, as they may stand in a column of cities.
enum CountyName {
    /// Returns whether a text says that it is a county and no settlement: "Fulton County" or "Orleans Parish".
    static func isName(_ text: String) -> Bool {
        let words = text.lowercased().split { !$0.isLetter }
        guard words.count >= 2, let first = words.first, let last = words.last else { return false }
        return last == "county" || last == "parish" || last == "co" || first == "county" || first == "co"
    }
}
