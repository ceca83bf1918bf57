import Instrumentation
import Observing
import Stories
import Synchronization
import Testing
import Tracing

/// Positions in traces as W3C Trace Context carries them, and whose they are.
struct TraceParentTests {
    static let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// Carries the header alone.
    private struct Header: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
    }

    @Test("OBS-01 A traceparent of version 00 is read and written unchanged; unknown flags are not passed on")
    func read() throws {
        let parent = try #require(TraceParent(TraceParentTests.text))
        #expect(parent.description == TraceParentTests.text && parent.isSampled)
        #expect(parent.trace.description == "4bf92f3577b34da6a3ce929d0e0e4736" && parent.span == 0x00f0_67aa_0ba9_02b7)
        let flags = try #require(TraceParent(TraceParentTests.text.dropLast(2) + "fe"))
        #expect(!flags.isSampled && flags.description.hasSuffix("-00"))
        let small = "00-00000000000000000000000000000001-0000000000000001-00"
        #expect(TraceParent(small)?.description == small)
    }

    @Test(
        "OBS-01 Anything else is no position",
        arguments: [
            "", "00", "0", "\u{1F600}", String(repeating: "0", count: 55), String(repeating: "-", count: 55),
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 ",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, "
                + "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ]
    )
    func refused(_ text: String) { #expect(TraceParent(text) == nil) }

    @Test("OBS-01 A span is below its sender's and in the same trace, as sampled as that; without one a trace begins")
    func children() throws {
        let tracer = ServiceTracer()
        for text in [TraceParentTests.text, String(TraceParentTests.text.dropLast()) + "0"] {
            var context = InstrumentationContext.topLevel
            tracer.extract([TraceParent.header: text], into: &context, using: Header())
            let span = tracer.startSpan("work", context: context)
            let parent = try #require(TraceParent(text))
            #expect(span.position.trace == parent.trace && span.position.span != parent.span)
            #expect(span.position.isSampled == parent.isSampled && !span.isRecording)
            var carried: [String: String] = [:]
            tracer.inject(span.context, into: &carried, using: Header())
            #expect(carried == ["traceparent": span.position.description])
        }
        var context = InstrumentationContext.topLevel
        tracer.extract([TraceParent.header: "00-no"], into: &context, using: Header())
        let (one, other) = (tracer.startSpan("work", context: context), tracer.startSpan("work", context: context))
        #expect(one.position.trace != other.position.trace && !one.position.isSampled)
    }

    @Test("Bits that are all zero are drawn again")
    func zeros() {
        // A trace of zeros; one whose span is zero; one that is right.
        let numbers = Mutex<[UInt64]>([0, 0, 0, 5, 0, 0, 7, 8])
        let root = ServiceTracer(random: { numbers.withLock { $0.removeFirst() } }).root()
        #expect(root.description == "00-00000000000000000000000000000007-0000000000000008-00")
    }

    @Test("PRV-02 A row keeps the trace of its person's own request, or of a backend, and of nobody else's")
    func kept() throws {
        let (ana, ben) = (try #require(UserID("ana")), try #require(UserID("ben")))
        let parent = try #require(TraceParent(TraceParentTests.text))
        let own = TraceCause(parent, origin: .person(ana))
        #expect(own.text(keptFor: ana) == TraceParentTests.text && own.text(keptFor: ben) == nil)
        #expect(TraceCause(parent).text(keptFor: ana) == nil)
        let service = TraceCause(parent, origin: .service)
        #expect(service.text(keptFor: ben) == TraceParentTests.text + " service")
        for (cause, user) in [(own, ana), (service, ben)] {
            let text = try #require(cause.text(keptFor: user))
            #expect(TraceCause(kept: text, for: user) == cause)
        }
        for text in ["", " ", "service", TraceParentTests.text + " ", TraceParentTests.text + " other", "x service"] {
            #expect(TraceCause(kept: text, for: ana) == nil, "\(text)")
        }
    }
}
