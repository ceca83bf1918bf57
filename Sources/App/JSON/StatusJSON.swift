import Formats
import Library
import Storage
import Stories

/// The state of the service as its operator gets it.
enum StatusJSON: Sendable {
    static func write(_ status: ServiceStatus) -> [UInt8] {
        var json = JSONWriter(capacity: 1_500)
        json.beginObject()
        json.member("at", RFC3339.format(status.at))
        json.member("status", status.readiness.obstacle == nil ? "ready" : "not-ready")
        write(status.readiness.warnings, to: &json)
        json.member("version", Release.version)
        json.key("sqlite")
        json.beginObject()
        json.member("version", status.sqlite.text)
        if let defect = status.sqlite.defect { json.member("defect", defect) }
        json.endObject()
        write("last_backup", status.backup, to: &json)
        write("last_check", status.check, to: &json)
        json.key("disk")
        json.beginObject()
        json.key("free_bytes")
        if let free = status.disk.free { json.value(free) } else { json.null() }
        json.member("warn_below_bytes", status.disk.limits.warnBelow)
        json.member("refuse_below_bytes", status.disk.limits.refuseBelow)
        json.member("database_bytes", status.disk.database)
        json.member("log_bytes", status.disk.log)
        json.endObject()
        writeDelivery(status, to: &json)
        json.key("streams")
        json.beginObject()
        json.member("open", status.traffic.streams)
        json.member("lag_ms", status.traffic.streamLag)
        json.endObject()
        json.key("devices")
        json.beginObject()
        json.member("last_hour", status.figures.devicesLastHour)
        json.member("last_day", status.figures.devicesLastDay)
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// Writes the member `warnings`.
    static func write(_ warnings: [ReadinessWarning], to json: inout JSONWriter) {
        json.key("warnings")
        json.beginArray()
        for warning in warnings {
            json.beginObject()
            json.member("code", warning.code)
            json.member("detail", warning.detail)
            json.endObject()
        }
        json.endArray()
    }

    private static func writeDelivery(_ status: ServiceStatus, to json: inout JSONWriter) {
        json.key("outbox")
        json.beginObject()
        json.member("waiting", status.figures.waiting)
        json.member("oldest", status.figures.oldest.map { RFC3339.format($0) })
        json.member("sending", status.traffic.sending)
        json.member("lag_ms", status.traffic.deliveryLag)
        json.member("dead", status.figures.dead)
        json.endObject()
        json.key("channels")
        json.beginObject()
        json.member("failing", status.figures.failingChannels)
        json.member("disabled", status.figures.disabledChannels)
        json.endObject()
    }

    private static func write(_ key: String, _ record: UpkeepRecord?, to json: inout JSONWriter) {
        json.key(key)
        guard let record else { return json.null() }
        json.beginObject()
        json.member("at", RFC3339.format(record.at))
        json.member("outcome", record.outcome)
        json.key("figures")
        json.beginObject()
        for (name, figure) in record.figures.sorted(by: { $0.key < $1.key }) { json.member(name, figure) }
        json.endObject()
        json.endObject()
    }
}
