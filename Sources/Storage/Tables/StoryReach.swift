public import Stories

/// Who may see a story and how exactly, as far as a change of it can make the story narrower or wider.
public struct StoryReach: Hashable, Sendable {
    /// The level.
    var privacy: Privacy
    /// The digest of the family that the story names; `nil` if it names none.
    var family: StoryID?
    /// Whether it is temporarily private by itself, not only because its account is.
    var isHeld: Bool
    /// Whether a report withholds it.
    var isWithheld: Bool
    /// The precision at which those see it who are not trusted with more.
    var precision: LocationPrecision
    /// Whether the family sees the exact point.
    var familySeesExact: Bool
    /// Whether the exact times are shown beside a coarse place.
    var showsExactTimes: Bool

    /// Describes a story; `family` is the digest of the family it names.
    ///
    /// A story without a location counts as one whose location is hidden, so that a location that was removed does not
    /// return.
    init(_ story: Story, family: StoryID?, isAccountHeld: Bool) {
        privacy = story.privacy
        self.family = privacy == .private ? nil : family
        isHeld = story.autoPrivate && !isAccountHeld
        isWithheld = story.isWithheld
        precision = story.location?.published ?? .hidden
        // Where everybody sees the exact point, nobody is trusted with more. Where a sensitive area limits even the family,
        // a copy without that area shows the family what it shows everybody.
        let isFree = story.location?.floor == .exact
        familySeesExact = precision == .exact || (isFree && story.location?.familySeesExact == true)
        showsExactTimes = precision == .exact || (isFree && story.location?.showsExactTimes == true)
        if privacy == .public, precision == .exact { self.family = nil }
    }

    /// Returns the narrower of two reaches in every respect.
    ///
    /// If they name different families, nobody belongs to both for certain.
    func narrowed(to other: StoryReach) -> StoryReach {
        var result = self
        result.privacy = privacy.stricter(other.privacy)
        if let family, let theirs = other.family, family != theirs {
            (result.family, result.familySeesExact) = (nil, false)
            if result.privacy == .familyOnly { result.privacy = .private }
        } else {
            result.family = family ?? other.family
        }
        if result.privacy == .private { result.family = nil }
        result.isHeld = isHeld || other.isHeld
        result.isWithheld = isWithheld || other.isWithheld
        result.precision = precision.stricter(other.precision)
        result.familySeesExact = result.familySeesExact && other.familySeesExact
        result.showsExactTimes = showsExactTimes && other.showsExactTimes
        return result
    }

    /// Returns whether this is narrower than an earlier reach in any respect.
    func isNarrower(than old: StoryReach) -> Bool { old.narrowed(to: self) != old }
}

extension StoryReach {
    /// The form on the list: seven words with commas between them; ``ErasureList/unlimited`` if it limits nothing.
    var text: String {
        let isUnlimited = privacy == .public && !isHeld && !isWithheld && precision == .exact
        guard !isUnlimited else { return ErasureList.unlimited }
        let size = precision.cell.map { "\($0.degrees)" } ?? ""
        let words = [
            privacy.rawValue, family?.description ?? "", isHeld ? "held" : "", isWithheld ? "withheld" : "",
            precision.name + size, familySeesExact ? "family" : "", showsExactTimes ? "times" : "",
        ]
        return words.joined(separator: ",")
    }

    /// Reads the form on the list; unknown words count as the narrowest.
    init(text: String) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        func word(_ index: Int) -> String { index < words.count ? words[index] : "" }
        privacy = Privacy(rawValue: word(0)) ?? .private
        family = StoryID(word(1))
        isHeld = !word(2).isEmpty
        isWithheld = !word(3).isEmpty
        let name = word(4)
        let cell = name.hasPrefix("approximate") ? Double(name.dropFirst("approximate".count)) : nil
        precision = StoryRow.precision(cell == nil ? name : "approximate", cell: cell)
        familySeesExact = word(5) == "family"
        showsExactTimes = word(6) == "times"
    }

    /// Returns an older copy's story no wider than this; `family` finds a family by its digest.
    ///
    /// `digest` is that of the family that the copy's story names. A family that the copy does not have leaves the story
    /// to its owner.
    public func narrow(_ story: Story, digest: StoryID?, family: (StoryID) -> FamilyID?) -> Story {
        let own = StoryReach(story, family: digest, isAccountHeld: false)
        let reach = own.narrowed(to: self)
        var narrowed = story
        narrowed.privacy = reach.privacy
        if reach.privacy == .familyOnly, let wanted = reach.family {
            if let known = family(wanted) { narrowed.family = known } else { narrowed.privacy = .private }
        }
        if narrowed.privacy == .private { narrowed.family = nil }
        narrowed.autoPrivate = reach.isHeld
        narrowed.isWithheld = reach.isWithheld
        if var location = story.location {
            if reach.precision != own.precision { location.precision = location.precision.stricter(reach.precision) }
            if !reach.familySeesExact { location.familySeesExact = false }
            if !reach.showsExactTimes { location.showsExactTimes = false }
            narrowed.location = location
        }
        return narrowed
    }
}
