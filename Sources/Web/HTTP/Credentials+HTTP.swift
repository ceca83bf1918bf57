import Library
package import HTTPTypes

extension Credentials {
    /// Reads the credentials from the header fields of a request.
    package init(_ headers: HTTPFields) {
        self.init(
            authorization: headers[.authorization],
            user: headers[.waymarkUser],
            createsUser: headers[.waymarkUserCreate]
        )
    }
}

extension HTTPField.Name {
    /// `Waymark-User`: the user a service acts for.
    static let waymarkUser = known("Waymark-User")
    /// `Waymark-User-Create`: whether that user may be created if unknown.
    static let waymarkUserCreate = known("Waymark-User-Create")
}
