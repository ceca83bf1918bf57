import Storage
import Stories

extension StoryLibrary {
    /// Turns off the e-mails that a link names, without signing in.
    ///
    /// - Throws: ``Refusal``, not found, if there is no such user any more.
    func unsubscribe(_ token: UnsubscribeToken) async throws {
        guard try await viewer(of: token.user) != nil else { throw Refusal.notFound }
        _ = try await changeSettings(of: token.user, source: .app) { settings, _ in token.apply(to: &settings) }
    }
}
