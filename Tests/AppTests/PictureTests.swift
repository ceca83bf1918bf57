import App
import Formats
import Foundation
import HTTPTypes
import Library
import Pictures
import Storage
import Stories
import TestSupport
import Testing

@Suite("Pictures of stories")
struct PictureTests {
    @Test("MAP-06 A photograph becomes a small upright picture of its story, shown in the story and on the map")
    func put() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "The porch")
                let before = try await client.get("/v1/stories/\(id)", as: "ana")
                #expect(before.json["thumbnail"]?.isNull == true)
                let reply = try await client.putPicture(SmallPicture.sample("turned-6.jpg"), on: id, as: "ana")
                let shown = reply.json["thumbnail"]
                #expect(reply.status == 200 && shown?["width"]?.integer == 400 && shown?["height"]?.integer == 300)
                #expect(shown?["media_type"]?.string == "image/jpeg")
                let address = try #require(shown?["url"]?.string)
                let picture = try await client.get(address)
                #expect(picture.status == 200 && picture.headers[.contentType] == "image/jpeg")
                let pixels = try Thumbnail.pixels(of: picture.bytes)
                #expect(pixels.width == 400 && pixels.height == 300)
                let list = try await client.get("/v1/stories").json["features"]?[0]?["properties"]
                #expect(list?["thumbnail"]?["url"]?.string == address)
                let around = "/v1/clusters?bbox=-84.38,33.75,-84.37,33.76&zoom=14"
                let marker = try await client.get(around).json["features"]?[0]?["properties"]
                #expect(marker?["thumbnail"]?.string == address)
                #expect(try await client.get("/v1/stories/\(id)", as: "ana").bytes == reply.bytes)
            }
    }

    @Test("MAP-06 PNG and WebP are read too, whatever the request calls them", arguments: ["plain.png", "plain.webp"])
    func formats(name: String) async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x")
                let bytes = try SmallPicture.sample(name)
                let reply = try await client.putPicture(bytes, on: id, as: "ana", type: "text/plain")
                #expect(reply.status == 200)
                #expect(try await client.picture(of: id).headers[.contentType] == "image/jpeg")
            }
    }

    @Test("PRV-08 Only who may change the story gives it a picture or removes it")
    func rights() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let bytes = Array(SmallPicture.webp().utf8)
            let open = try await client.create(as: "ana", title: "Open")
            let closed = try await client.create(as: "ana", title: "Closed", extra: ",\"privacy\":\"private\"")
            let nothing = "0123456789abcdef0123456789abcdef"
            for id in [open, closed] { #expect(try await client.putPicture(bytes, on: id, as: "ana").status == 200) }
            for (user, id, status) in [
                ("ben", open, 403), ("ben", closed, 404), ("ben", nothing, 404), (nil, open, 401), (nil, closed, 401),
                ("ana", nothing, 404),
            ] {
                let path = "/v1/stories/\(id)/thumbnail"
                #expect(try await client.putPicture(bytes, on: id, as: user).status == status)
                #expect(try await client.send(.delete, path, as: user).status == status)
            }
            // Who may not is refused before the picture is looked at.
            #expect(try await client.putPicture([1, 2, 3], on: open, as: "ben").status == 403)
            #expect(try await client.picture(of: open).status == 200)
            #expect(try await client.send(.delete, "/v1/stories/\(open)/thumbnail", as: "ana").status == 204)
            #expect(try await client.send(.delete, "/v1/stories/\(open)/thumbnail", as: "ana").status == 204)
            #expect(try await client.get("/v1/stories/\(open)").json["thumbnail"]?.isNull == true)
        }
    }

    @Test("PRV-03 No picture, no such story and a story for others are the same answer, byte for byte")
    func absence() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let bytes = Array(SmallPicture.webp().utf8)
            let bare = try await client.create(as: "ana", title: "Bare")
            let closed = try await client.create(as: "ana", title: "Closed", extra: ",\"privacy\":\"private\"")
            let held = try await client.create(as: "ana", title: "Held")
            for id in [closed, held] { _ = try await client.putPicture(bytes, on: id, as: "ana") }
            let key = try #require(StoryID(held))
            try await fixture.library.store.write { transaction in
                guard var story = try transaction.story(key) else { return }
                story.isWithheld = true
                try transaction.update(story)
            }
            let fields: HTTPFields = [.requestID: "same"]
            let reference = try await client.picture(of: bare, as: "cora", headers: fields)
            #expect(reference.status == 404)
            for id in [closed, held, "0123456789abcdef0123456789abcdef"] {
                let reply = try await client.picture(of: id, as: "cora", headers: fields)
                #expect(reply.status == 404 && reply.bytes == reference.bytes)
                #expect(reply.headers.filter { $0.name != .date } == reference.headers.filter { $0.name != .date })
            }
            #expect(try await client.picture(of: closed, as: "ana").status == 200)
            #expect(try await client.picture(of: held, as: "ana").status == 200)
        }
    }

    @Test("PRV-02 A picture follows its story's level at once, and is kept by no cache unasked")
    func caching() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            _ = try await client.putPicture(Array(SmallPicture.webp(1).utf8), on: id, as: "ana")
            let story = try await client.get("/v1/stories/\(id)", as: "ben")
            let first = try await client.picture(of: id, as: "ben", headers: [.acceptEncoding: "gzip"])
            let tag = try #require(first.headers[.eTag])
            #expect(tag.hasPrefix("\"") && first.headers[.contentEncoding] == nil)
            for name in [HTTPField.Name.cacheControl, .vary] { #expect(first.headers[name] == story.headers[name]) }
            #expect(first.headers[.cacheControl] == "private, no-cache")
            #expect(try await client.picture(of: id).headers[.cacheControl] == "public, no-cache")
            let known: HTTPFields = [.ifNoneMatch: tag]
            #expect(try await client.picture(of: id, as: "ben", headers: known).status == 304)
            let other = try await client.putPicture(Array(SmallPicture.webp(40).utf8), on: id, as: "ana")
            #expect(other.status == 200, "\(String(decoding: other.bytes, as: UTF8.self))")
            #expect(other.json["thumbnail"] != story.json["thumbnail"], "\(tag)")
            let second = try await client.picture(of: id, as: "ben", headers: known)
            #expect(second.status == 200)
            #expect(second.bytes != first.bytes)
            _ = try await client.send(.patch, "/v1/stories/\(id)", as: "ana", #"{"privacy":"private"}"#)
            #expect(try await client.picture(of: id, as: "ben", headers: known).status == 404)
            #expect(try await client.picture(of: id, as: "ana").status == 200)
        }
    }

    @Test("SYN-02 SYN-03 A new picture is a new version of its story, which clients hear of; the same one is not")
    func versions() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x")
            let old = try await client.get("/v1/stories/\(id)", as: "ana")
            let cursor = try await client.get("/v1/changes", as: "ben").json["next"]?.string ?? ""
            let map = try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=3", as: "ben").headers[.eTag]
            fixture.clock.advance(seconds: 5)
            let tag = try #require(old.headers[.eTag])
            let bytes = Array(SmallPicture.webp(1).utf8)
            let stale: HTTPFields = [.ifMatch: "\"stale\""]
            #expect(try await client.putPicture(bytes, on: id, as: "ana", headers: stale).status == 412)
            let new = try await client.putPicture(bytes, on: id, as: "ana", headers: [.ifMatch: tag])
            #expect(new.status == 200 && new.headers[.eTag] != tag)
            #expect(new.json["updated_at"]?.string != old.json["updated_at"]?.string)
            fixture.clock.advance(seconds: 5)
            let again = try await client.putPicture(bytes, on: id, as: "ana")
            #expect(again.bytes == new.bytes)
            #expect(!cursor.isEmpty)
            let changes = try await client.get("/v1/changes?since=\(cursor)", as: "ben").json
            #expect(changes["changed"]?.array?.compactMap { $0["id"]?.string } == [id])
            let after = try await client.get("/v1/clusters?bbox=-180,-85,180,85&zoom=3", as: "ben").headers[.eTag]
            #expect(after != map)
            let remove = "/v1/stories/\(id)/thumbnail"
            #expect(try await client.send(.delete, remove, as: "ana", headers: [.ifMatch: tag]).status == 412)
            fixture.clock.advance(seconds: 5)
            #expect(try await client.send(.delete, remove, as: "ana").status == 204)
            let gone = try await client.get("/v1/stories/\(id)", as: "ana")
            #expect(gone.json["updated_at"]?.string != new.json["updated_at"]?.string)
        }
    }

    @Test("LOC-07 What is no picture is refused in words, and the story keeps the picture it has")
    func hostile() async throws {
        try await ServiceFixture()
            .run { client async throws in
                let id = try await client.create(as: "ana", title: "x")
                #expect(try await client.putPicture(Array(SmallPicture.webp().utf8), on: id, as: "ana").status == 200)
                let before = try await client.get("/v1/stories/\(id)", as: "ana").bytes
                let photograph = try SmallPicture.sample("turned-1.jpg")
                let inputs: [(bytes: [UInt8], words: String)] = [
                    ([], "empty"), (try SmallPicture.sample("bomb.jpg"), "maximum"),
                    (try SmallPicture.sample("bomb.png"), "maximum"),
                    (try SmallPicture.sample("script.svg"), "JPEG, PNG or WebP"),
                    (try SmallPicture.sample("plain.gif"), "JPEG, PNG or WebP"),
                    (try SmallPicture.sample("moving.webp"), "animation"),
                    (Array("GIF89a".utf8), "JPEG, PNG or WebP"), (Array(photograph.prefix(40)), "damaged"),
                    (Array(try SmallPicture.sample("plain.png").prefix(200)), "damaged"),
                    (Array(try SmallPicture.sample("plain.webp").prefix(60)), "damaged"),
                    ([0xFF, 0xD8, 0xFF], "damaged"), (Array("{}".utf8), "JPEG, PNG or WebP"),
                ]
                for input in inputs {
                    let reply = try await client.putPicture(input.bytes, on: id, as: "ana")
                    let detail = reply.json["detail"]?.string ?? ""
                    #expect(reply.status == 422 && detail.contains(input.words), "\(detail)")
                    #expect(reply.json["type"]?.string?.hasSuffix("bad-picture") == true)
                }
                let large = photograph + [UInt8](repeating: 0, count: StoryLimits.pictureBytes + 1 - photograph.count)
                #expect(try await client.putPicture(large, on: id, as: "ana").status == 413)
                #expect(try await client.putPicture(large.dropLast(1), on: id, as: "ana").status == 200)
                _ = try await client.putPicture(Array(SmallPicture.webp().utf8), on: id, as: "ana")
                let after = try await client.get("/v1/stories/\(id)", as: "ana").json
                let old = try JSONValue(parsing: before, limits: .init(bytes: .max))
                #expect(after["thumbnail"] == old["thumbnail"])
            }
    }

    @Test("PRV-08 A service changes the picture of a story that the user it names may not see")
    func services() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.makeFamilies()
        let key = try await fixture.accounts.makeKey(
            Accounts.KeyRequest(holder: .service(Accounts.serviceScopes), name: "Backend", days: nil)
        )
        try await fixture.run { client async throws in
            let id = try await client.create(as: "ana", title: "x", extra: ",\"privacy\":\"private\"")
            var headers: HTTPFields = [.authorization: "Bearer " + key.text]
            headers[.twinUser] = "cora"
            let bytes = Array(SmallPicture.webp().utf8)
            #expect(try await client.putPicture(bytes, on: id, as: nil, headers: headers).status == 200)
            #expect(try await client.picture(of: id, as: nil, headers: headers).status == 404)
            #expect(try await client.picture(of: id, as: "ana").status == 200)
        }
    }
}

extension HTTPField.Name {
    /// `X-Request-Id`, which answers repeat.
    fileprivate static let requestID = HTTPField.Name.twinRequestID
}
