import Gazetteer

// Encodes added places, to be stored until they are compiled.
extension AddedPlace {
    /// The versions of the encoding.
    ///
    /// Version 1, in imports begun by an older program, lacks the flag for capitals.
    private static let (version, oldVersion): (UInt8, UInt8) = (2, 1)

    /// The compact encoding of the place, for ``init(encoded:)``.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = [Self.version, kind.rawValue, isCapital ? 1 : 0]
        bytes.append(littleEndian: latitude.bitPattern)
        bytes.append(littleEndian: longitude.bitPattern)
        bytes.append(littleEndian: UInt32(clamping: population))
        bytes.append(littleEndian: Int16(clamping: fromYear ?? Int(Int16.min)))
        bytes.append(littleEndian: Int16(clamping: toYear ?? Int(Int16.min)))
        for text in [id, name, country, region, city] { bytes.append(measured: text) }
        for name in names {
            bytes.append((name.isHistoric ? 1 : 0) | (name.isPreferred ? 2 : 0))
            bytes.append(measured: name.text)
            bytes.append(measured: name.language)
        }
        return bytes
    }

    /// Decodes ``encoded``; `nil` for anything else.
    package init?(encoded bytes: [UInt8]) {
        var rest = bytes[...]
        guard let version = rest.popFirst(), version == Self.version || version == Self.oldVersion,
            let kind = rest.popFirst().flatMap(PlaceKind.init)
        else { return nil }
        let isCapital = version == Self.version ? rest.popFirst() == 1 : false
        guard let latitude = rest.take(UInt64.self), let longitude = rest.take(UInt64.self),
            let population = rest.take(UInt32.self), let from = rest.take(Int16.self), let to = rest.take(Int16.self)
        else { return nil }
        var texts: [String] = []
        for _ in 0..<5 {
            guard let text = rest.takeMeasured() else { return nil }
            texts.append(text)
        }
        self.init(
            id: texts[0],
            name: texts[1],
            kind: kind,
            latitude: Double(bitPattern: latitude),
            longitude: Double(bitPattern: longitude),
            population: Int(population),
            country: texts[2],
            region: texts[3],
            city: texts[4],
            fromYear: from == .min ? nil : Int(from),
            toYear: to == .min ? nil : Int(to),
            isCapital: isCapital
        )
        while let flags = rest.popFirst() {
            guard let text = rest.takeMeasured(), let language = rest.takeMeasured() else { return nil }
            names.append(
                AddedName(text, language: language, isHistoric: flags & 1 != 0, isPreferred: flags & 2 != 0)
            )
        }
    }
}

extension [UInt8] {
    /// Appends the length of a text in two bytes and then the text, truncated to 65,535 bytes.
    fileprivate mutating func append(measured text: String) {
        let bytes = text.utf8.prefix(Int(UInt16.max))
        append(littleEndian: UInt16(bytes.count))
        append(contentsOf: bytes)
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func take<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        let size = T.bitWidth / 8
        guard count >= size else { return nil }
        let value = prefix(size).reversed().reduce(T(0)) { $0 << 8 | T(truncatingIfNeeded: $1) }
        removeFirst(size)
        return value
    }

    fileprivate mutating func takeMeasured() -> String? {
        guard let length = take(UInt16.self), count >= Int(length) else { return nil }
        let text = String(decoding: prefix(Int(length)), as: UTF8.self)
        removeFirst(Int(length))
        return text
    }
}
