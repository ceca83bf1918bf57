import Stories

/// Tables that `exiftool -csv` writes of photographs, whose column `SourceFile` has the path of each.
enum PhotoTable {
    /// Returns the column of the paths in a table without a column for the title; `nil` in any other table.
    static func column(of header: [String], _ meanings: [ColumnPlan.Meaning]) -> Int? {
        let hasTitle = meanings.contains { if case .field(.title, _) = $0 { true } else { false } }
        if hasTitle { return nil }
        return header.indices.first { header[$0] == "SourceFile" && meanings[$0] != .ignored }
    }

    /// Gives a row its title as the import of a folder does: a short caption, else the name of the file.
    static func fillTitle(of record: inout ImportRecord, path: String) {
        if let caption = record.values[.text], !caption.contains(where: \.isNewline),
            StoryLimits.fits(caption, characters: StoryLimits.titleLength)
        {
            (record.values[.title], record.values[.text]) = (caption, nil)
            return
        }
        let file = path.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? path
        let base = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? ""
        record.values[.title] = base.isEmpty ? file : base
    }

    /// Returns why a table is not read without a privacy: it says where photographs were taken.
    static func refusal(privacyIsGiven: Bool) -> String? {
        privacyIsGiven
            ? nil
            : "the table is one of photographs, by exiftool. It says where they were taken, which may be somebody's home: give "
                + "--privacy public, family_only or private"
    }
}
