import Storage
import Stories

extension SettingsService {
    /// Turns off the e-mails that an unsubscribe link specifies, without a sign-in.
    ///
    /// - Throws: ``Refusal``: not found if the user no longer exists.
    package func unsubscribe(_ token: UnsubscribeToken) async throws {
        guard try await store.read({ try $0.viewer(token.user) }) != nil else { throw Refusal.notFound }
        _ = try await change(of: token.user, source: .app) { settings, _ in token.apply(to: &settings) }
    }
}
