/// What an import says about the columns that seem to say who may see a story and are not read.
enum PrivacyColumns {
    /// The maximum number of columns that an error names.
    private static let mostNames = 20

    /// Returns the error that names all of them; `nil` if there are none, or a privacy was given for the whole file.
    static func error(_ names: [String], in file: ImportFile, _ options: StoryImporter.Options) -> ImportProblem? {
        guard !options.privacyIsGiven, let first = names.first else { return nil }
        let others = names.dropFirst().prefix(mostNames - 1).map { String($0.prefix(40)) }
        let more = names.count > mostNames ? " and \(names.count - mostNames) more" : ""
        let verb = names.count == 2 ? "does" : "do"
        let rest = others.isEmpty ? "" : ", and so \(verb) \(others.joined(separator: ", "))\(more)"
        let remedy = options.privacyRemedy(first) + (others.isEmpty ? "" : "; do the same for the others")
        return file.error("\(first.prefix(40)) looks like a privacy setting\(rest). " + remedy)
    }

    /// Returns a warning of each, if the whole file was given as public.
    static func warnings(_ names: [String], in file: ImportFile, _ options: StoryImporter.Options) -> [ImportProblem] {
        guard options.privacyIsGiven, options.watchesPrivacy else { return [] }
        return names.map { name in
            file.warning(
                "\(name.prefix(40)) looks like a privacy setting and is not read; stories without a privacy are public"
            )
        }
    }
}
