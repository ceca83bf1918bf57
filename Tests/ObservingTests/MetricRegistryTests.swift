import CoreMetrics
import Observing
import Testing

/// The registry that Prometheus reads.
struct MetricRegistryTests {
    private static let hits = MetricDefinition("hits_total", .counter, "Hits.")
    private static let times = MetricDefinition("time_seconds", .histogram, "Times.", bounds: [0.1, 1])
    private static let level = MetricDefinition("level", .gauge, "Level.")

    private let registry = MetricRegistry([hits, times, level])

    private var text: String { String(decoding: PrometheusText.write(registry.families), as: UTF8.self) }

    @Test("OBS-02 Counters, gauges and histograms are written as Prometheus reads them, labels in order and escaped")
    func written() {
        Counter(label: "hits_total", dimensions: [("b", "2"), ("a", "x\"\\\n")], factory: registry).increment(by: 2)
        Counter(label: "hits_total", dimensions: [("a", "x\"\\\n"), ("b", "2")], factory: registry).increment()
        Meter(label: "level", factory: registry).set(1.5)
        let timer = Timer(label: "time_seconds", factory: registry)
        for seconds in [0.1, 0.5, 2.0] { timer.recordNanoseconds(Int64(seconds * 1e9)) }
        #expect(
            text == """
                # HELP hits_total Hits.
                # TYPE hits_total counter
                hits_total{a="x\\"\\\\\\n",b="2"} 3
                # HELP level Level.
                # TYPE level gauge
                level 1.5
                # HELP time_seconds Times.
                # TYPE time_seconds histogram
                time_seconds_bucket{le="0.1"} 1
                time_seconds_bucket{le="1"} 2
                time_seconds_bucket{le="+Inf"} 3
                time_seconds_sum 2.6
                time_seconds_count 3

                """
        )
    }

    @Test("What is not defined, or is of another kind, is not counted")
    func undefined() {
        Counter(label: "other_total", factory: registry).increment()
        Counter(label: "level", factory: registry).increment()
        Meter(label: "hits_total", factory: registry).set(5)
        #expect(text.isEmpty)
    }

    @Test("No label can fill the memory: a metric has a bounded number of series, and those it has go on")
    func bounded() {
        for number in 0...MetricRegistry.mostSeries {
            Counter(label: "hits_total", dimensions: [("n", "\(number)")], factory: registry).increment()
        }
        Counter(label: "hits_total", dimensions: [("n", "0")], factory: registry).increment()
        let samples = registry.families[0].samples
        #expect(samples.count == MetricRegistry.mostSeries)
        #expect(samples.contains(.init(2, [.init("n", "0")])))
    }

    @Test("The system's figures of this process are there, and plausible")
    func process() throws {
        let families = ProcessFigures.families
        func value(_ name: String) throws -> Double {
            try #require(families.first { $0.name == name }?.samples.first?.value, "\(name)")
        }
        #expect(try value("process_resident_memory_bytes") > 1_000_000)
        #expect(try value("process_open_fds") >= 3)
        #expect(try value("process_max_fds") >= value("process_open_fds"))
        #expect(try value("process_start_time_seconds") > 1_700_000_000)
        #expect(try value("process_cpu_seconds_total") >= 0)
        #expect(try value("process_threads") >= 1)
    }
}
