import Notifications
import Storage
import Stories

extension StoreReader {
    /// What somebody calls people: by their own labels, else by the people's own names; the built-in archive is nobody.
    func callNames(of people: Set<UserID>, for viewer: UserID?) throws -> [UserID: String] {
        let people = people.subtracting([StoryLibrary.archive])
        var names = try names(of: people)
        guard let viewer else { return names }
        for (person, label) in try labels(of: viewer, for: people) where names[person] != nil { names[person] = label }
        return names
    }

    /// Who tells stories, as their reader calls them; nobody where the preview does not name anybody.
    func tellers(
        of stories: some Sequence<Story>,
        for viewer: Viewer,
        preview: NotificationSettings.Preview
    ) throws -> [UserID: String] {
        guard preview == .full else { return [:] }
        return try callNames(of: Set(stories.map(\.owner)), for: viewer.user)
    }
}

extension StoryLibrary {
    /// An instant in words, for somebody who need not be a user: as it is written for the one who writes to them, with the
    /// name of the zone.
    func dateWords(_ time: Timestamp, asFor writer: UserID, in transaction: StoreTransaction) throws -> String {
        let settings = try transaction.notificationSettings(of: writer)
        let clock = ZoneClock(of: settings)
        return DateWords.words(time, zone: clock.offset, language: settings.language, zoneName: settings.zone)
    }
}
