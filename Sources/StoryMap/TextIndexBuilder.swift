public import Stories
import Synchronization

/// Builds an index from texts that arrive in pieces, so that they need not all be in memory at once.
public final class TextIndexBuilder: Sendable {
    private struct State {
        var builder: TextRunBuilder
        var fits = true
    }

    private let key: DigestKey
    private let names: PlaceNames
    private let memory: Int
    private let state: Mutex<State>

    /// Creates a builder for an index of at most `memory` bytes; `key` is the secret used to hash words, `names` returns
    /// further names of places.
    public init(key: DigestKey, memory: Int, names: @escaping PlaceNames = { _, _ in "" }) {
        self.key = key
        self.names = names
        self.memory = memory
        state = Mutex(State(builder: TextRunBuilder(key: key, names: names)))
    }

    /// Adds a story, which must not be added twice; does nothing once the index is too large.
    public func add(_ text: SearchableText) {
        state.withLock { $0.fits = $0.fits && $0.builder.memory <= memory && $0.builder.add(text) }
    }

    /// Whether the index is within its memory limit so far.
    public var fits: Bool { state.withLock { $0.fits } }

    /// Returns the index of everything added since the start or the last call; `nil` if it would exceed the memory
    /// limit.
    ///
    /// Sorts the added stories: O(n log n) for n stories.
    public func index() -> TextIndex? {
        let done = state.withLock { state in
            defer { state = State(builder: TextRunBuilder(key: key, names: names)) }
            return state
        }
        return done.fits ? TextIndex(key: key, names: names, run: done.builder.run()) : nil
    }
}
