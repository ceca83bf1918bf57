import App
import ArgumentParser
import Formats
import Foundation
import Library
import Logging
import Messaging
import OpenID
import Settings
import Storage
import Stories
import Web

/// `waymark doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks at everything the service needs: installed, found, configured, reachable.",
        discussion: """
            Prints a line for each thing: ok, note (it works, and you may want to know) or problem, with what to do. It \
            changes nothing, and asks a running service how it is. It connects to the mail server, the broker and other \
            machines that the settings name, but sends them nothing; --offline leaves them out. Run it as the user who runs \
            the service. A service that was started with another --host or --port than the settings name is found by the \
            same options here.

            Exit codes: 0 no problem, 1 a problem, 2 wrong usage.

            Example: waymark doctor --file /etc/waymark/waymark.yaml
            """
    )

    @Option(
        name: [.customLong("file"), .customLong("config")],
        help: "The file of settings; by default $WAYMARK_CONFIG, or waymark.yaml if there is one."
    )
    var file: String?
    @Option(help: "The address that serve was given, if it is not the one of the settings.")
    var host: String?
    @Option(parsing: .unconditional, help: "The port that serve was given, if it is not the one of the settings.")
    var port: Int?
    @Flag(help: "Connect to no other machine.")
    var offline = false
    @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
    var format: PlaceFormat?
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        guard port.map({ (0...65_535).contains($0) }) ?? true else {
            throw CommandFailure.usage("--port must be between 0 and 65535.")
        }
        guard host?.isEmpty != true else { throw CommandFailure.usage("--host must not be empty.") }
        let (serve, settings) = try await configured()
        let survey = StoreSurvey(database.database ?? serve.database.path)
        var findings = InstalledParts.findings()
        findings += FoundData(folders: DataFolders(), logger: database.logger(level: .critical)).findings()
        findings += settings
        findings += DatabaseState(survey: survey, limits: serve.space.limits, now: SystemClock.now).findings()
        findings += backupFolder(of: serve)
        findings += certificate(of: serve)
        let address = ListeningAddress(
            host: host ?? serve.host,
            port: port ?? serve.port,
            isEncrypted: (try? serve.encryption.files()) != nil,
            database: survey.path,
            isHeld: survey.isHeld
        )
        findings += address.findings()
        if !offline { findings += serve.otherMachines.map { $0.finding() } }
        try report(findings)
    }

    private func report(_ findings: [Finding]) throws {
        if format ?? (Console.isTerminal ? .text : .json) == .json {
            Console.line(Finding.json(findings))
        } else {
            for finding in findings { Console.line(finding.line) }
        }
        let problems = findings.filter { $0.state == .problem }.count
        guard problems > 0 else { return Console.remark("No problem was found.", quiet: database.quiet) }
        Console.error("\(counted(problems, "problem was", "problems were")) found.")
        throw ExitCode(ExitStatus.failed.rawValue)
    }

    /// Returns what `serve` would be started with, without the settings that are wrong, and what is to say about these.
    private func configured() async throws -> (serve: ServeCommand, findings: [Finding]) {
        var (arguments, findings) = ([String](), [Finding]())
        do {
            let (values, problems) = try await ConfigCommand.Check.judged(file)
            arguments = values.arguments
            findings = problems.map { Finding(.problem, "settings", $0.description) }
            let given = SettingTable.all.filter { values.value(of: $0).origin != .standard }.count
            let from = values.path.map { "\($0) and the environment" } ?? "the environment; there is no file"
            if problems.isEmpty {
                findings = [Finding(.ok, "settings", "\(counted(given, "setting", "settings")) from \(from)")]
            }
        } catch let problems as SettingProblems {
            findings = problems.all.map { Finding(.problem, "settings", $0.description) }
        }
        // If the options do not fit together, everything else is looked at as for a start without any.
        for given in [arguments, []] {
            guard let serve = try? WaymarkCommand.parseAsRoot(["serve"] + given) as? ServeCommand else { continue }
            return (serve, findings)
        }
        throw CommandFailure.failed("The options of 'waymark serve' cannot be read.")
    }

    private func backupFolder(of serve: ServeCommand) -> [Finding] {
        guard let folder = serve.backups.folder, FileManager.default.fileExists(atPath: folder) else { return [] }
        guard access(folder, W_OK) != 0 else { return [Finding(.ok, "folder of backups", folder)] }
        return [
            Finding(
                .problem,
                "folder of backups",
                "\(folder) cannot be written by this user.",
                remedy: "Let the user who runs the service write it."
            )
        ]
    }

    private func certificate(of serve: ServeCommand) -> [Finding] {
        guard let certificates = try? serve.encryption.certificates() else { return [] }
        let now = SystemClock.now
        let warnings = certificates.warnings(at: now)
        guard warnings.isEmpty else {
            let state: Finding.State = certificates.expiry <= now ? .problem : .note
            return warnings.map { Finding(state, "certificate", $0.detail) }
        }
        return [Finding(.ok, "certificate", "valid until \(RFC3339.format(certificates.expiry).prefix(10))")]
    }
}

extension ServeCommand {
    /// The machines that a service with these options connects to, without the addresses of its users' channels.
    fileprivate var otherMachines: [OtherMachine] {
        let trusted = sendingOptions.certificates
        let wall = "Look whether it runs, and whether a firewall is between."
        let phones = "Notifications on phones need it. Look for a firewall."
        let broker = (try? messaging.broker())?.address
        // What the service refuses is said of its setting, and not connected to.
        let issuer = provider.issuer.flatMap { try? ProviderOptions.issuer($0) }
        let collector = watch.collector.flatMap { try? SpanCollector.url($0) }
        let address = publicURL.flatMap { try? ServeCommand.address($0) }
        let channels = Surroundings.Dialling.channels(ranges: sendingOptions.ranges)
        let machines = [
            OtherMachine(
                "mail server",
                (try? sendingOptions.sender())?.mailServer,
                trusting: trusted,
                remedy: "\(wall) --smtp names it."
            ),
            OtherMachine(
                "broker",
                broker.map { ($0.host, $0.port, $0.isEncrypted) },
                trusting: messaging.certificates,
                remedy: "\(wall) --mqtt names it, and --mqtt-ca its certificate."
            ),
            OtherMachine(
                "provider for signing in",
                issuer.flatMap { OtherMachine.place(of: $0.text) },
                trusting: trusted,
                dialling: .provider(isEncrypted: issuer?.isEncrypted ?? true),
                remedy: "\(wall) --oidc-issuer names it."
            ),
            OtherMachine(
                "collector of spans",
                collector.flatMap(OtherMachine.place),
                trusting: trusted,
                dialling: .collector,
                remedy: "\(wall) --otlp-endpoint names it."
            ),
            OtherMachine(
                "push service of Apple",
                sendingOptions.apnsKey.map { _ in ("api.push.apple.com", 443, true) },
                trusting: trusted,
                dialling: channels,
                remedy: phones
            ),
            OtherMachine(
                "push service of Google",
                sendingOptions.fcmAccount.map { _ in ("fcm.googleapis.com", 443, true) },
                trusting: trusted,
                dialling: channels,
                remedy: phones
            ),
            OtherMachine(
                "public URL",
                address.flatMap(OtherMachine.place),
                isNeeded: false,
                remedy: "That may be so from inside alone, if a router does not lead back: try from outside."
            ),
        ]
        return machines.compactMap(\.self)
    }
}
