import App
import Foundation
import HTTPTypes
import Testing

@Suite("A page's modules as one script")
struct PageBundleTests {
    @Test("Modules stand after those that they import, each once, and hold their names to themselves")
    func join() throws {
        let bundle = try PageBundle([
            "page.js": """
            // The page.
            import { double } from "./sums.js";
            import { one as first } from "./base.js";

            const one = double(first);
            await show(one);
            """,
            "sums.js": """
            import { one } from "./base.js";
            export function double(value) {
              return value + value * one; // twice
            }
            """,
            "base.js": """
            const hidden = 1;
            export const one = hidden;
            export class Base {}
            export async function later() {}
            """,
        ])
        #expect(bundle.entries == ["page.js"])
        #expect(
            try bundle.script(of: "page.js") == """
                const $base = (() => {
                const hidden = 1;
                const one = hidden;
                class Base {}
                async function later() {}
                return { one, Base, later };
                })();
                const $sums = (() => {
                const { one } = $base;
                function double(value) {
                return value + value * one; // twice
                }
                return { double };
                })();
                const { double } = $sums;
                const { one: first } = $base;
                const one = double(first);
                await show(one);

                """
        )
    }

    @Test("Nothing is left out of a module whose text in backquotes goes over several lines")
    func verbatim() throws {
        let text = "const words = `one\n  // no comment\n\n`;\n"
        #expect(try PageBundle(["page.js": text]).script(of: "page.js") == text + "\n")
    }

    @Test(
        "What cannot be joined is named with its line",
        arguments: [
            ("import * as all from \"./base.js\";", 1), ("import base from \"./base.js\";", 1),
            ("import { one } from 'base';", 1), ("import {\n  one,\n} from \"./base.js\";", 1),
            ("\nexport default 1;", 2), ("export let one = 1;", 1), ("export { one };", 1),
            ("export const { one } = all;", 1), ("const late = () => import(\"./base.js\");", 1),
            ("import { none } from \"./none.js\";", 0),
        ]
    )
    func refused(text: String, line: Int) throws {
        let failure = try #require(throws: PageBundle.Failure.self) {
            _ = try PageBundle(["page.js": text, "base.js": "export const one = 1;"])
        }
        #expect(failure.module == "page.js" && failure.line == line)
    }

    @Test("Modules that import each other are refused; a module that awaits is waited for")
    func circles() throws {
        let circle = try PageBundle([
            "page.js": "import { a } from \"./a.js\";", "a.js": "import { b } from \"./b.js\";\nexport const a = b;",
            "b.js": "import { a } from \"./a.js\";\nexport const b = 1;",
        ])
        #expect(throws: PageBundle.Failure.self) { try circle.script(of: "page.js") }
        let waiting = try PageBundle([
            "page.js": "import { a } from \"./a.js\";", "a.js": "export const a = await fetch(\"/\");",
        ])
        #expect(try waiting.script(of: "page.js").contains("const $a = await (async () => {"))
    }

    @Test("Each page's modules are one script that imports nothing, and the worker keeps no module besides")
    func served() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for name in ["app.js", "walk.js", "story.js"] {
                let reply = try await client.get("/assets/\(name)")
                let text = String(decoding: reply.bytes, as: UTF8.self)
                #expect(reply.status == 200 && text.contains("const $dom = (() => {"), "\(name)")
                #expect(!text.split(separator: "\n").contains { $0.hasPrefix("import ") }, "\(name)")
            }
            let worker = String(decoding: try await client.get("/sw.js").bytes, as: UTF8.self)
            #expect(worker.contains("\"app.js\"") && !worker.contains("\"dom.js\""))
        }
    }

    @Test("No page of ours allows an inline script or style")
    func policy() async throws {
        let fixture = try await ServiceFixture()
        try await fixture.run { client async throws in
            for path in ["/", "/walk", "/stories"] {
                let reply = try await client.get(path, headers: [.accept: "text/html"])
                let policy = try #require(reply.headers[.contentSecurityPolicy], "\(path)")
                #expect(!policy.contains("unsafe") && !policy.contains("http"), "\(path)")
                let text = String(decoding: reply.bytes, as: UTF8.self)
                #expect(!text.contains(" style=") && !text.contains("<style"), "\(path)")
            }
        }
    }
}
