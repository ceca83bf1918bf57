import Formats
import Foundation
import HTTPTypes
import Library
import Storage
import TestSupport
import Testing

@Suite("A database replaced while the service runs")
struct ReplacedFileTests {
    @Test("REL-02 OBS-04 Writes are answered with 503, the service is not ready, and the log says why once")
    func replaced() async throws {
        let lines = LogLines()
        let fixture = try await ServiceFixture(logger: lines.logger)
        try await fixture.makeFamilies()
        let path = fixture.folder.path("waymark.db")
        try await fixture.run { client async throws in
            let kept = try await client.create(as: "ana", title: "Kept")
            try FileManager.default.copyItem(atPath: path, toPath: path + ".old")
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
            // It is noticed even before anything is written.
            let ready = try await client.get("/readyz")
            #expect(ready.status == 503 && ready.json["type"]?.string == "/problems/writing-stopped")
            for _ in 0..<5 {
                let body = "{\"kind\":\"interview\",\"title\":\"Lost\"}"
                #expect(try await client.send(.post, "/v1/stories", as: "ana", body).status == 503)
            }
            #expect(try await client.get("/v1/stories/\(kept)", as: "ana").status == 200)
            #expect(try await client.get("/healthz").status == 200)
        }
        let said = lines.beginning(with: "critical writing has stopped")
        #expect(said.count == 1 && said[0].contains("another file was put in the place of the database"))
        try fixture.library.store.close()
    }
}
