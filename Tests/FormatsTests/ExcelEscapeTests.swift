import Formats
import Testing

@Suite("Escapes of Excel")
struct ExcelEscapeTests {
    @Test(
        "Characters that XML cannot hold are read as Excel writes them",
        arguments: [
            ("A_x000D_B", "A\rB"), ("_x0041__x0042_", "AB"), ("_x005F_x000D_", "_x000D_"),
            ("plain_xyz_", "plain_xyz_"),
            ("_xD83D__xDE00_", "_xD83D__xDE00_"), ("_x+041_", "_x+041_"), ("_x00", "_x00"), ("", ""),
            ("é_x00e9_", "éé"),
        ]
    )
    func decoding(text: String, expected: String) {
        #expect(Array(ExcelEscapes.decoded(text).utf8) == Array(expected.utf8))
    }
}
