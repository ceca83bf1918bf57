import App
import Testing

@Suite("What a command finds around it")
struct SurroundingsTests {
    @Test(
        "DLV-03 A command dials no address that the service would refuse for that purpose",
        arguments: [
            (.provider(isEncrypted: true), "169.254.169.254"), (.provider(isEncrypted: true), "192.0.2.1"),
            (.provider(isEncrypted: false), "10.0.0.1"), (.collector, "169.254.169.254"), (.collector, "192.0.2.1"),
            (.channels(ranges: []), "127.0.0.1"), (.channels(ranges: ["10.0.0.0/8"]), "192.168.0.1"),
        ] as [(Surroundings.Dialling, String)]
    )
    func refused(dialling: Surroundings.Dialling, host: String) throws {
        let found = Surroundings.obstacle(
            host: host,
            port: 443,
            isEncrypted: true,
            certificates: nil,
            dialling: dialling
        )
        let obstacle = try #require(found)
        #expect(obstacle.isRefused)
    }

    @Test("An address that the service dials is dialled, and what is in the way is said")
    func dialled() throws {
        let ways: [Surroundings.Dialling] = [
            .all, .provider(isEncrypted: false), .collector, .channels(ranges: ["127.0.0.0/8"]),
        ]
        for dialling in ways {
            let found = Surroundings.obstacle(
                host: "127.0.0.1",
                port: 1,
                isEncrypted: false,
                certificates: nil,
                dialling: dialling
            )
            let obstacle = try #require(found)
            #expect(!obstacle.isRefused && obstacle.words.contains("connection"), "\(obstacle.words)")
        }
    }
}
