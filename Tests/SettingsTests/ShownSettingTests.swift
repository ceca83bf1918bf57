import Settings
import Testing

/// What is printed and logged of settings that name addresses.
struct ShownSettingTests {
    @Test(
        "OBS-03 Of an address, neither name nor password nor query is shown, however it is written",
        arguments: [
            ("https://login.example.org/realms/a", "https://login.example.org/realms/a"),
            ("https://user:secret@host/", "https://<hidden>@host/"),
            ("https://secret@host:8443/x", "https://<hidden>@host:8443/x"),
            ("https://user:se/cr@e?t@host/", "https://<hidden>@host/"),
            ("https://user:secret%40host/", "https://user:<hidden>"),
            ("https://user:secret/x", "https://user:<hidden>"),
            ("https://[::1]:8443/x", "https://[::1]:8443/x"),
            ("https://host/x?key=secret", "https://host/x?<hidden>"),
            ("https://host/x#secret", "https://host/x#<hidden>"),
            ("user:secret@mail.example.org:587", "<hidden>@mail.example.org:587"),
            ("user:secret@https://host/", "<hidden>"),
            ("mqtts://broker.example.org:8883", "mqtts://broker.example.org:8883"),
            ("mailto:admin@example.org", "mailto:admin@example.org"),
            ("mailto:admin@example.org?body=secret", "mailto:admin@example.org?<hidden>"),
            ("", ""),
        ]
    )
    func addresses(given: String, shown: String) {
        #expect(Setting.shownAddress(given) == shown)
    }

    @Test("OBS-03 Every setting that names an address hides its secrets, others show what they are")
    func table() throws {
        let names = [
            "public-url", "allow-origin", "media-origin", "allow-embedding", "issuer", "oidc-issuer", "smtp",
            "vapid-subject", "mqtt", "otlp-endpoint", "trace-host",
        ]
        for name in names {
            let setting = try #require(SettingTable.setting(name))
            #expect(setting.shown("user:secret@host") == "<hidden>@host", "\(name)")
        }
        for setting in SettingTable.all {
            #expect(!setting.shown("https://user:secret@host/?key=secret").contains("secret"), "\(setting.name)")
        }
        #expect(SettingTable.setting("mail-from")?.shown("map@example.org") == "map@example.org")
        #expect(SettingTable.setting("smtp-password-file")?.shown("secret.txt") == "<hidden>")
    }

    @Test("OBS-03 What is wrong with a setting is said without its secrets, in the words of the command too")
    func problems() throws {
        let text = "oidc-issuer: https://user:secret@host/\nlog: https://user:secret@host/\njwks: https://u:secret@h/\n"
        let file = try SettingFile(text: text, path: "waymark.yaml")
        let (values, wrong) = SettingValues.checked(environment: [:], file: file)
        #expect(wrong.count == 2)
        let said = SettingProblem(of: "--oidc-issuer: https://user:secret@host/ is no issuer.", in: values)
        #expect(said.description == "waymark.yaml:1: oidc-issuer: https://<hidden>@host/ is no issuer.")
        let key = try SettingFile(text: "https://user:secret@host/: x\n", path: "waymark.yaml")
        #expect(SettingValues.checked(environment: [:], file: key).problems.first?.key == "https://<hidden>@host/")
        let words = SettingProblem(of: "https://user:secret@host/ was not expected.", in: values).description
        for line in wrong.map(\.description) + [said.description, words] {
            #expect(!line.contains("secret"), "\(line)")
        }
    }
}
