import Notifications
import Storage
import Stories

extension StoryLibrary {
    /// An instant in words, for somebody who need not be a user: as it is written for the one who writes to them, with the
    /// name of the zone.
    func dateWords(_ time: Timestamp, asFor writer: UserID, in transaction: StoreTransaction) throws -> String {
        let settings = try transaction.notificationSettings(of: writer)
        let clock = ZoneClock(of: settings)
        return DateWords.words(time, zone: clock.offset, language: settings.language, zoneName: settings.zone)
    }
}
