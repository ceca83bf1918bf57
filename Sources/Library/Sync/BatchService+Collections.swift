import Formats
import Storage
import Stories

// The user's own collections (SYN-05).
extension BatchService {
    private var collections: CollectionService { CollectionService(context: context) }

    /// Creates, deletes or orders a collection.
    ///
    /// - Throws: ``Refusal`` or ``CollectionRefusal``; nothing changes then.
    func changeCollection(
        _ item: BatchItem,
        by caller: Caller,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> BatchOutcome {
        guard let user = caller.principal.viewer.user else { throw Refusal.notFound }
        switch item.operation {
        case .createCollection: return try create(item, of: user, in: transaction)
        case .deleteCollection: return try delete(item, of: user, by: caller.principal, at: now, in: transaction)
        default: return try order(item, of: user, in: transaction)
        }
    }

    /// Creates a collection, unless the user has the same already: the answer to an earlier batch may have been lost.
    private func create(_ item: BatchItem, of user: UserID, in transaction: StoreTransaction) throws -> BatchOutcome {
        let new = try collections.draft(item.collection.fields, owner: user)
        if let id = try transaction.collectionID(owner: user, title: new.title),
            let old = try transaction.collection(id),
            old.text == new.text, old.privacy == new.privacy, old.family == new.family
        {
            return .collection(.unchanged, id)
        }
        try CollectionService.insert(new, in: transaction)
        return .collection(.created, new.id)
    }

    /// Deletes a collection; one that is not there, or that the user may not see, is as they want it.
    private func delete(
        _ item: BatchItem,
        of user: UserID,
        by principal: Principal,
        at now: Timestamp,
        in transaction: StoreTransaction
    ) throws -> BatchOutcome {
        let id = try collection(of: item, user, in: transaction)
        do {
            guard let id else { throw Refusal.notFound }
            try CollectionService.remove(id, by: principal, at: now, in: transaction)
            return .collection(.deleted, id)
        } catch let refusal as Refusal where refusal.kind == .notFound {
            return .collection(.unchanged, id)
        }
    }

    private func order(_ item: BatchItem, of user: UserID, in transaction: StoreTransaction) throws -> BatchOutcome {
        guard let id = try collection(of: item, user, in: transaction) else { throw Refusal.notFound }
        let found = try item.collection.order.map { try StoryID($0) ?? transaction.storyID(owner: user, clientID: $0) }
        // An unknown story is refused like one that may not be seen.
        let stories = found.map { $0 ?? StoryID(high: 0, low: 0) }
        let isChanged = try CollectionService.order(stories, of: id, by: user, in: transaction)
        return .collection(isChanged ? .updated : .unchanged, id)
    }

    /// Returns the collection that an item names by its id, or by the title of the user's own.
    private func collection(
        of item: BatchItem,
        _ user: UserID,
        in transaction: StoreReader
    ) throws -> CollectionID? {
        if let id = item.id { return CollectionID(id) }
        return try item.collection.title.flatMap { try transaction.collectionID(owner: user, title: $0) }
    }
}
