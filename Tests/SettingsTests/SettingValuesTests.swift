import Foundation
import Settings
import Testing

/// Which value of a setting counts, and what may not be.
struct SettingValuesTests {
    private func values(
        _ arguments: [String] = [],
        _ environment: [String: String] = [:],
        file: String? = nil
    ) throws -> SettingValues {
        let file = try file.map { try SettingFile(text: $0, path: "waymark.yaml") }
        return try SettingValues(arguments: arguments, environment: environment, file: file)
    }

    private func problems(
        _ environment: [String: String] = [:],
        file: String? = nil
    ) throws -> [String] {
        do {
            _ = try values([], environment, file: file)
            return []
        } catch let problems as SettingProblems {
            return problems.all.map(\.description)
        }
    }

    @Test("An option comes before the environment, the environment before the file, the file before the default")
    func precedence() throws {
        let port = try #require(SettingTable.setting("port"))
        let file = "# the port of the house\nport: 1003\n"
        let environment = ["WAYMARK_PORT": "1002"]
        let all = try values(["--port", "1001"], environment, file: file).value(of: port)
        #expect((all.texts, all.origin, all.place) == (["1001"], .option, "--port"))
        let two = try values([], environment, file: file).value(of: port)
        #expect((two.texts, two.origin, two.place) == (["1002"], .environment, "WAYMARK_PORT"))
        let one = try values(file: file).value(of: port)
        #expect((one.texts, one.origin, one.place) == (["1003"], .file, "waymark.yaml:2"))
        #expect(try values().value(of: port).origin == .standard)
    }

    @Test("Only what the command line does not say is passed on to it")
    func arguments() throws {
        let file = """
            port: 1003
            allow-origin: [https://a.example, https://b.example]
            allow-http: yes
            oidc-join: no
            invitations-make-accounts: no
            """
        let given = try values(["--port=1001", "--demo"], ["WAYMARK_ALLOW_PORT": "8081,8082"], file: file)
        #expect(
            given.arguments == [
                "--allow-origin=https://a.example", "--allow-origin=https://b.example",
                "--no-invitations-make-accounts",
                "--allow-http", "--allow-port=8081", "--allow-port=8082",
            ]
        )
        // An empty variable says nothing.
        #expect(try values([], ["WAYMARK_HOST": ""]).arguments.isEmpty)
        #expect(try values(["--no-invitations-make-accounts"], file: file).arguments.contains("--allow-http"))
        #expect(
            try !values(["--invitations-make-accounts"], file: file).arguments
                .contains("--no-invitations-make-accounts")
        )
    }

    @Test(
        "A wrong file is refused with its line, the setting, what is wrong and what to do",
        arguments: [
            ("prot: 8080", "waymark.yaml:1: prot: there is no such setting. Did you mean port?"),
            (
                "port: 8080\n\nrate_limit: 5",
                "waymark.yaml:3: rate_limit: there is no such setting. Did you mean rate-limit?"
            ),
            (
                "colour: red",
                "waymark.yaml:1: colour: there is no such setting. 'waymark config show --all' lists all settings."
            ),
            ("demo: yes", "waymark.yaml:1: demo: it is an option for one start. Give it on the command line."),
            ("port: 99999", "waymark.yaml:1: port: '99999' is not a whole number between 0 and 65535. Give one."),
            ("port: [1, 2]", "waymark.yaml:1: port: it must have one value on the same line. Change the line."),
            ("port: {a: 1}", "waymark.yaml:1: port: it must have one value on the same line. Change the line."),
            (
                "log: inf",
                "waymark.yaml:1: log: 'inf' is none of trace, debug, info, notice, warning, error, critical. Did you mean info?"
            ),
            ("allow-http: maybe", "waymark.yaml:1: allow-http: 'maybe' is neither yes nor no. Give one of them."),
            (
                "rate-limit: 0.5",
                "waymark.yaml:1: rate-limit: '0.5' is not 0 or a number between 1 and 1000000000. Give one."
            ),
            (
                "warn-below: lots",
                "waymark.yaml:1: warn-below: 'lots' is not a size. Give one such as 200MB or 1GB; 0 means none."
            ),
            ("stop-within: soon", "waymark.yaml:1: stop-within: 'soon' is not a time. Give one such as 30s or 2min."),
            (
                "jwks: /nowhere/keys.json",
                "waymark.yaml:1: jwks: there is no file /nowhere/keys.json that can be read. Check its path and its permissions."
            ),
            ("- port", "waymark.yaml: it does not contain settings. Write one line for each, such as 'port: 8080'."),
        ]
    )
    func wrong(file: String, words: String) throws {
        #expect(try problems(file: file) == [words])
    }

    @Test("A text that is no YAML, and a setting that stands twice, are refused with their line")
    func noYAML() throws {
        #expect(try problems(file: "port: 8080\nhost: [").first?.hasPrefix("waymark.yaml:") == true)
        #expect(try problems(file: "port: 8080\nport: 8081").first?.contains("port stands in the file twice") == true)
    }

    @Test("All problems are found at once; an empty file, comments and sizes are fine")
    func several() throws {
        #expect(try problems(["WAYMARK_PORT": "x"], file: "log: loud\nbackup-keep: 0").count == 3)
        #expect(try problems(file: "").isEmpty)
        #expect(try problems(file: "# nothing yet\n").isEmpty)
        #expect(try problems(file: "warn-below: 1.5 GiB\nrefuse-below: 0\nstop-within: 2min\nrate-limit: 0").isEmpty)
    }

    @Test("Unknown and wrong lines, variables and what the command says are found at once, in the order of the file")
    func together() throws {
        let text = "metrics-port: 9000\nport: x\nsmtp: smtp://localhost\nprot: 1\nhost: 0.0.0.0\n"
        let file = try SettingFile(text: text, path: "waymark.yaml")
        let (values, wrong) = SettingValues.checked(environment: ["WAYMARK_BACKUP_KEEP": "0"], file: file)
        #expect(values.text("metrics-port") == "9000" && values.text("port") == nil)
        let said = [
            "--host 0.0.0.0: other machines are served with TLS alone. Give --tls-certificate and --tls-key.",
            "--smtp needs --mail-from, the sender's address for e-mails.",
            "--metrics-port and --port are both 9000; give one of them another number.",
            "Give either --demo or --dev.",
        ]
        // The port is wrong already, so nothing that follows from it is said.
        #expect(said.map { SettingProblem.follows($0, from: wrong) } == [false, false, true, false])
        let all = wrong + said.map { SettingProblem(of: $0, in: values) }
        #expect(
            SettingProblems(all: all).description.split(separator: "\n").map(String.init) == [
                "waymark.yaml:1: metrics-port: metrics-port and port are both 9000; give one of them another number.",
                "waymark.yaml:2: port: 'x' is not a whole number between 0 and 65535. Give one.",
                "waymark.yaml:3: smtp: needs mail-from, the sender's address for e-mails.",
                "waymark.yaml:4: prot: there is no such setting. Did you mean port?",
                "waymark.yaml:5: host: other machines are served with TLS alone. Give tls-certificate and tls-key.",
                "WAYMARK_BACKUP_KEEP: backup-keep: '0' is not a whole number between 1 and 10000. Give one.",
                "Give either --demo or --dev.",
            ]
        )
    }

    @Test("A variable that is nearly one of ours is refused, another is none of our business")
    func variables() throws {
        #expect(
            try problems(["WAYMARK_PROT": "1", "WAYMARK_RATE_LIMI": "5"])
                == [
                    "WAYMARK_PROT: there is no such variable. Did you mean WAYMARK_PORT?",
                    "WAYMARK_RATE_LIMI: there is no such variable. Did you mean WAYMARK_RATE_LIMIT?",
                ]
        )
        #expect(try problems(["WAYMARK_SHARED": "x", "WAYMARK_DATA": "y", "WAYMARK_CACHE": "z"]).isEmpty)
    }

    @Test("The differences between two readings are found, whatever they come from")
    func changes() throws {
        let before = try values([], ["WAYMARK_LOG": "info"], file: "port: 1\nlink-scheme: [a1, b1]")
        let after = try values(file: "log: debug\nport: 1\nlink-scheme: [b1, a1]\nhost: 127.0.0.2")
        #expect(before.changes(to: after).map(\.name) == ["host", "link-scheme", "log"])
        #expect(before.changes(to: before).isEmpty)
    }

    @Test("The option names the file, then the variable, then the working folder")
    func path() {
        let environment = ["WAYMARK_CONFIG": "b.yaml"]
        func path(_ arguments: [String], _ environment: [String: String], _ exists: Bool) -> String? {
            SettingValues.filePath(arguments: arguments, environment: environment) { _ in exists }
        }
        #expect(path(["--config", "a.yaml"], environment, true) == "a.yaml")
        #expect(path([], environment, true) == "b.yaml")
        #expect(path([], [:], true) == "waymark.yaml")
        #expect(path([], [:], false) == nil)
    }
}
