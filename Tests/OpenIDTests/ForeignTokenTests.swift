import OpenID
import Testing

/// Keys and tokens that PyJWT 2.15 made once, with a non-ASCII name and a list of audiences.
enum ForeignTokens {
    static let keys = #"""
        {"keys":[{"kty":"RSA","kid":"r","use":"sig","n":"u9Ld-2yxwQdRLIUoOZSzrbWva_CqMcOBEhWL8RMT5kQJzFlDp0s\#
        Z35kpV5GXTvtXN4lFK7p2v7dwGu0iQV_hxHKYba3K16VXOmJ4fHqH_s1EYOzMe_Ug41q8nZG3AQDOSbQHs_gWbo5OyfWros0EHjO\#
        cPnRTyA-l4wJsPVOqS-YspZK2WhjD8GUSh-2WODX8Hh2VXevOvUz1HcGsYgasTRyOT6Pu5Uk-gAs3KjLzhFvpjBSV1ll4xnYbm8J\#
        lQndnP3UyFSn9A1uSZG9Gg9eZWBZoEbr-UmG4otqgVemJEQT1Pzt-jyBu8zfXIFvW7pTIxRDn7XLacdQWrkk6xw4QaQ","e":"AQ\#
        AB"},{"kty":"EC","crv":"P-256","kid":"c","x":"uhvncWI2irI4v6KNqEIFyp4wtAM-3VyPj_gyQzncHMc","y":"S2to\#
        _CDC68fR53UpskQgFu00yfoNyEn0iAD1SOZIrik"},{"kty":"OKP","crv":"Ed25519","kid":"d","alg":"EdDSA","x":"\#
        NqtyqfynbKQeuRQeyvcCB4qbvEdNDW_6n8B-gAFaFps"}]}
        """#

    static let rs256 = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InIiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUub3JnIiwiY\
        XVkIjpbIndheW1hcmsiXSwic3ViIjoiMjQ4Mjg5NzYxMDAxIiwibm9uY2UiOiJuLTBTNl9XekEyTWoiLCJpYXQiOjE3MDAwMDAwM\
        DAsImV4cCI6MTcwMDAwMDMwMCwiZW1haWwiOiJvbGdhQGV4YW1wbGUub3JnIiwiZW1haWxfdmVyaWZpZWQiOnRydWUsIm5hbWUiO\
        iJPbGdhIFx1MDBkOGRlZ1x1MDBlNXJkIn0.oD7Mw2mWWwgYmGnnmgAcKLgqKBvzBScUtkPgxbB6RiLKh98vZJx9H2M2wHLzKmNTD\
        Uh1DWKIdQGFpIfKTv1aV2S6SxlNvU9Prnr33K_wIhItwuLsPyCu-Gt7zDhRkedX4ie9H6EYJYkfV5jcvJJji0yWHBiW-b_BK1QE_\
        jw6b1fNIBBUpL7WMmcumcok1rsz9CdbYQjWNfz1SLKuY5W1zk8jzO_zk-YD15n4x7D29_Hn-IoWY7Ykhr4z-utlZOGi_apM9xLFF\
        sxnWNK4JcTfshkezWE_XIGLfqojjVuaHMGxf2yyarlX7WhluuaFRM28uZw6Qhecd50rO6wbRWRrEg
        """

    static let es256 = """
        eyJhbGciOiJFUzI1NiIsImtpZCI6ImMiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUub3JnIiwiY\
        XVkIjpbIndheW1hcmsiXSwic3ViIjoiMjQ4Mjg5NzYxMDAxIiwibm9uY2UiOiJuLTBTNl9XekEyTWoiLCJpYXQiOjE3MDAwMDAwM\
        DAsImV4cCI6MTcwMDAwMDMwMCwiZW1haWwiOiJvbGdhQGV4YW1wbGUub3JnIiwiZW1haWxfdmVyaWZpZWQiOnRydWUsIm5hbWUiO\
        iJPbGdhIFx1MDBkOGRlZ1x1MDBlNXJkIn0.1ILqIdzO3QEDG3jvW0PVUGbeGAxYHdzxTK2BvGlaPzVCDOaZ413ZcQagDwfQToFXr\
        NI1JmS9ba_7QJHcFzkOJw
        """

    static let edDSA = """
        eyJhbGciOiJFZERTQSIsImtpZCI6ImQiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUub3JnIiwiY\
        XVkIjpbIndheW1hcmsiXSwic3ViIjoiMjQ4Mjg5NzYxMDAxIiwibm9uY2UiOiJuLTBTNl9XekEyTWoiLCJpYXQiOjE3MDAwMDAwM\
        DAsImV4cCI6MTcwMDAwMDMwMCwiZW1haWwiOiJvbGdhQGV4YW1wbGUub3JnIiwiZW1haWxfdmVyaWZpZWQiOnRydWUsIm5hbWUiO\
        iJPbGdhIFx1MDBkOGRlZ1x1MDBlNXJkIn0.l7Pa2Jx2bf-mY0GL9QRjFCmu5ww8c79DH7ess5MzIJ-TunnyNHC8M4RpFqs-72wH7\
        xxTPZqo77kWIOEySYDhAg
        """
}

@Suite("ID tokens made by another library")
struct ForeignTokenTests {
    @Test(
        "What PyJWT signs is accepted, and nothing of it can be changed",
        arguments: [
            ForeignTokens.rs256, ForeignTokens.es256, ForeignTokens.edDSA,
        ]
    )
    func accepted(token: String) async throws {
        let keys = try await ProviderKeys(parsing: Array(ForeignTokens.keys.utf8))
        let identity = try IDTokenTests.identity(token, keys)
        #expect(identity.subject == "248289761001" && identity.email == "olga@example.org")
        #expect(identity.name == "Olga Ødegård")
        let parts = token.split(separator: ".")
        for other in [ForeignTokens.rs256, ForeignTokens.es256, ForeignTokens.edDSA] where other != token {
            let mixed = "\(parts[0]).\(parts[1]).\(other.split(separator: ".")[2])"
            #expect(IDTokenTests.fault(mixed, keys) == .token(.signature))
        }
        #expect(throws: OpenIDError.token(.expired)) {
            try IDTokenTests.identity(token, keys, at: TokenMaker.now + 400)
        }
    }
}
