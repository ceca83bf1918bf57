/// The reason why a story at a visited place is not announced.
package enum NoticeSilence: String, CaseIterable, Hashable, Sendable, CustomStringConvertible {
    /// Notifications of stories nearby are switched off.
    case off
    /// The story is the user's own.
    case own
    /// The user has viewed the story.
    case viewed
    /// The story was announced before.
    case told

    /// The reason as a sentence that names the setting it depends on, if any.
    package var description: String {
        switch self {
        case .off: "Notifications of stories nearby are switched off in your settings."
        case .own: "It is your own story; notify_own in your settings announces those too."
        case .viewed: "You have viewed it; notify_viewed in your settings announces those too."
        case .told: "You were notified of it before, and nobody is notified of the same thing twice."
        }
    }
}
