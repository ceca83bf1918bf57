import Foundation
import Geofencing
import Geometry
import Testing

// The code of the article "Fences on the phone". The article shows these lines; a test below compares them.

/// Returns what the phone watches: the nearest fences, and the circle in which they are enough.
func pack(around position: Coordinate, of fences: [Fence]) -> FencePack {
    // A phone can watch 20 regions on iOS and 100 on Android. One of them is the circle.
    FencePack(around: position, limit: 20, in: FenceList(fences))
}

/// Decides on the phone whether a fence was entered.
struct Watcher {
    /// What is watched.
    let pack: FencePack
    /// What is known of the way so far.
    private(set) var state = DeviceState()
    private let evaluator = FenceEvaluator()

    /// Begins, or goes on from what was saved before the system ended the app.
    init(_ pack: FencePack, saved: [UInt8]? = nil) throws {
        self.pack = pack
        if let saved { state = try DeviceState(bytes: saved) }
    }

    /// Takes an event and returns the fences that were entered.
    mutating func take(_ event: FenceEvent) -> [FenceEntry] {
        let effects = evaluator.advance(&state, event, fences: FenceList(pack.fences))
        return effects.compactMap { effect in
            if case .entered(let entry) = effect { entry } else { nil }
        }
    }

    /// When a decision is due without another position, in milliseconds since 1970; `nil` for never.
    var timer: Int64? { state.nextTimer }

    /// Whether the phone has left the circle, so that it needs another pack.
    func needsPack(at position: Coordinate) -> Bool {
        GreatCircle.distance(pack.center, position) > pack.refreshRadius
    }
}

/// The code of the article does what the article says, and is the code of the article.
struct FencesOnThePhoneTests {
    private let scene = Scene()

    /// Follows a walk as an app does that the system ends after every position; returns entries and changes of the
    /// pack.
    private func follow(_ fixes: [Fix], _ fences: [Fence]) throws -> (entries: [FenceEntry], packs: Int) {
        var watcher = try Watcher(pack(around: try #require(fixes.first).coordinate, of: fences))
        var (entries, packs) = ([FenceEntry](), 1)
        for fix in fixes {
            if let timer = watcher.timer, timer <= fix.received { entries += watcher.take(.tick(timer)) }
            entries += watcher.take(.fix(fix))
            let saved = watcher.state.bytes
            let needsPack = watcher.needsPack(at: fix.coordinate)
            let next = needsPack ? pack(around: fix.coordinate, of: fences) : watcher.pack
            packs += needsPack ? 1 : 0
            watcher = try Watcher(next, saved: saved)
        }
        return (entries, packs)
    }

    /// Fences every 500 metres on a street, and more of them than a phone can watch.
    private var street: [Fence] { (0..<40).map { scene.fence(Double($0) * 500, radius: 100) } }

    @Test("NTF-11 A walk enters each fence once, in order, though the app is ended again and again and packs change")
    func walk() throws {
        let fixes = (0..<1_600).map { scene.fix(Double($0) * 10, -300 + 14 * Double($0)) }
        let (entries, packs) = try follow(fixes, street)
        #expect(entries.map(\.place) == street.map(\.id))
        #expect(packs > 2)
    }

    @Test("NTF-11 A single position inside is decided by the timer")
    func timer() throws {
        var watcher = try Watcher(pack(around: scene.point(0, 0), of: street))
        #expect(watcher.take(.fix(scene.fix(0, 10))).isEmpty)
        let timer = try #require(watcher.timer)
        #expect(watcher.take(.tick(timer)).map(\.place) == [street[0].id] && watcher.timer == nil)
    }

    @Test("What was saved by something else is refused")
    func damaged() {
        #expect(throws: DeviceStateError.self) {
            try Watcher(pack(around: scene.point(0, 0), of: []), saved: [1, 2, 3])
        }
    }

    @Test("Every block of Swift in the article stands in this file, line by line")
    func article() throws {
        let here = URL(filePath: #filePath)
        let article = here.deletingLastPathComponent()
            .appending(path: "../../Sources/Geofencing/Geofencing.docc/FencesOnThePhone.md").standardizedFileURL
        let lines = try String(contentsOf: here, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let text = try String(contentsOf: article, encoding: .utf8)
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
        #expect(blocks.count == 3)
        for block in blocks {
            let wanted = block.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            let isThere = lines.indices.contains { lines[$0...].starts(with: wanted) }
            #expect(isThere && wanted.count > 3, "\(block)")
        }
    }
}
