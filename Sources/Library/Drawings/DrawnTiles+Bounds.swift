import Basemap
import Geometry
import MapDrawing

extension DrawnTiles {
    /// Returns whether the tiles have anything in a box.
    func reaches(_ box: BoundingBox) -> Bool {
        let bounds = archive.bounds
        guard bounds.count == 4,
            let own = BoundingBox(west: bounds[0], south: bounds[1], east: bounds[2], north: bounds[3])
        else { return true }
        return own.parts.contains { mine in
            box.parts.contains { other in
                mine.west <= other.east && other.west <= mine.east && mine.south <= other.north
                    && other.south <= mine.north
            }
        }
    }
}
