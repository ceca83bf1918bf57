public import Stories
import Synchronization

/// Makes the index of texts that come in pieces, so that nobody has to hold all of them at once.
public final class TextIndexBuilder: Sendable {
    private struct State {
        var builder: TextRunBuilder
        var fits = true
    }

    private let key: DigestKey
    private let memory: Int
    private let state: Mutex<State>

    /// Begins an index of at most `memory` bytes; `key` is the secret under which words are hashed.
    public init(key: DigestKey, memory: Int) {
        self.key = key
        self.memory = memory
        state = Mutex(State(builder: TextRunBuilder(key: key)))
    }

    /// Takes in a story, which must not come twice; does nothing once the index has become too large.
    public func add(_ text: SearchableText) {
        state.withLock { $0.fits = $0.fits && $0.builder.memory <= memory && $0.builder.add(text) }
    }

    /// Whether the index takes no more than its limit so far.
    public var fits: Bool { state.withLock { $0.fits } }

    /// The index of all that was added since the start or the last call; `nil` when it would take too much memory.
    ///
    /// Sorts what was added: O(n log n) for n stories.
    public func index() -> TextIndex? {
        let done = state.withLock { state in
            defer { state = State(builder: TextRunBuilder(key: key)) }
            return state
        }
        return done.fits ? TextIndex(key: key, run: done.builder.run()) : nil
    }
}
