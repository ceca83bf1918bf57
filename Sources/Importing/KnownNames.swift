/// The column names that programs and vocabularies use.
///
/// A name is in the list only if it means the same in every program that writes it; anything else is for `--map`.
enum KnownNames {
    /// The prefixes that say where a name comes from, in lower case and without separators: Dublin Core, Darwin Core,
    /// Omeka's element sets and its Geolocation plugin, the groups of exiftool.
    static let vocabularies: Set<String> = [
        "dc", "dcterms", "dublincore", "dwc", "dwciri", "itemtypemetadata", "geolocation", "o", "schema", "wgs84",
        "geo", "exif", "iptc", "xmp", "xmpdc", "xmpexif", "xmpphotoshop", "composite", "file", "gps", "xmpiptccore",
    ]
}

extension ImportField {
    /// The accepted names, the preferred one first.
    package var aliases: [String] {
        switch self {
        case .id:
            [
                "source_id", "id", "identifier", "occurrence_id", "global_id", "object_id", "accession_number",
                "accession_no", "catalog_number", "catalogue_number", "item_id", "record_id", "source_file", "uuid",
            ]
        case .title:
            ["title", "name", "headline", "object_name", "caption_title", "vernacular_name", "scientific_name"]
        case .date:
            [
                "date", "year", "created", "event_date", "date_time_original", "date_created", "interview_date",
                "date_recorded", "issued", "create_date", "temporal", "when",
            ]
        case .text:
            [
                "text", "description", "body", "abstract", "descrip", "caption", "caption_abstract",
                "image_description",
                "summary", "synopsis", "occurrence_remarks", "user_comment",
            ]
        case .tags: ["tags", "tag", "topics", "keywords", "subject", "subjects"]
        case .people:
            // A bare "creator" is the account that edited the row in ArcGIS.
            [
                "people", "person", "persons", "interviewee", "narrator", "person_in_image", "dcterms:creator",
                "Dublin Core:Creator", "dc:creator",
            ]
        case .mentions: ["mentions"]
        case .collection: ["collection", "is_part_of", "collection_name", "dataset_name"]
        case .latitude:
            [
                "lat", "latitude", "y", "decimal_latitude", "gps_latitude", "point_y", "lat_dd", "latitude_dd",
                "geo_lat",
                "y_coord",
            ]
        case .longitude:
            [
                "lon", "lng", "long", "longitude", "x", "decimal_longitude", "gps_longitude", "point_x", "long_dd",
                "lon_dd", "longitude_dd", "geo_lng", "geo_long", "x_coord",
            ]
        case .latitudeReference: ["lat_ref", "gps_latitude_ref", "latitude_ref"]
        case .longitudeReference: ["lon_ref", "gps_longitude_ref", "longitude_ref"]
        case .position:
            [
                "coordinates", "lat_long", "lat_lng", "lat_lon", "latlon", "latitude_longitude", "wkt", "geom",
                "geometry", "the_geom", "wkt_geom", "gps_position", "gps_coordinates", "gps", "coords", "utm", "mgrs",
                "usng", "verbatim_coordinates", "footprint_wkt",
            ]
        case .easting: ["easting", "utm_easting", "utm_e", "utm_x", "eastings"]
        case .northing: ["northing", "utm_northing", "utm_n", "utm_y", "northings"]
        case .zone: ["utm_zone"]
        case .referenceSystem: ["crs", "srs", "geodetic_datum", "epsg"]
        case .accuracy:
            ["accuracy", "coordinate_uncertainty_in_meters", "gps_h_positioning_error", "accuracy_m"]
        case .precision: ["precision"]
        case .cell: ["cell"]
        case .familySeesExact: ["family_sees_exact"]
        case .locationSource: ["location_source"]
        case .locationConfirmed: ["location_confirmed"]
        case .place:
            [
                "place_name", "place", "locality", "location", "location_name", "verbatim_locality", "coverage",
                "spatial",
                "sub_location",
            ]
        case .address: ["address", "street_address"]
        case .city: ["city", "municipality", "town"]
        case .state: ["state", "state_province", "province", "province_state"]
        case .country: ["country", "country_name", "country_primary_location_name"]
        case .street: ["street", "street_name", "street_number_and_name"]
        case .county: ["county", "county_name"]
        case .postcode: ["postcode", "postal_code", "zip", "zip_code", "zipcode"]
        case .placeText: ["place_text"]
        case .places: ["places"]
        case .mediaURL: ["media_url", "url", "link", "object_location", "associated_media", "access_uri", "has_format"]
        case .thumbnailURL: ["thumbnail_url", "thumbnail", "image", "image_thumb", "image_small", "gx_media_links"]
        case .alt: ["alt", "alt_text", "image_alt_text"]
        case .kind: ["kind"]
        case .type: ["type"]
        case .privacy: ["privacy"]
        case .family: ["family"]
        case .isPublic: ["is_public", "public"]
        case .createdAt: ["created_at"]
        case .updatedAt: ["updated_at"]
        case .locatedAt: ["located_at"]
        case .relocatedAt: ["relocated_at"]
        case .datePrecision: ["date_precision"]
        }
    }
}
