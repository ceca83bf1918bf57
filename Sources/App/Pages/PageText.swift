import Stories

/// A text of the pages that the server writes: all of them stand here in English, which is the key of their translations.
enum PageText: Sendable {
    case skip
    case openMap
    case notFoundTitle
    case notFoundText
    case noScript
    case signIn(SignInText)
    case status(StatusText)

    case kind(StoryKind)
    case level(Privacy)
    case levelMeaning(Privacy)
    case autoPrivate(chosen: Privacy)
    case withheld
    case hidden

    case facts
    case toldBy
    case visibleTo
    case tags
    case people
    case mentions
    case collection

    case place
    case showOnMap
    case noPlace
    case unnamedPlace
    case coordinates
    case approximate(PublishedCell)
    case between(south: String, north: String, west: String, east: String)
    case mapOfPoint
    case mapOfArea(PublishedCell)
    case othersSee(LocationPrecision)
    case familySeesExact
    case accuracy(metres: Int)
    case doubtful(metres: Int)
    case source(LocationSource)
    case proposals
    case proposed

    case furtherPlaces
    case role(PlaceRole)
    case exactPlace
    case lineOfPlace
    case areaOfPlace
    case pointsOfPlace
    case linesOfPlace
    case areasOfPlace
    case othersSeeFurther(LocationPrecision)
    case hearFrom(String)

    case medium(StoryMedium.Form, ending: String?)
    case mediumAt
    case wholePicture
    case language

    case month(Int)
    case dayOfMonth(day: Int, month: String, year: String)
    case monthOfYear(month: String, year: String)
    case dates(from: String, to: String)

    case stories
    case matched(Int)
    case nextStories
    case filter
    case filterProblem(String)
    case searchWords
    case kindOfStory
    case everyKind
    case fromDate
    case toDate
    case sortOrder
    case newestFirst
    case bestFirst
    case oldestFirst
}

extension PageText {
    /// The text in English.
    var english: Phrase {
        switch self {
        case .skip: "Skip to the content"
        case .openMap: "Open the map"
        case .notFoundTitle: "That story is not here"
        case .notFoundText:
            "It does not exist, or it is not for you to see. If your family shares it, sign in on the map page and "
                + "open this address again."
        case .noScript: "To sign in, or to change anything, this page needs JavaScript. Reading works without it."
        case .signIn(let text): text.english
        case .status(let text): text.english
        case .kind(let kind): PageText.english(kind)
        case .level(.public): "Public"
        case .level(.familyOnly): "Family only"
        case .level(.private): "Private"
        case .levelMeaning(.public): "Everyone can see it."
        case .levelMeaning(.familyOnly): "Members of the owner’s family groups can see it."
        case .levelMeaning(.private): "Only its owner can see it."
        case .autoPrivate(let chosen):
            "An app has made this story private for the time being: only you see it. You chose: "
                + "\(PageText.level(chosen).english)."
        case .withheld: "After a report, this story is withheld from everyone but you."
        case .hidden: "You have hidden this story: your map and your lists leave it out."
        case .facts: "About this story"
        case .toldBy: "Told by"
        case .visibleTo: "Who can see it"
        case .tags: "Tags"
        case .people: "People"
        case .mentions: "Also mentions"
        case .collection: "Collection"
        case .place: "Place"
        case .showOnMap: "Show on the map"
        case .noPlace: "No place on the map"
        case .unnamedPlace: "Place without a name"
        case .coordinates: "Latitude and longitude"
        case .approximate(let cell):
            "Somewhere in an area of about \(PageText.kilometres(cell)) km across. The exact place is not shown."
        case .between(let south, let north, let west, let east):
            "Between latitude \(south) and \(north), longitude \(west) and \(east)."
        case .mapOfPoint: "A small map with the place in its middle"
        case .mapOfArea(let cell): "A small map with the area, about \(PageText.kilometres(cell)) km across"
        case .othersSee(.exact): "Everyone who sees the story sees the exact place."
        case .othersSee(.approximate(let cell)):
            "You see the exact place. Others see an area of about \(PageText.kilometres(cell)) km across."
        case .othersSee(.hidden): "You see the exact place. Others see the story without a place."
        case .familySeesExact: "Your family sees the exact place too."
        case .accuracy(let metres): "Accurate to about \(metres) m."
        case .doubtful(let metres): "Low accuracy: the place may be off by \(metres) m or more."
        case .source(.gps): "Measured by a receiver."
        case .source(.manual): "Chosen by a person."
        case .source(.geocoded): "Looked up by its name in a list of places."
        case .source(.aiExtracted): "Read out of the text by a program, and confirmed by the owner."
        case .proposals: "Places to confirm"
        case .proposed:
            "A program read this place out of the text. Nobody else sees it, and it is not on the map, until you "
                + "confirm it."
        case .furtherPlaces: "Places in this story"
        case .role(let role): RoleText.english(role)
        case .exactPlace: "The exact place."
        case .lineOfPlace: "Given as a line."
        case .areaOfPlace: "Given as an area."
        case .pointsOfPlace: "Given as several points."
        case .linesOfPlace: "Given as several lines."
        case .areasOfPlace: "Given as several areas."
        case .othersSeeFurther(.hidden): "Others do not learn of this place."
        case .othersSeeFurther(let precision): PageText.othersSee(precision).english
        case .hearFrom(let time): "Hear it from \(time)"
        case .medium(let form, let ending):
            ending.map { "\(PageText.english(form)) (\($0))" } ?? PageText.english(form)
        case .mediumAt: "at"
        case .wholePicture: "Show the whole picture"
        case .language: "Language"
        case .month(let month): PageText.englishMonths[min(max(month, 1), 12) - 1]
        case .dayOfMonth(let day, let month, let year): "\(day) \(month) \(year)"
        case .monthOfYear(let month, let year): "\(month) \(year)"
        case .dates(let from, let to): "\(from) to \(to)"
        case .stories: "Stories"
        case .matched(0): "No story matches."
        case .matched(1): "1 story"
        case .matched(let count): "\(count) stories"
        case .nextStories: "Further stories"
        case .filter: "Show matching stories"
        case .filterProblem(let name): "The filter “\(name)” cannot be used: it"
        case .searchWords: "Words in the text"
        case .kindOfStory: "Kind"
        case .everyKind: "Every kind"
        case .fromDate: "Not before (year, month or day)"
        case .toDate: "Not after (year, month or day)"
        case .sortOrder: "Order"
        case .newestFirst: "Newest first"
        case .bestFirst: "Best match first"
        case .oldestFirst: "Oldest date first"
        }
    }

    private static func english(_ kind: StoryKind) -> Phrase {
        switch kind {
        case .interview: return "Interview"
        case .photo: return "Photograph"
        case .document: return "Document"
        case .videoObject: return "Video"
        case .observation: return "Observation"
        case .event: return "Event"
        default:
            let words = kind.rawValue.replacing("_", with: " ")
            return Phrase(verbatim: words.prefix(1).uppercased() + words.dropFirst())
        }
    }

    private static func english(_ form: StoryMedium.Form) -> Phrase {
        switch form {
        case .audio: "Recording"
        case .image: "Picture"
        case .video: "Video"
        case .document: "Document"
        case .other: "Recording or picture"
        }
    }

    private static let englishMonths: [Phrase] = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    private static func kilometres(_ cell: PublishedCell) -> String {
        switch cell {
        case .hundredth: "1"
        case .tenth: "11"
        case .degree: "111"
        }
    }
}
