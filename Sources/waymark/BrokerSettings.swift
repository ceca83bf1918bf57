import ArgumentParser
import Foundation
import Messaging

/// The operator's broker of messages (MQTT).
struct BrokerSettings: ParsableArguments {
    @Option(
        help: """
            The broker from which positions of OwnTracks are taken and through which notifications leave, such as \
            mqtts://broker.example.org:8883; mqtt:// only on this machine or at a private IP address.
            """
    )
    var mqtt: String?
    @Option(help: "The name with which the service signs in at the broker.")
    var mqttUser: String?
    @Option(help: "A file with the password for the broker.")
    var mqttPasswordFile: String?
    @Option(
        name: .customLong("mqtt-ca"),
        help: "A file of certificates (PEM) to trust for the broker instead of the system's."
    )
    var certificates: String?
    @Option(help: "The beginning of all topics of this service; by default \(BrokerTopics.usualPrefix).")
    var mqttPrefix: String?
    @Option(
        help: """
            The prefix under which Home Assistant looks for entities, homeassistant by default there: shows it the channels \
            of kind mqtt.
            """
    )
    var mqttDiscoveryPrefix: String?

    /// Returns the broker; `nil` for none.
    ///
    /// - Throws: ``CommandFailure`` naming the option that cannot be used.
    func broker() throws -> BrokerOptions? {
        guard let mqtt else {
            let others = [
                ("--mqtt-user", mqttUser), ("--mqtt-password-file", mqttPasswordFile), ("--mqtt-ca", certificates),
                ("--mqtt-prefix", mqttPrefix), ("--mqtt-discovery-prefix", mqttDiscoveryPrefix),
            ]
            guard let other = others.first(where: { $0.1 != nil }) else { return nil }
            throw CommandFailure.usage("\(other.0) needs --mqtt, the address of the broker.")
        }
        let password = try mqttPasswordFile.map {
            try SendingOptions.text(of: $0, "--mqtt-password-file").trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard password == nil || mqttUser != nil else {
            throw CommandFailure.usage("--mqtt-password-file needs --mqtt-user, the name at the broker.")
        }
        if let certificates {
            // libmosquitto reads the file at each connection and says only that it failed.
            guard try SendingOptions.text(of: certificates, "--mqtt-ca").contains("-----BEGIN CERTIFICATE-----") else {
                throw CommandFailure.usage(
                    "--mqtt-ca: \(certificates) holds no certificate in PEM, which begins with -----BEGIN "
                        + "CERTIFICATE-----."
                )
            }
        }
        do throws(BrokerProblem) {
            return try BrokerOptions(
                address: mqtt,
                login: mqttUser.map { BrokerOptions.Login(user: $0, password: password) },
                certificates: certificates,
                prefix: mqttPrefix ?? BrokerTopics.usualPrefix,
                discovery: mqttDiscoveryPrefix
            )
        } catch {
            throw CommandFailure.usage(error.description)
        }
    }
}
