import Formats
import Geometry
import Testing

@Suite("XMP packets of pictures")
struct PicturePacketTests {
    private static func packet(_ properties: String, attributes: String = "") -> [UInt8] {
        Array(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r" xmlns:dc="d"><rdf:Description rdf:about=""\
            \(attributes)><dc:creator><rdf:Seq><rdf:li>Ana</rdf:li></rdf:Seq></dc:creator>\(properties)</rdf:Description>\
            </rdf:RDF></x:xmpmeta>
            """
            .utf8
        )
    }

    private static func list(_ name: String, _ items: String...) -> String {
        "<\(name)><rdf:Bag>" + items.map { "<rdf:li>\($0)</rdf:li>" }.joined() + "</rdf:Bag></\(name)>"
    }

    @Test("The keywords in a packet anywhere in a picture, and no other lists")
    func keywords() {
        let packet = Self.packet(Self.list("dc:subject", "Café", "do not publish"))
        let picture: [UInt8] = [0xFF, 0xD8, 0x3C, 0x3C, 0x78] + packet + [0xFF, 0xD9]
        let read = PicturePacket(in: picture)
        #expect(read.keywords == ["Café", "do not publish"])
        #expect(read.caption == nil && read.texts.isEmpty && read.terms.isEmpty)
        for bytes in [[0xFF, 0xD8, 0x3C], [], Array(packet.dropLast(30))] {
            #expect(PicturePacket(in: bytes) == PicturePacket(in: []))
        }
    }

    @Test(
        "PRV-01 Every property in which people mark pictures is read, as an element, a list or an attribute",
        arguments: [
            "photoshop:Instructions", "xmpRights:UsageTerms", "dc:rights", "dcterms:accessRights", "tiff:Copyright",
        ]
    )
    func terms(name: String) {
        let element = Self.packet("<\(name)> Private </\(name)>")
        let list = Self.packet(Self.list(name, "Private"))
        let attribute = Self.packet("", attributes: " \(name)=\"Private\"")
        let rdf = Array(element.drop { $0 != UInt8(ascii: ">") }.dropFirst().dropLast("</x:xmpmeta>".utf8.count))
        for bytes in [element, list, attribute, rdf] {
            #expect(PicturePacket(in: bytes).terms == ["Private"])
        }
    }

    @Test("The first description is the caption, the others and titles are texts, and trees of keywords are keywords")
    func words() {
        let read = PicturePacket(
            in: Self.packet(
                Self.list("dc:description", "The choir", "Le chœur") + Self.list("dc:title", "Choir")
                    + "<exif:UserComment>private</exif:UserComment>"
                    + Self.list("lr:hierarchicalSubject", "People|Ana", "Access|Private")
            )
        )
        #expect(read.caption == "The choir" && read.texts == ["Le chœur", "Choir", "private"])
        #expect(read.keywords == ["People|Ana", "Access|Private"] && read.terms.isEmpty)
    }

    @Test("Damaged packets never crash")
    func fuzz() {
        var generator = SplitMix64(seed: 23)
        let original = Self.packet(Self.list("dc:subject", "private"), attributes: " a:Instructions=\"private\"")
        for _ in 0..<3_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: bytes.indices, using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            _ = PicturePacket(in: bytes)
        }
    }
}
