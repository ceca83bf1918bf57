import Settings
import Testing

/// What somebody may have meant who mistyped a name.
struct NearestNameTests {
    private static let names = ["serve", "import", "imports", "stories", "users", "backup", "restore", "doctor"]

    @Test(
        "A name is suggested if it is one or a few strokes away, for a longer one more of them",
        arguments: [
            ("serv", "serve"), ("srve", "serve"), ("evrse", nil), ("SERVE", "serve"), ("import", "import"),
            ("imprt", "import"), ("importss", "imports"), ("user", "users"), ("docotr", "doctor"),
            ("back_up", "backup"), ("restoer", "restore"), ("xyz", nil), ("", nil), ("history", nil),
        ] as [(String, String?)]
    )
    func nearest(typed: String, meant: String?) {
        #expect(NearestName.of(typed, among: NearestNameTests.names) == meant)
    }
}
