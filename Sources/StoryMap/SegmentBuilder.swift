import Geometry
import Stories

/// Collects rows in any order and builds a segment from them.
struct SegmentBuilder {
    /// A row, with the ends of its ranges in the shared lists.
    struct Pending {
        let story: IndexedStory
        let isRemoval: Bool
        let termsEnd: UInt32
        let placementsEnd: UInt32
        let labelEnd: Int
    }

    private(set) var words = Segment.Words()
    private(set) var pending: [Pending] = []
    /// The details of pending rows that some viewers see and others do not; few rows have any.
    private(set) var details: [Int: StoryDetails] = [:]
    /// The times of pending rows that some viewers see more precisely than the public.
    private(set) var closer: [Int: CloserTimes] = [:]
    private(set) var terms: [UInt32] = []
    private(set) var placements: [IndexedPlacement] = []
    /// What is kept of each placement of stories with further places: few have any.
    private(set) var further: [FurtherContent] = []
    private(set) var labels: [UInt8] = []
    private(set) var digests: [Digest] = []
    private var layerKeys: [LayerKey] = []
    private var kindDigests = KnownDigests()
    private var ownerDigests = KnownDigests()
    private var termDigests = KnownDigests()
    /// The layers of each owner, by the owner's number.
    private var ownersLayers: [OwnersLayers] = []
    private let key: DigestKey

    /// The contribution of a layer to the digests of its rows.
    private struct LayerKey {
        let digest: UInt64
        let isOwn: Bool
    }

    /// The numbers of the layers named after an owner, once looked up.
    private struct OwnersLayers {
        var kin: UInt32?
        var own: UInt32?
    }

    init(key: DigestKey) {
        self.key = key
    }

    var isEmpty: Bool { pending.isEmpty }

    mutating func reserve(_ count: Int) {
        pending.reserveCapacity(count)
        placements.reserveCapacity(count)
    }

    /// Adds a story with its further places; if several of these have the same id, the last one counts.
    mutating func add(_ story: Story, further: [FurtherPlace] = []) {
        let owner = words.owners.intern(story.owner)
        while ownersLayers.count <= Int(owner) { ownersLayers.append(OwnersLayers()) }
        let storyLayer = story.layer
        let layer = number(of: storyLayer, owner: owner)
        var details = StoryDetails.none
        let published = story.publishedPoint
        for placement in story.mapPlacements {
            let isStoryLayer = placement.layer == storyLayer
            let isPublished = isStoryLayer && placement.coordinate == published && placement.weight > 0
            let mark = Int8(placement.weight.signum()) * (isPublished ? 1 : 2)
            // Most stories have no additional details for any viewer.
            if !isPublished, details == .none { details = key.details(of: story) }
            let number = isStoryLayer ? layer : number(of: placement.layer, owner: owner)
            placements.append(IndexedPlacement(layer: number, point: placement.coordinate, mark: mark))
        }
        if !further.isEmpty { add(further, of: story, owner: owner) }
        let kind = words.kinds.intern(story.kind)
        let digests = WordDigests(
            kind: kindDigests[kind] { key.digest(of: story.kind.rawValue) },
            owner: ownerDigests[owner] { key.digest(of: story.owner.rawValue) },
            tags: add(story.tags, Segment.Term.tag),
            people: add(story.people, Segment.Term.person)
        )
        StoryLabel.append(story, to: &labels)
        let times = IndexedTimes(story.indexedTimes)
        let row = IndexedStory(
            id: story.id,
            created: times.created,
            content: key.content(of: story, words: digests),
            kind: kind,
            owner: owner,
            layer: layer,
            collection: story.collection.map { words.collections.intern($0) } ?? IndexedStory.none,
            first: times.first,
            last: times.last
        )
        append(row, isRemoval: false, details: details, closer: closerTimes(of: story, owner: owner))
        sum(pending.count - 1, isSubtracted: false)
    }

    /// Adds a row that removes a story added in `segment`.
    mutating func remove(_ row: Int, of segment: Segment) {
        copy(row, of: segment, isRemoval: true, sign: -1)
        sum(pending.count - 1, isSubtracted: true)
    }

    /// Copies a row unchanged; the caller adds the digests with ``addDigests(of:)``.
    mutating func keep(_ row: Int, of segment: Segment) {
        copy(row, of: segment, isRemoval: row >= segment.addedCount, sign: 1)
    }

    /// Adds the digests of all layers of a segment whose rows were copied.
    mutating func addDigests(of segment: Segment) {
        for (index, layer) in segment.layers.enumerated() {
            // A layer missing in the new segment has lost all its rows, so its digests have cancelled.
            guard let number = words.layers.number(of: segment.words.layers[UInt32(index)]) else { continue }
            digests[Int(number)] = digests[Int(number)] + layer.digest
        }
    }

    /// Drops all but the last row of each story, and their digests.
    ///
    /// - Complexity: O(rows).
    mutating func dropRepeated() {
        let last = StoryTable(lastOf: pending.count) { pending[$0].story.id }
        guard last.count < pending.count else { return }
        var kept = SegmentBuilder(key: key)
        kept.words = words
        kept.digests = digests
        kept.layerKeys = layerKeys
        kept.further = further
        for (index, item) in pending.enumerated() {
            var isLast = false
            last.forEachRow(of: item.story.id, id: { pending[$0].story.id }) { row in
                isLast = row == index
                return false
            }
            guard isLast else {
                sum(index, isSubtracted: true)
                continue
            }
            kept.terms += terms[termRange(index)]
            kept.placements += placements[placementRange(index)]
            kept.labels += labels[labelRange(index)]
            kept.append(item.story, isRemoval: false, details: details[index] ?? .none, closer: closer[index])
        }
        kept.digests = digests
        self = kept
    }

    /// Returns the range of the tags and persons of a pending row.
    func termRange(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(pending[index - 1].termsEnd))..<Int(pending[index].termsEnd)
    }

    /// Returns the range of the placements of a pending row.
    func placementRange(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : Int(pending[index - 1].placementsEnd))..<Int(pending[index].placementsEnd)
    }

    /// Returns the range of the label of a pending row.
    func labelRange(_ index: Int) -> Range<Int> {
        (index == 0 ? 0 : pending[index - 1].labelEnd)..<pending[index].labelEnd
    }
}

extension SegmentBuilder {
    private mutating func append(
        _ story: IndexedStory,
        isRemoval: Bool,
        details: StoryDetails,
        closer: CloserTimes?
    ) {
        pending.append(
            Pending(
                story: story,
                isRemoval: isRemoval,
                termsEnd: UInt32(terms.count),
                placementsEnd: UInt32(placements.count),
                labelEnd: labels.count
            )
        )
        if details != .none { self.details[pending.count - 1] = details }
        if let closer { self.closer[pending.count - 1] = closer }
    }

    /// Returns the times of a story that some viewers see more precisely than the public, `nil` if there are none.
    private mutating func closerTimes(of story: Story, owner: UInt32) -> CloserTimes? {
        let published = story.indexedTimePrecision
        guard published != .exact else { return nil }
        let own = LayerTimes(
            layer: number(of: .own(story.owner), owner: owner),
            times: IndexedTimes(story.times(.exact)),
            date: story.date?.text
        )
        let trusted = story.trustedTimePrecision
        guard trusted < published else { return CloserTimes(owner: own, trusted: nil) }
        let times = story.times(trusted)
        let layer = number(of: story.trustedLayer, owner: owner)
        return CloserTimes(
            owner: own,
            trusted: LayerTimes(layer: layer, times: IndexedTimes(times), date: times.date?.text)
        )
    }

    /// Adds the placements of further places; those of the story's own location come before.
    private mutating func add(_ places: [FurtherPlace], of story: Story, owner: UInt32) {
        let start = pending.last.map { Int($0.placementsEnd) } ?? 0
        for index in start..<placements.count {
            placements[index].further = UInt32(further.count)
            further.append(.own)
        }
        for (index, place) in places.enumerated()
        where place.id != .ownLocation && !places[(index + 1)...].contains(where: { $0.id == place.id }) {
            let (published, shown) = story.placements(of: place.location, isExtent: place.isExtent)
            let outline = place.outline
            for placement in shown {
                let isPublished =
                    placement.layer == story.layer && placement.coordinate == published && placement.weight > 0
                let number = number(of: placement.layer, owner: owner)
                placements.append(
                    IndexedPlacement(
                        layer: number,
                        point: placement.coordinate,
                        mark: Int8(placement.weight.signum()) * (isPublished ? 1 : 2),
                        further: UInt32(further.count)
                    )
                )
                let detail = key.detail(of: place, story, isPublished: isPublished, isOwn: layerKeys[Int(number)].isOwn)
                further.append(
                    FurtherContent(place: place.id, detail: detail, makesFence: place.makesFence, outline: outline)
                )
            }
        }
    }

    /// Adds tags or persons to the lists and returns the sum of their digests.
    private mutating func add(_ texts: [String], _ term: (String) -> Segment.Term) -> UInt64 {
        var sum: UInt64 = 0
        for text in texts {
            let number = words.intern(term(text))
            sum &+= termDigests[number] { key.digest(of: text) }
            terms.append(number)
        }
        return sum
    }

    /// Returns the number of a layer; layers of the owner are looked up by `owner`, the owner's number.
    private mutating func number(of layer: VisibilityLayer, owner: UInt32) -> UInt32 {
        switch layer {
        case .kin(let user) where user == words.owners[owner]:
            if let known = ownersLayers[Int(owner)].kin { return known }
            let number = number(of: layer)
            ownersLayers[Int(owner)].kin = number
            return number
        case .own(let user) where user == words.owners[owner]:
            if let known = ownersLayers[Int(owner)].own { return known }
            let number = number(of: layer)
            ownersLayers[Int(owner)].own = number
            return number
        case .public, .kin, .group, .own: return number(of: layer)
        }
    }

    private mutating func number(of layer: VisibilityLayer) -> UInt32 {
        let number = words.layers.intern(layer)
        if Int(number) == digests.count {
            digests.append(.zero)
            layerKeys.append(LayerKey(digest: key.digest(of: layer), isOwn: layer.isOwn))
        }
        return number
    }

    /// Adds the digests of a row to its layers, or subtracts those of a removed row.
    private mutating func sum(_ index: Int, isSubtracted: Bool) {
        let item = pending[index]
        let details = details[index] ?? .none
        let own = Int(item.story.layer)
        let existence = key.digest(of: item.story, layer: layerKeys[own].digest)
        digests[own] = isSubtracted ? digests[own] - existence : digests[own] + existence
        for closer in closer[index]?.all ?? [] {
            let layer = Int(closer.layer)
            let digest = key.digest(of: item.story, closer: closer, layer: layerKeys[layer].digest)
            digests[layer] = isSubtracted ? digests[layer] - digest : digests[layer] + digest
        }
        for position in placementRange(index) {
            let placement = placements[position]
            let layer = Int(placement.layer)
            let digest = key.digest(
                of: item.story,
                details: layerKeys[layer].isOwn ? details.owner : details.trusted,
                at: placement.point,
                mark: item.isRemoval ? -placement.mark : placement.mark,
                layer: layerKeys[layer].digest,
                further: placement.further == IndexedStory.none ? nil : further[Int(placement.further)]
            )
            digests[layer] = isSubtracted ? digests[layer] - digest : digests[layer] + digest
        }
    }

    private mutating func copy(_ row: Int, of segment: Segment, isRemoval: Bool, sign: Int8) {
        let story = segment.rows[row]
        for term in segment.terms(of: row) { terms.append(words.intern(segment.words.terms[term])) }
        for index in segment.placements(of: row) {
            let position = Int(segment.placements[index])
            let layer = number(of: segment.words.layers[segment.layer(ofPosition: position)])
            let mark = segment.run.marks[position] * sign
            var placement = IndexedPlacement(layer: layer, point: segment.run.points[position], mark: mark)
            if let known = segment.run.further.content(at: position) {
                placement.further = UInt32(further.count)
                further.append(known)
            }
            placements.append(placement)
        }
        // Removed stories are not shown.
        if !isRemoval { labels.append(contentsOf: segment.label(of: row)) }
        let collection =
            story.collection == IndexedStory.none
            ? IndexedStory.none : words.collections.intern(segment.words.collections[story.collection])
        let indexed = IndexedStory(
            id: story.id,
            created: story.created,
            content: story.content,
            kind: words.kinds.intern(segment.words.kinds[story.kind]),
            owner: words.owners.intern(segment.words.owners[story.owner]),
            layer: number(of: segment.words.layers[story.layer]),
            collection: collection,
            first: story.first,
            last: story.last
        )
        var closer = segment.closer[UInt32(row)]
        if let known = closer { closer = known.renumbered { number(of: segment.words.layers[$0]) } }
        append(indexed, isRemoval: isRemoval, details: segment.details(of: row), closer: closer)
    }
}

/// The digests of strings by number, each computed once.
private struct KnownDigests {
    private var known: [UInt64?] = []

    /// Returns the digest of the string with this number, computed by `make` on first use.
    subscript(number: UInt32, make: () -> UInt64) -> UInt64 {
        mutating get {
            // Copied strings have a number but no digest yet.
            while known.count <= Int(number) { known.append(nil) }
            if let digest = known[Int(number)] { return digest }
            let digest = make()
            known[Int(number)] = digest
            return digest
        }
    }
}

extension Story {
    /// The precision of the story's times in the index for all its viewers; the only viewer of a private story is its
    /// owner.
    var indexedTimePrecision: TimePrecision { effectivePrivacy == .private ? .exact : publishedTimePrecision }

    /// The story's times for all its viewers.
    var indexedTimes: ShownTimes { times(indexedTimePrecision) }
}

extension VisibilityLayer {
    fileprivate var isOwn: Bool {
        if case .own = self { true } else { false }
    }
}
