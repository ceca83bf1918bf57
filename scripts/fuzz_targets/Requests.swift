// Their parts that read texts are not visible outside of the target.
@testable import Gazetteer
import Geometry
import HTTPTypes

func fuzzPosition(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let position = CoordinateText.read(text)?.coordinate {
        require(position.latitude.magnitude <= 90 && position.longitude.magnitude <= 180, "a position is on the earth")
    }
    _ = PlusCode.short(in: text)
}

func fuzzName(_ bytes: [UInt8]) {
    let text = FoldedText(String(decoding: bytes, as: UTF8.self))
    require(text.tokens.count <= FoldedText.longest, "a limit holds")
}

func fuzzCBOR(_ bytes: [UInt8]) {
    if let object = try? AttestationObject(bytes) {
        require(object.authenticatorData.count < bytes.count, "data lie within the bytes")
    }
    var reader = CBORReader(bytes)
    while !reader.isAtEnd, (try? reader.skip()) != nil {}
}

func fuzzToken(_ bytes: [UInt8]) {
    guard let token = SignedToken(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
    require(token.signedBytes.count < bytes.count, "what is signed is a part of the token")
}

func fuzzCookie(_ bytes: [UInt8]) {
    var headers = HTTPFields()
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        headers.append(HTTPField(name: .cookie, value: String(line)))
    }
    for isSecure in [false, true] {
        _ = SessionCookie(headers, isSecure: isSecure)
        _ = ShortCookie("waymark_provider", of: headers, isSecure: isSecure)
    }
}
