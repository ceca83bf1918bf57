import Geometry

extension ByteWriter {
    mutating func write(_ track: Track?) {
        write(track != nil)
        guard let track else { return }
        write(track.time)
        write(track.origin)
        write(track.haste)
        write(list: track.suppositions) { $0.write($1) }
    }

    mutating func write(_ supposition: Supposition) {
        write(supposition.weight)
        for vector in [supposition.position, supposition.velocity, supposition.bias] {
            write(vector.x)
            write(vector.y)
            write(vector.z)
        }
        let covariance = supposition.covariance
        for number in [
            covariance.pp, covariance.pv, covariance.pb, covariance.vv, covariance.vb, covariance.bb,
        ] { write(number) }
    }
}

extension ByteReader {
    private static let lengths = -1e7...1e7
    private static let covariances = -1e15...1e15

    static func track(_ reader: inout ByteReader) throws(DeviceStateError) -> Track {
        let track = Track(
            time: try reader.time(),
            origin: try reader.coordinate(),
            haste: try reader.number(in: 0...1),
            suppositions: try reader.list(ByteReader.supposition)
        )
        guard (1...Track.most).contains(track.suppositions.count) else { throw reader.error("a wrong count") }
        return track
    }

    static func supposition(_ reader: inout ByteReader) throws(DeviceStateError) -> Supposition {
        Supposition(
            weight: try reader.number(in: 0...1),
            position: try vector(&reader),
            velocity: try vector(&reader),
            bias: try vector(&reader),
            covariance: try covariance(&reader)
        )
    }

    private static func vector(_ reader: inout ByteReader) throws(DeviceStateError) -> Vector {
        Vector(
            x: try reader.number(in: lengths),
            y: try reader.number(in: lengths),
            z: try reader.number(in: lengths)
        )
    }

    private static func covariance(_ reader: inout ByteReader) throws(DeviceStateError) -> TrackCovariance {
        TrackCovariance(
            pp: try reader.number(in: covariances),
            pv: try reader.number(in: covariances),
            pb: try reader.number(in: covariances),
            vv: try reader.number(in: covariances),
            vb: try reader.number(in: covariances),
            bb: try reader.number(in: covariances)
        )
    }
}
