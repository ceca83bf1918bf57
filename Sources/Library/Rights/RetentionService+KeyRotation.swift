import Storage
import Stories

extension RetentionService {
    /// The number of deleted stories sealed in one transaction.
    private static let rotationPage = 100

    /// Seals the deleted stories with the present key that are sealed with a former one; returns their number.
    package func finishKeyRotation() async throws -> Int {
        var (last, count) = ("", 0)
        while true {
            let page = try await store.write { [self, last] transaction in
                let page = try transaction.sealedStories(after: last, limit: RetentionService.rotationPage)
                let renewed = try page.compactMap { try seal.renewed($0, random: random) }
                for story in renewed { try transaction.save(story) }
                return (last: page.last?.id.description, count: renewed.count)
            }
            count += page.count
            guard let next = page.last else { return count }
            last = next
        }
    }
}
