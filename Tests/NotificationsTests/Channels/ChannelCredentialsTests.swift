import Notifications
import Testing

@Suite("The operator's credentials for channels")
struct ChannelCredentialsTests {
    @Test("Everything that is wrong with a key of Apple's push service is named, by the option that gives it")
    func objections() {
        let found = APNsKey.objections(teamID: "b", keyID: "a", p8: "no key")
        #expect(found.map(\.field) == ["apns_team", "apns_key_id", "apns_key"])
        #expect(APNsKey.objections(teamID: "TEAM123456", keyID: "KEY123456ü").map(\.field) == ["apns_key_id"])
        #expect(APNsKey.objections(teamID: "TEAM123456", keyID: "KEY1234567").isEmpty)
        let error = #expect(throws: ChannelCredentialsError.self) { try APNsKey(teamID: "b", keyID: "a", p8: "no key") }
        #expect(error?.field == "apns_team")
    }
}
