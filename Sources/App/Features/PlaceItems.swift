import Formats
import Storage
import Stories

/// Writes further places as features in a reference system.
struct PlaceItems {
    let system: ReferenceSystem
    let projection: FeatureProjection

    /// Returns a page of places; `matched` is the number on all pages, if it is known.
    func page(_ places: [ExportedPlace], matched: Int?, links: [FeatureLink]) throws -> [UInt8] {
        let shapes = try shapes(of: places)
        return FeatureItems.page(places.count, matched: matched, links: links) { json in
            for (place, shape) in zip(places, shapes) { write(place, shape, to: &json) { _ in } }
        }
    }

    /// Returns one place.
    func feature(_ place: ExportedPlace, links: [FeatureLink]) throws -> [UInt8] {
        let shape = try shapes(of: [place])[0]
        var json = JSONWriter(capacity: 2_048)
        write(place, shape, to: &json) { FeatureLink.write(links, to: &$0) }
        return json.bytes
    }

    /// Returns the geometries in the reference system; none is needed in that of the store, where they are as given.
    private func shapes(of places: [ExportedPlace]) throws -> [GeoPackageShape?] {
        guard system != .degrees else { return places.map { _ in nil } }
        return try system.shapes(of: places, by: projection)
    }

    private func write(
        _ exported: ExportedPlace,
        _ shape: GeoPackageShape?,
        to json: inout JSONWriter,
        members: (inout JSONWriter) -> Void
    ) {
        json.beginObject()
        json.member("type", "Feature")
        json.member("id", exported.place.id.description)
        json.key("geometry")
        if system == .degrees {
            PlaceGeometry.write(exported.place, to: &json)
        } else {
            system.write(shape, to: &json)
        }
        json.key("properties")
        json.beginObject()
        for column in PlaceColumn.all {
            json.key(column.name)
            column.value(exported).write(to: &json)
        }
        json.endObject()
        members(&json)
        json.endObject()
    }
}

extension ExportColumn.Value {
    /// Writes the value, or null.
    fileprivate func write(to json: inout JSONWriter) {
        switch self {
        case .none: json.null()
        case .text(let text): json.value(text)
        case .flag(let flag): json.value(flag)
        case .whole(let number): json.value(Int(number))
        case .number(let number): json.value(number)
        case .degrees(let number): json.degrees(number)
        case .day(let day): json.value(day.description)
        case .instant(let instant): json.value(RFC3339.format(instant))
        }
    }
}
