import GRDB
import Observing
package import Stories

extension StoreTransaction {
    /// Continues, in a transaction of no request, the trace of a device's last report; of the device of the user's
    /// first pending visit if `device` is `nil`.
    package func continueTrace(of user: UserID, device: String?) throws {
        guard cause == nil else { return }
        let sql =
            if device == nil {
                """
                SELECT trace FROM pending_visits JOIN evaluator_states USING (user, device)
                WHERE user = :user AND trace IS NOT NULL ORDER BY number LIMIT 1
                """
            } else {
                "SELECT trace FROM evaluator_states WHERE user = :user AND device = :device"
            }
        var arguments: StatementArguments = ["user": user.rawValue]
        if let device { arguments += ["device": device] }
        let text = try String.fetchOne(try db.cachedStatement(sql: sql), arguments: arguments)
        cause = text.flatMap { TraceCause(kept: $0, for: user) }
    }

    /// Returns the text of the present trace to keep in a row about a user, or `nil`.
    func trace(keptFor user: UserID) -> String? { cause?.text(keptFor: user) }
}
