package import Formats
package import Stories

// Messages of apps that send positions in their own protocols, however they come.
extension FenceService {
    /// The maximum lead of a device's clock, a day in milliseconds: an hour can be corrected, several days cannot.
    package static let clockLead: Int64 = 86_400_000

    /// Evaluates the reports of a message in order, separately for each device.
    ///
    /// A report that cannot be evaluated, such as a latitude of 95 degrees, is acknowledged and counted: if rejected,
    /// it would be sent again forever.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - user: whose positions these are.
    ///   - own: the device of the key with which they were sent; it counts before every other name.
    ///   - named: the name of the device beside the message, which counts before those in it.
    /// - Throws: ``StoreError`` if nothing can be stored; a part of the reports may have been evaluated.
    package func take(
        _ message: DeviceMessage,
        of user: UserID,
        device own: String?,
        named: String?
    ) async throws {
        let now = now()
        let latest = now.milliseconds + FenceService.clockLead
        var devices: [String] = []
        var fixes: [String: [(index: Int, fix: LiveFix)]] = [:]
        let reports = message.reports.enumerated().prefix(StoryLimits.fixCount)
            .filter { $0.element.time.milliseconds <= latest }
        counts.addIgnored(message.ignored + message.reports.count - reports.count)
        if let reason = message.reason {
            let device = own ?? deviceName(named)
            journal.note(ignored: reason.rawValue, reason.sentence, of: user, device: device, at: now)
        }
        for report in message.reports where report.time.milliseconds > latest {
            let device = own ?? deviceName(named ?? report.device)
            let sentence = "Its time is more than a day ahead; set the device's clock."
            journal.note(ignored: "future", sentence, of: user, device: device, at: now)
        }
        for (index, report) in reports {
            let device = own ?? deviceName(named ?? report.device)
            if fixes[device] == nil { devices.append(device) }
            fixes[device, default: []].append((index, LiveFix(report)))
        }
        for device in devices { _ = try await process(fixes[device] ?? [], of: user, device: device) }
    }
}

/// Returns a text as the name of a device, or `default` if it cannot be one.
private func deviceName(_ text: String?) -> String {
    // The id of a report can be the key with which it was sent, and keys must not be stored.
    guard let text, StoryLimits.isDeviceName(text), !text.hasPrefix(SecretText.Kind.key.rawValue) else {
        return "default"
    }
    return text
}

extension LiveFix {
    fileprivate init(_ report: DeviceReport) {
        self.init(
            time: report.time,
            coordinate: report.coordinate,
            accuracy: report.accuracy,
            speed: report.speed,
            course: report.course,
            sequence: nil,
            isSimulated: report.isSimulated
        )
    }
}

extension IgnoredPart {
    /// The reason in a sentence for people, without positions.
    fileprivate var sentence: String {
        switch self {
        case .otherType: "It is not a message with a position."
        case .position: "It has no latitude from -90 to 90 with a longitude from -180 to 180."
        case .time: "It has no time, or one that cannot be read."
        case .invalid: "The device itself says that it has no valid position."
        }
    }
}
