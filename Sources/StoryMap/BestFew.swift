/// The first few of many elements in some order, without sorting all of them.
struct BestFew<Element> {
    private let most: Int
    private let precedes: (Element, Element) -> Bool
    private var kept: [Element] = []
    /// An element after which nothing is wanted any more; `nil` until enough were seen.
    private var last: Element?

    /// Creates an empty collection of at most `most` elements in the order of `precedes`.
    init(_ most: Int, by precedes: @escaping (Element, Element) -> Bool) {
        self.most = most
        self.precedes = precedes
    }

    /// Considers an element.
    ///
    /// - Complexity: O(log *most*) on average over many.
    mutating func consider(_ element: Element) {
        if let last, !precedes(element, last) { return }
        kept.append(element)
        if kept.count >= 2 * most + 256 { shorten() }
    }

    /// Returns the first elements in order.
    mutating func sorted() -> [Element] {
        shorten()
        return kept
    }

    private mutating func shorten() {
        kept.sort(by: precedes)
        guard kept.count >= most else { return }
        kept.removeLast(kept.count - most)
        last = kept.last
    }
}
