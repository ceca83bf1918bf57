import Stories

/// The words that say which of its places a story is announced at, in English.
enum FurtherPlaceWords {
    /// Returns "Born here · Hear it from 12:40".
    static func words(_ further: NearbyStory.Further) -> String {
        let start = further.seconds.map { "Hear it from \(time($0))" }
        return [role(further.role), start].compactMap { $0 }.joined(separator: " · ")
    }

    /// Returns what happened at a place of a role.
    static func role(_ role: PlaceRole) -> String {
        switch role.rawValue {
        case "spoken_of": "This place is spoken of"
        case "recorded": "Recorded here"
        case "born": "Born here"
        case "died": "Died here"
        case "married": "Married here"
        case "happened": "Happened here"
        case "lived": "Lived here"
        case "worked": "Worked here"
        case "studied": "Studied here"
        case "buried": "Buried here"
        case "departed": "Departed from here"
        case "arrived": "Arrived here"
        case "extent": "It is about this place"
        default: "In it as “\(role.rawValue.split(separator: "_").joined(separator: " "))”"
        }
    }

    /// Returns a position in a recording as a player shows it: "0:09", "12:40" or "1:02:03".
    static func time(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds), StoryLimits.recordingSeconds))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (whole / 3_600, whole / 60 % 60)
        return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":" + two(whole % 60)
    }
}
