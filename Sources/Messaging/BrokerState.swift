import CMosquitto

/// Whether the broker can be reached.
package enum BrokerState: Hashable, Sendable {
    /// Messages come.
    case connected
    /// There is no connection; it is tried again.
    case away(BrokerTrouble)
}

/// Why there is no connection to the broker; without names, addresses and topics.
package enum BrokerTrouble: Hashable, Sendable, CustomStringConvertible {
    /// Its name has no address.
    case noAddress
    /// Nothing answers at its address.
    case unreachable
    /// Its certificate or its encryption is not accepted.
    case insecure
    /// The name or the password is wrong, or the broker does not let this service in.
    case notAdmitted
    /// The broker does not let this service read its topics.
    case notSubscribed
    /// No answer in time.
    case timedOut
    /// The connection ended.
    case lost
    /// A message was handed back, because it could not be stored.
    case handedBack
    /// libmosquitto failed with this code.
    case failed(Int)

    /// One sentence without a full stop.
    package var description: String {
        switch self {
        case .noAddress: "its name has no address"
        case .unreachable: "nothing answers at its address"
        case .insecure: "its certificate or its encryption is not accepted; see --mqtt-ca"
        case .notAdmitted: "it refuses the name, the password or this client"
        case .notSubscribed: "it does not allow this service to read its topics; see the access list of the broker"
        case .timedOut: "it did not answer in time"
        case .lost: "the connection ended"
        case .handedBack: "a message could not be stored and was handed back"
        case .failed(let code): "the connection failed with code \(code)"
        }
    }

    /// Creates a value for the code of a function of libmosquitto.
    init(code: Int32) {
        switch code {
        case MOSQ_ERR_EAI.rawValue: self = .noAddress
        case MOSQ_ERR_ERRNO.rawValue: self = .unreachable
        case MOSQ_ERR_TLS.rawValue, MOSQ_ERR_TLS_HANDSHAKE.rawValue: self = .insecure
        case MOSQ_ERR_CONN_REFUSED.rawValue, MOSQ_ERR_AUTH.rawValue: self = .notAdmitted
        case MOSQ_ERR_CONN_LOST.rawValue, MOSQ_ERR_NO_CONN.rawValue: self = .lost
        case MOSQ_ERR_KEEPALIVE.rawValue: self = .timedOut
        default: self = .failed(Int(code))
        }
    }
}
