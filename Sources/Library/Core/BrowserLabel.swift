/// A few words for a browser and its system, such as "Firefox on Android", for a person's list of their devices.
///
/// Only families are named, no versions and no models: the header itself would tell devices apart, and is not stored.
package enum BrowserLabel: Sendable {
    /// The number of bytes of the header that are looked at.
    private static let mostBytes = 1_000
    /// Marks of browsers; one that imitates another comes before it.
    private static let browsers = [
        ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"),
        ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"),
        ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    /// Marks of systems; one that imitates another comes before it.
    private static let systems = [
        ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Macintosh", "Mac"), ("Linux", "Linux"),
    ]

    /// The label of anything unknown.
    package static let unknown = "A browser"

    /// Returns the label for a `User-Agent` header.
    package static func label(userAgent: String?) -> String {
        let text = String(decoding: (userAgent ?? "").utf8.prefix(mostBytes), as: UTF8.self)
        let browser = browsers.first { text.contains($0.0) }?.1
        let system = systems.first { text.contains($0.0) }?.1
        switch (browser, system) {
        case (let browser?, let system?): return "\(browser) on \(system)"
        case (let browser?, nil): return browser
        case (nil, let system?): return "\(unknown) on \(system)"
        case (nil, nil): return unknown
        }
    }
}
