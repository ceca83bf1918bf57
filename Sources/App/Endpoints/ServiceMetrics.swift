import Foundation
import Library
import Observing
import Storage
import Stories

/// What the service tells its operators in numbers: about itself, never about people, places or addresses.
struct ServiceMetrics: Sendable {
    let library: StoryLibrary
    /// The registry of metrics; without it, only the outbox, fixes and the writer are reported.
    let registry: MetricRegistry?

    /// Returns the metrics in the text format of Prometheus.
    ///
    /// - Throws: ``StoreError`` if the database does not respond.
    func text() async throws -> [UInt8] { PrometheusText.write(try await families()) }

    private func families() async throws -> [MetricFamily] {
        let entries = try await library.store.read { try $0.outboxCounts() }
        let usual = library.delivery.state.metrics(entries: entries) + library.fences.counts.metrics + writer
        guard let registry else { return usual }
        let times = [library.delivery.state.times, library.fences.counts.times]
        return try await usual + times + database + outbox() + live + upkeep() + registry.families
            + ProcessFigures.families
    }

    /// How often and for how long the writer was held, and the size of the log.
    private var writer: [MetricFamily] {
        let holds = WriterWork.allCases.map {
            (MetricFamily.Label("work", $0.rawValue), library.store.meter.longest($0))
        }
        return [
            MetricFamily(
                "waymark_writer_hold_seconds_max",
                .gauge,
                "The longest time one operation held the writer since the start.",
                holds.map { .init($0.1.time / .seconds(1), [$0.0]) }
            ),
            MetricFamily(
                "waymark_writer_holds_total",
                .counter,
                "The number of times the writer was held since the start.",
                holds.map { .init(Double($0.1.count), [$0.0]) }
            ),
            .gauge("waymark_log_bytes", Double(library.store.logSize), "The size of the log of the database."),
        ]
    }

    private var database: [MetricFamily] {
        let store = library.store
        var families: [MetricFamily] = [
            MetricFamily(
                "waymark_writer_hold_seconds",
                .histogram,
                "For how long operations held the writer; commit is the time until a change is on the disk.",
                WriterWork.allCases.flatMap { work in
                    store.meter.longest(work).durations.samples([.init("work", work.rawValue)])
                }
            ),
            .gauge("waymark_database_bytes", Double(store.size), "The size of the database without its log."),
            .gauge("waymark_reads_under_way", Double(store.reads.underWay), "Reads that hold a connection at present."),
            .counter("waymark_reads_total", Double(store.reads.count), "Reads of the database since the start."),
        ]
        if let free = store.freeSpace {
            families.append(.gauge("waymark_disk_free_bytes", Double(free), "The free space of the database's disk."))
        }
        return families
    }

    private func outbox() async throws -> [MetricFamily] {
        let now = library.now()
        let figures = try await library.store.read { try $0.operatingFigures(at: now) }
        let lag = figures.dueSince.map { Double(max(0, now.milliseconds - $0.milliseconds)) / 1_000 } ?? 0
        return [
            .gauge("waymark_outbox_lag_seconds", lag, "For how long the message due for longest has been due."),
            MetricFamily(
                "waymark_channels_failing",
                .gauge,
                "Channels whose last attempt failed, and those that were switched off for it.",
                [
                    .init(Double(figures.failingChannels), [.init("state", "failing")]),
                    .init(Double(figures.disabledChannels), [.init("state", "off")]),
                ]
            ),
        ]
    }

    private var live: [MetricFamily] {
        let lag = Double(library.live.longestWait(at: library.clock.lasting)) / 1_000
        return [
            .gauge("waymark_streams", Double(library.live.count), "Open live streams."),
            .gauge("waymark_stream_lag_seconds", lag, "For how long the slowest stream has not accepted anything."),
        ]
    }

    private func upkeep() async throws -> [MetricFamily] {
        let readiness = try await Readiness(of: library)
        let codes = Set(readiness.warnings.map(\.code))
        var families: [MetricFamily] = [
            .gauge("waymark_ready", readiness.obstacle == nil ? 1 : 0, "Whether the service is ready."),
            MetricFamily(
                "waymark_warning",
                .gauge,
                "1 while a warning of /readyz applies.",
                Readiness.codes.map { .init(codes.contains($0) ? 1 : 0, [.init("code", $0)]) }
            ),
            MetricFamily(
                "waymark_build_info",
                .gauge,
                "The version of the program.",
                [.init(1, [.init("version", Release.version)])]
            ),
        ]
        for (kind, name) in [(UpkeepRecord.Kind.backup, "backup"), (.check, "check")] {
            guard let record = UpkeepRecord(kind, besideDatabase: library.store.path) else { continue }
            families.append(
                .gauge(
                    "waymark_\(name)_time_seconds",
                    Double(record.at.milliseconds) / 1_000,
                    "When the last \(name) ended, in seconds since 1970."
                )
            )
        }
        return families
    }
}
