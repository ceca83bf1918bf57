import Web

/// A collection of features: what distinguishes it from the other.
struct FeatureLayer: Sendable {
    /// The name in addresses.
    let id: String
    let title: String
    /// What its features are, in a sentence.
    let noun: String
    /// What is in it, as a sentence.
    let text: String
    /// The format of its geometries in its JSON Schema, from the OGC's register.
    let geometryFormat: String
    /// Whether the vector tiles show it.
    let hasTiles: Bool
    /// The properties by which its features are filtered.
    let queryables: [FeatureQueryables.Entry]
    /// Parameters by which a text property must equal a value.
    let properties: [QueryParameter<String?>]

    /// The address, behind that of the service.
    var path: String { "/collections/\(id)" }

    /// The parameters of its items.
    var parameters: ParameterList { FeatureParameters.all(with: properties) }

    /// The stories, each at its own location.
    static let stories = FeatureLayer(
        id: "stories",
        title: "Stories",
        noun: "stories",
        text: "The stories that the viewer may see, each at the point that the viewer gets.",
        geometryFormat: "geometry-point",
        hasTiles: true,
        queryables: FeatureQueryables.all,
        properties: FeatureParameters.properties(of: FeatureQueryables.all)
    )

    /// The further places of stories, as the layer of this name in exports has them.
    static let places = FeatureLayer(
        id: ExportedPlace.layer,
        title: "Further places of stories",
        noun: "further places of stories",
        text:
            "The further places of stories that the viewer may see, each with the point, the line or the area that the "
            + "viewer gets.",
        geometryFormat: "geometry-any",
        hasTiles: false,
        queryables: PlaceQueryables.all,
        properties: FeatureParameters.properties(of: PlaceQueryables.all)
    )

    /// All collections.
    static let all = [stories, places]
}
