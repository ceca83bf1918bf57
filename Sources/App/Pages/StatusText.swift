/// The texts of the page that shows operators the state of the service.
enum StatusText: Sendable {
    case title
    case ready
    case notReady
    case readAt(String)
    case refreshEvery
    case stopRefreshing
    case attention
    case lastBackup
    case lastCheck
    case noneRecorded
    case record(at: String, outcome: String)
    case freeSpace
    case unknown
    case megabytes(Int)
    case spaceLimits(warn: Int, refuse: Int)
    case database
    case sizes(database: Int, log: Int)
    case waiting
    case messages(count: Int, dead: Int)
    case oldest(String)
    case lag
    case lags(delivery: String, stream: String, open: Int)
    case seconds(String)
    case channels
    case failing(Int, disabled: Int)
    case devices
    case deviceCounts(hour: Int, day: Int)
    case versions

    var english: Phrase {
        switch self {
        case .title: "State of the service"
        case .ready: "The service is ready."
        case .notReady: "The service is not ready: changes are not stored."
        case .readAt(let instant): "Read at \(instant)."
        case .refreshEvery: "Refresh this page every 5 seconds"
        case .stopRefreshing: "Stop refreshing this page"
        case .attention: "What needs attention"
        case .lastBackup: "Last backup"
        case .lastCheck: "Last check"
        case .noneRecorded: "None is recorded."
        case .record(let instant, let outcome): "\(instant): \(outcome)"
        case .freeSpace: "Free space"
        case .unknown: "Unknown"
        case .megabytes(let count): "\(count) MB"
        case .spaceLimits(let warn, let refuse): "Warning below \(warn) MB, new data rejected below \(refuse) MB."
        case .database: "Database"
        case .sizes(let database, let log): "\(database) MB, and \(log) MB of log"
        case .waiting: "Messages"
        case .messages(let count, let dead): "\(count) waiting, \(dead) given up"
        case .oldest(let instant): "The oldest has been waiting since \(instant)."
        case .lag: "Lag"
        case .lags(let delivery, let stream, let open):
            "Deliveries \(delivery), live streams \(stream) (\(open) open)"
        case .seconds(let text): "\(text) s"
        case .channels: "Channels"
        case .failing(let failing, let disabled): "\(failing) failing, \(disabled) switched off"
        case .devices: "Devices that reported"
        case .deviceCounts(let hour, let day): "\(hour) in the last hour, \(day) in the last day"
        case .versions: "Versions"
        }
    }
}
