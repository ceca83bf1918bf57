import App
import Formats
import Foundation
import HTTPTypes
import Library
import Observing
import TestSupport
import Testing

/// What the service tells its operators in numbers.
@Suite("Metrics")
struct MetricsTests {
    private static let guide = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../scripts/guide/monitoring").standardizedFileURL

    /// Scrapes a service after some requests.
    private func scrape(_ paths: [String]) async throws -> String {
        let fixture = try await ServiceFixture()
        var options = WaymarkService.Options()
        options.metrics = MetricRegistry()
        let (stream, texts) = AsyncStream<String>.makeStream()
        try await fixture.run(options: options) { client async throws in
            for path in paths { _ = try await client.get(path) }
            let request = Accounts.KeyRequest(holder: .service([.adminOps]), name: "metrics", days: nil)
            let key = try await client.accounts.makeKey(request).text
            let answer = try await client.get("/metrics", headers: KeyTests.bearer(key))
            texts.yield(String(decoding: answer.bytes, as: UTF8.self))
            texts.finish()
        }
        for await text in stream { return text }
        return ""
    }

    @Test("OBS-02 OBS-03 Answers are counted by route and class of status, never by path")
    func requests() async throws {
        let text = try await scrape(["/v1/stories", "/v1/stories/nowhere-secret", "/nothing-secret", "/v1/stories"])
        #expect(
            text.contains("waymark_http_requests_total{method=\"GET\",route=\"/v1/stories\",status=\"2xx\"} 2\n")
        )
        #expect(text.contains("waymark_http_request_seconds_count{route=\"/v1/stories\",status=\"2xx\"} 2\n"))
        #expect(text.contains("route=\"none\",status=\"4xx\"} 1\n"))
        #expect(!text.contains("secret"))
        #expect(text.contains("waymark_ready 1\n"))
        #expect(text.contains("process_resident_memory_bytes "))
    }

    @Test("OBS-02 Every metric of the dashboard and of the alert rules is one that the service has")
    func dashboard() async throws {
        let text = try await scrape(["/v1/stories"])
        var known = Set(
            text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) }
        )
        for name in known { known.formUnion(["_bucket", "_sum", "_count"].map { name + $0 }) }
        // A record of a backup is there only once there is one.
        known.insert("waymark_backup_time_seconds")
        // Free space is there only once a running service has measured it.
        known.insert("waymark_disk_free_bytes")
        for file in ["dashboard.json", "alerts.yaml"] {
            let text = try String(contentsOf: MetricsTests.guide.appending(path: file), encoding: .utf8)
            let names = Set(text.matches(of: /\b(waymark|process)_[a-z_]+/).map { String($0.output.0) })
            #expect(names.count > 8)
            #expect(names.subtracting(known).isEmpty, "\(file): \(names.subtracting(known).sorted())")
        }
        _ = try JSONValue(parsing: Array(Data(contentsOf: MetricsTests.guide.appending(path: "dashboard.json"))))
    }
}
