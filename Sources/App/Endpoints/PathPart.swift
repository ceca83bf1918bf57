import Web
import Library
import Geometry
import Stories
import StoryMap

/// The variable parts of paths, each declared once for all routes that have it.
enum PathPart: Sendable {
    static let story = PathParameter("id") { StoryID($0) }
    static let place = PathParameter("place") { PlaceID($0) }
    /// A place of a story besides its location.
    static let storyPlace = PathParameter("story_place") { StoryID($0) }
    static let namedPlace = PathParameter("named_place") { NamedPlaceID($0) }
    static let collection = PathParameter("collection") { CollectionID($0) }
    static let cluster = PathParameter("cluster") { ClusterID($0) }
    static let proposal = PathParameter("proposal") { StoryID($0) }
    static let report = PathParameter("report") { StoryID($0) }
    static let fix = PathParameter("fix") { StoryID($0) }
    /// The id as a text, as the feed stores it.
    static let notification = PathParameter("notification") { StoryID($0) == nil ? nil : $0 }

    static let family = PathParameter("family") { FamilyID($0) }
    static let user = PathParameter("user") { UserID($0) }
    static let invitation = PathParameter("invitation") { InvitationID($0) }
    /// An invitation by its id or its token.
    static let invitationReference = PathParameter("invitation") { InvitationReference($0) }

    /// An invitation by its token alone.
    static let invitationToken = PathParameter("invitation") { InvitationToken($0) }

    static let storyImport = PathParameter("import") { StoryID($0)?.description }
    static let session = PathParameter("session") { $0 }
    static let passkey = PathParameter("passkey") { StoryID($0) }
    static let providerAccount = PathParameter("provider_account") { $0 }
    static let channel = PathParameter("channel") { $0 }
    static let key = PathParameter("key") { $0 }
    static let shareLink = PathParameter("link") { $0 }
    static let entry = PathParameter("entry") { Int64($0) }
    /// The user's name for a device.
    static let device = PathParameter("device") { StoryLimits.isDeviceName($0) ? $0 : nil }

    static let basemap = PathParameter("basemap") { $0 }

    static let zoom = PathParameter("z") { $0 }
    static let column = PathParameter("x") { $0 }
    static let row = PathParameter("y") { $0 }
}
