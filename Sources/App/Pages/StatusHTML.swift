import Formats
import Library
import Storage
import Stories

/// The state of the service as a page for its operator, which needs no script.
///
/// It shows what `/v1/service/status` answers to the same credentials, and nothing else.
struct StatusHTML: Sendable {
    let status: ServiceStatus
    let site: PageSite
    /// The address of the page.
    let path: String
    /// Whether the browser fetches the page again every few seconds.
    let isRefreshed: Bool

    private func words(_ text: StatusText) -> String { site.language.words(.status(text)) }

    /// The whole page.
    var bytes: [UInt8] {
        PageFrame.document(
            title: words(.title),
            site: site,
            isIndexed: false,
            hasScript: false,
            head: { html in
                if isRefreshed { html.markup("<meta http-equiv=\"refresh\" content=\"5\">\n") }
            },
            main: { html in
                html.element("main", [.text("id", "story"), .text("class", "story-sheet")]) { html in
                    html.element("h1", text: words(.title))
                    html.element("p", [.text("class", "story-note"), .text("role", "status")]) { html in
                        html.text(words(status.readiness.obstacle == nil ? .ready : .notReady))
                    }
                    html.element("p", [.text("class", "story-line")], text: words(.readAt(instant(status.at))))
                    writeWarnings(to: &html)
                    html.element("dl", [.text("class", "story-facts")]) { html in writeFacts(to: &html) }
                    html.element("p") { html in
                        let target = WebAddress(isRefreshed ? path : path + "?refresh=true")
                        html.element(
                            "a",
                            [.text("class", "media-link"), .href(target)],
                            text: words(isRefreshed ? .stopRefreshing : .refreshEvery)
                        )
                    }
                }
            }
        )
    }

    private func writeWarnings(to html: inout HTMLWriter) {
        guard !status.readiness.warnings.isEmpty else { return }
        html.element("h2", text: words(.attention))
        html.element("ul") { html in
            for warning in status.readiness.warnings {
                // Advice to operators stands in the log and in /readyz in English alone.
                html.element("li", [.text("lang", "en"), .text("dir", "ltr")]) { html in
                    html.element("strong", text: warning.code)
                    html.text(": " + warning.detail)
                }
                html.markup("\n")
            }
        }
    }

    private func writeFacts(to html: inout HTMLWriter) {
        let (figures, limits) = (status.figures, status.disk.limits)
        write(.lastBackup, [record(status.backup)], to: &html)
        write(.lastCheck, [record(status.check)], to: &html)
        var space = [status.disk.free.map { words(.megabytes($0 / 1_000_000)) } ?? words(.unknown)]
        if limits != .none {
            let (warn, refuse) = (limits.warnBelow / 1_000_000, limits.refuseBelow / 1_000_000)
            space.append(words(.spaceLimits(warn: warn, refuse: refuse)))
        }
        write(.freeSpace, space, to: &html)
        let sizes = (status.disk.database / 1_000_000, status.disk.log / 1_000_000)
        write(.database, [words(.sizes(database: sizes.0, log: sizes.1))], to: &html)
        var messages = [words(.messages(count: figures.waiting, dead: figures.dead))]
        if let oldest = figures.oldest { messages.append(words(.oldest(instant(oldest)))) }
        write(.waiting, messages, to: &html)
        let lags = (seconds(status.traffic.deliveryLag), seconds(status.traffic.streamLag))
        write(.lag, [words(.lags(delivery: lags.0, stream: lags.1, open: status.traffic.streams))], to: &html)
        write(.channels, [words(.failing(figures.failingChannels, disabled: figures.disabledChannels))], to: &html)
        write(.devices, [words(.deviceCounts(hour: figures.devicesLastHour, day: figures.devicesLastDay))], to: &html)
        write(.versions, ["Waymark \(Release.version), SQLite \(status.sqlite.text)"], to: &html)
        if let defect = status.sqlite.defect {
            html.element("div") { html in
                html.element("dt", text: "SQLite")
                html.element("dd", [.text("lang", "en"), .text("dir", "ltr")], text: defect)
            }
        }
    }

    private func write(_ name: StatusText, _ values: [String], to html: inout HTMLWriter) {
        html.element("div") { html in
            html.element("dt", text: words(name))
            for value in values { html.element("dd", text: value) }
        }
        html.markup("\n")
    }

    private func record(_ record: UpkeepRecord?) -> String {
        guard let record else { return words(.noneRecorded) }
        return words(.record(at: instant(record.at), outcome: record.outcome))
    }

    private func instant(_ instant: Timestamp) -> String { RFC3339.format(instant) }

    /// Returns milliseconds as seconds with one decimal place.
    private func seconds(_ milliseconds: Int) -> String {
        words(.seconds("\(milliseconds / 1_000).\(milliseconds % 1_000 / 100)"))
    }
}
