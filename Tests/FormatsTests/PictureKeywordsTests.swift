import Formats
import Geometry
import Testing

@Suite("Keywords of pictures")
struct PictureKeywordsTests {
    private static func packet(_ items: String) -> [UInt8] {
        Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r" xmlns:dc="d"><rdf:Description><dc:title><rdf:Alt>\
            <rdf:li>Title</rdf:li></rdf:Alt></dc:title><dc:subject><rdf:Bag>\(items)</rdf:Bag></dc:subject></rdf:Description>\
            </rdf:RDF></x:xmpmeta>
            """
            .utf8
        )
    }

    @Test("The keywords in a packet anywhere in a picture, and no other lists")
    func keywords() {
        let packet = Self.packet("<rdf:li>Café</rdf:li><rdf:li>do not publish</rdf:li>")
        let picture: [UInt8] = [0xFF, 0xD8, 0x3C, 0x3C, 0x78] + packet + [0xFF, 0xD9]
        #expect(PictureKeywords.all(in: picture) == ["Café", "do not publish"])
        #expect(PictureKeywords.all(in: [0xFF, 0xD8, 0x3C]).isEmpty && PictureKeywords.all(in: []).isEmpty)
        #expect(PictureKeywords.all(in: Array(packet.dropLast(3))).isEmpty)
    }

    @Test("Damaged packets never crash")
    func fuzz() {
        var generator = SplitMix64(seed: 23)
        let original = Self.packet("<rdf:li>private</rdf:li>")
        for _ in 0..<3_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = PictureKeywords.all(in: bytes)
        }
    }
}
