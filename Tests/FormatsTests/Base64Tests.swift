import Formats
import Testing

@Suite("Base64")
struct Base64Tests {
    @Test(
        "The vectors of RFC 4648 §10, both ways",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(plain: String, text: String) {
        let bare = text.filter { $0 != "=" }
        #expect(Base64.encode(plain.utf8) == text && Base64.encodeURL(plain.utf8) == bare)
        #expect(Base64.decode(text) == Array(plain.utf8) && Base64.decode(bare) == Array(plain.utf8))
        #expect(Base64.decodeURL(bare.utf8) == Array(plain.utf8))
    }

    @Test("Every byte survives a round trip, in either alphabet")
    func everyByte() {
        let bytes = (0...255).map { UInt8($0) } + (0...255).reversed().map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        #expect(Base64.decode(Base64.encodeURL(bytes)) == bytes)
        #expect(Base64.decodeURL(Base64.encodeURL(bytes).utf8) == bytes)
    }

    @Test(
        "Equal bytes have exactly one URL-safe text",
        arguments: ["Zg==", "Zh", "Z", "Zm9vZ", "Zm 9", "+/+/", "Zm9v=", "Zg=", "\u{E9}\u{E9}"]
    )
    func strict(text: String) {
        #expect(Base64.decodeURL(text.utf8) == nil)
    }

    @Test(
        "Invalid text is rejected in either alphabet",
        arguments: ["Zh", "Z", "Zm9vZ", "Zm 9", "Zg=", "====", "Zg==="]
    )
    func refused(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
