import Stories

/// The parts that places play in a story and that have words of their own.
enum RoleText: String, CaseIterable, Sendable {
    case spokenOf = "spoken_of"
    case recorded
    case born
    case died
    case married
    case happened
    case lived
    case worked
    case studied
    case buried
    case departed
    case arrived
    case extent

    /// Returns the words for a role; one that is not known is shown as written.
    static func english(_ role: PlaceRole) -> Phrase {
        if let known = RoleText(rawValue: role.rawValue) { return known.english }
        let words = role.rawValue.replacing("_", with: " ")
        return Phrase(verbatim: words.prefix(1).uppercased() + words.dropFirst())
    }

    /// The text in English.
    private var english: Phrase {
        switch self {
        case .spokenOf: "Spoken of"
        case .recorded: "Recorded"
        case .born: "Born"
        case .died: "Died"
        case .married: "Married"
        case .happened: "Happened"
        case .lived: "Lived"
        case .worked: "Worked"
        case .studied: "Studied"
        case .buried: "Buried"
        case .departed: "Departed"
        case .arrived: "Arrived"
        case .extent: "Whole place"
        }
    }
}
