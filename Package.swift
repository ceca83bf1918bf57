// swift-tools-version: 6.2
import PackageDescription

// Dependencies point downwards only; scripts/check-imports holds every target to its allow-list.
let package = Package(
    name: "waymark",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        // The targets a phone app can use as they are: no Foundation, no clock, no I/O.
        .library(
            name: "WaymarkCore",
            targets: ["Geometry", "Folding", "Stories", "StoryMap", "Gazetteer", "Geofencing"]
        ),
        .library(name: "Geometry", targets: ["Geometry"]),
        .library(name: "Stories", targets: ["Stories"]),
        .library(name: "StoryMap", targets: ["StoryMap"]),
        .library(name: "Gazetteer", targets: ["Gazetteer"]),
        .library(name: "Geofencing", targets: ["Geofencing"]),
        // Makes the files that Gazetteer reads; for tools, not for phones.
        .library(name: "GazetteerCompiler", targets: ["GazetteerCompiler"]),
        // The service as an app uses it; Foundation alone.
        .library(name: "WaymarkClient", targets: ["WaymarkClient"]),
        .executable(name: "waymark", targets: ["waymark"]),
        // Lives through simulated worlds in which disks, machines and clocks fail; for tests, never delivered.
        .executable(name: "waymark-sim", targets: ["waymark-sim"]),
    ],
    dependencies: [
        // The command line: subcommands, help and completion scripts; the Swift project's own.
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.2")),
        // HMAC and SHA-256 for keyed ids, signatures and encryption of what is sent; BoringSSL underneath.
        .package(url: "https://github.com/apple/swift-crypto", .upToNextMinor(from: "4.5.2")),
        // Contexts and spans of distributed traces; what records and exports them is ours.
        .package(url: "https://github.com/apple/swift-distributed-tracing", .upToNextMinor(from: "1.7.3")),
        // Typed header fields, as Hummingbird's requests and answers carry them.
        .package(url: "https://github.com/apple/swift-http-types", .upToNextMinor(from: "1.8.0")),
        // One precedence for options, environment, file and defaults; without its parsers of files, which lose line numbers.
        .package(url: "https://github.com/apple/swift-configuration", .upToNextMinor(from: "1.4.0"), traits: []),
        // Structured logging.
        .package(url: "https://github.com/apple/swift-log", .upToNextMinor(from: "1.16.2")),
        // Counters, gauges and timers; the registry that Prometheus reads is ours.
        .package(url: "https://github.com/apple/swift-metrics", .upToNextMinor(from: "2.13.0")),
        // Named directly to hold it at 2.100 or later: earlier ones can be crashed by one request (CVE-2026-28980).
        .package(url: "https://github.com/apple/swift-nio", .upToNextMinor(from: "2.101.2")),
        // TLS in the program; BoringSSL underneath.
        .package(url: "https://github.com/apple/swift-nio-ssl", .upToNextMinor(from: "2.37.6")),
        // SQLite with a writer, a pool of readers, and migrations.
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
        // The HTTP server.
        .package(url: "https://github.com/hummingbird-project/hummingbird", .upToNextMinor(from: "2.28.1")),
        // YAML with line numbers, for the file of settings.
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.2")),
        // Starts and stops what runs, and turns signals into a graceful end.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", .upToNextMinor(from: "2.13.0")),
        // Processes of other programs, with an end to each; the Swift project's own.
        .package(url: "https://github.com/swiftlang/swift-subprocess", .upToNextMinor(from: "1.0.2")),
        // JSON Web Tokens: checks what an OpenID Connect provider (RSA, P-256, Ed25519) and the issuer of --jwks sign, and
        // signs as others do in the tests; the Swift server community's own.
        .package(url: "https://github.com/vapor/jwt-kit", .upToNextMinor(from: "5.7.1")),
    ],
    targets: [
        .target(name: "Geometry"),
        // Texts without case, accents and punctuation: the same function folds what is indexed and what is asked.
        .target(name: "Folding"),
        .target(name: "Stories", dependencies: ["Folding", "Geometry"]),
        .target(name: "StoryMap", dependencies: ["Folding", "Geometry", "Stories"]),
        .target(name: "Gazetteer", dependencies: ["Folding", "Geometry"]),
        .target(name: "GazetteerCompiler", dependencies: ["Geometry", "Gazetteer"]),
        .target(name: "Geofencing", dependencies: ["Geometry"]),
        .target(
            name: "Notifications",
            dependencies: [
                "Geometry", "Stories", "Formats",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        // The rules of signing in with a provider: what is asked, and when an answer is believed.
        .target(
            name: "OpenID",
            dependencies: [
                "Formats",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),
        // libcurl's variadic functions with types.
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "Transport", dependencies: ["CCurl"]),
        // libmosquitto by Eclipse speaks MQTT with the operator's broker.
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .target(name: "Messaging", dependencies: ["CMosquitto", "Transport"]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "Formats", dependencies: ["Geometry", "Stories", "CZlib"]),
        // Tiles under the stories: cuts outlines and names into vector tiles; reads and writes archives of tiles.
        .target(name: "Basemap", dependencies: ["Geometry", "Formats"]),
        // libjpeg-turbo, libpng and libwebp read what browsers read; each reads the size before it allocates anything.
        .systemLibrary(
            name: "CTurboJPEG",
            pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]
        ),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
        // libexif reads what cameras record (EXIF); kept by its own project and in every distribution.
        .systemLibrary(name: "CExif", pkgConfig: "libexif", providers: [.apt(["libexif-dev"])]),
        .target(name: "Pictures", dependencies: ["Geometry", "CExif", "CTurboJPEG", "CPNG", "CWebP"]),
        // libfido2 by Yubico reads what authenticators send, and checks their signatures.
        .systemLibrary(name: "CFido2", pkgConfig: "libfido2", providers: [.apt(["libfido2-dev"])]),
        .target(
            name: "Passkeys",
            dependencies: ["Stories", "Formats", "CFido2", .product(name: "Crypto", package: "swift-crypto")]
        ),
        // Maps as SVG: values in, text out.
        .target(name: "MapDrawing", dependencies: ["Geometry", "Stories", "Formats", "Basemap"]),
        // librsvg draws SVG with the system's fonts; kept by GNOME and in every distribution.
        .systemLibrary(name: "CRSVG", pkgConfig: "librsvg-2.0", providers: [.apt(["librsvg2-dev"])]),
        .target(name: "Rasters", dependencies: ["CRSVG"]),
        // Conditions in OGC's query language, read from text and asked of values.
        .target(name: "Queries", dependencies: ["Geometry", "Stories", "Formats"]),
        .systemLibrary(name: "CProj", pkgConfig: "proj", providers: [.apt(["libproj-dev"])]),
        .target(name: "Projections", dependencies: ["Geometry", "CProj"]),
        // Backups as one file: hashed, and sealed with a passphrase (scrypt and AES-GCM are swift-crypto's).
        .target(
            name: "Archives",
            dependencies: [
                "Formats",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        // What operators watch: metrics, logs as JSON, traces.
        .target(
            name: "Observing",
            dependencies: [
                "Formats", "Stories",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        // The settings of the service: one table, one precedence.
        .target(
            name: "Settings",
            dependencies: [
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        // libdeflate by Eric Biggers computes zlib's checksums with vector instructions, for every page that is read.
        .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CSpatiaLite", pkgConfig: "spatialite", providers: [.apt(["libspatialite-dev"])]),
        .target(
            name: "Storage",
            dependencies: [
                "Geometry", "Stories", "Geofencing", "Notifications", "Formats", "Observing", "Archives", "CSpatiaLite",
                "CDeflate",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .systemLibrary(name: "CReadOSM", pkgConfig: "readosm", providers: [.apt(["libreadosm-dev"])]),
        .target(
            name: "Importing",
            dependencies: [
                "Geometry", "Stories", "Formats", "Basemap", "Gazetteer", "GazetteerCompiler", "Projections",
                "CReadOSM",
            ]
        ),
        // GDAL's programs, where an operator has installed them, as processes of their own.
        .target(
            name: "Converting",
            dependencies: ["Importing", .product(name: "Subprocess", package: "swift-subprocess")]
        ),
        .target(
            name: "Library",
            dependencies: [
                "Folding", "Geometry", "Stories", "StoryMap", "Gazetteer", "GazetteerCompiler", "Geofencing",
                "Notifications", "Formats", "Basemap", "MapDrawing", "Rasters", "Pictures", "Passkeys", "OpenID",
                "Storage", "Importing", "Observing",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .target(
            name: "Web",
            dependencies: [
                "Library", "Geometry", "Stories", "StoryMap", "Formats", "Observing", "Storage",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        // QR codes in the page and in the terminal.
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .target(
            name: "App",
            dependencies: [
                "CQREncode",
                "Web", "Library", "Geometry", "Stories", "StoryMap", "Gazetteer", "Geofencing", "Notifications",
                "Formats", "Basemap", "MapDrawing", "Passkeys", "OpenID",
                "Messaging", "Queries", "Projections", "Observing", "Storage", "Transport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [.copy("Resources/page"), .copy("Resources/demo")]
        ),
        .executableTarget(
            name: "waymark",
            dependencies: [
                "App", "Web", "Library", "Geometry", "Stories", "StoryMap", "Gazetteer", "Geofencing", "Notifications",
                "Formats", "Basemap", "MapDrawing", "Rasters", "OpenID", "Messaging", "Projections", "Storage",
                "Importing", "Converting", "Observing", "Settings",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        // The service on machines whose disks, power and clocks fail as a seed says, held to a model.
        .target(
            name: "Simulation",
            dependencies: [
                "App", "Web", "Library", "Geometry", "Stories", "Notifications", "Formats", "Storage", "CSpatiaLite",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "waymark-sim",
            dependencies: ["Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),
        // Requests, answers and the stream of notifications, for apps in Swift.
        .target(name: "WaymarkClient"),
        // A small app, to begin from.
        .executableTarget(name: "waymark-example", dependencies: ["WaymarkClient"]),
        .target(
            name: "TestSupport",
            dependencies: [
                "Geometry", "Stories", "Formats",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),
        .testTarget(name: "GeometryTests", dependencies: ["Geometry", "TestSupport"]),
        .testTarget(name: "FoldingTests", dependencies: ["Folding", "Geometry"]),
        .testTarget(name: "StoriesTests", dependencies: ["Geometry", "Stories", "TestSupport"]),
        .testTarget(
            name: "StoryMapTests",
            dependencies: ["Folding", "Geometry", "Stories", "StoryMap", "TestSupport"]
        ),
        .testTarget(
            name: "GazetteerTests",
            dependencies: ["Geometry", "Gazetteer", "GazetteerCompiler", "Formats", "TestSupport"]
        ),
        .testTarget(name: "GeofencingTests", dependencies: ["Geometry", "Geofencing", "TestSupport"]),
        .testTarget(
            name: "NotificationsTests",
            dependencies: [
                "Geometry", "Stories", "Geofencing", "Formats", "Notifications", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .testTarget(
            name: "OpenIDTests",
            dependencies: [
                "OpenID", "Formats",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
            ]
        ),
        .testTarget(name: "TransportTests", dependencies: ["Transport"]),
        .testTarget(name: "MessagingTests", dependencies: ["Messaging", "TestSupport"]),
        .testTarget(
            name: "ObservingTests",
            dependencies: [
                "Observing", "Formats", "Stories",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .testTarget(name: "SettingsTests", dependencies: ["Settings"]),
        .testTarget(
            name: "ArchivesTests",
            dependencies: [
                "Geometry", "Archives", "TestSupport", .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .testTarget(name: "FormatsTests", dependencies: ["Geometry", "Stories", "Formats", "TestSupport"]),
        .testTarget(name: "BasemapTests", dependencies: ["Geometry", "Formats", "Basemap", "TestSupport"]),
        .testTarget(
            name: "MapDrawingTests",
            dependencies: ["Geometry", "Stories", "Formats", "Basemap", "MapDrawing", "Rasters", "TestSupport"],
            exclude: ["Golden"]
        ),
        .testTarget(name: "PicturesTests", dependencies: ["Geometry", "Pictures", "TestSupport"]),
        .testTarget(
            name: "PasskeysTests",
            dependencies: [
                "Geometry", "Stories", "Formats", "Passkeys", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .testTarget(name: "QueriesTests", dependencies: ["Geometry", "Queries"]),
        .testTarget(name: "ProjectionsTests", dependencies: ["Geometry", "Projections"]),
        .testTarget(
            name: "ImportingTests",
            dependencies: [
                "Geometry", "Stories", "Formats", "Gazetteer", "GazetteerCompiler", "Importing", "Converting",
                "TestSupport",
            ],
            exclude: ["Fixtures", "Samples", "make_samples.py", "program_samples.py"]
        ),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Geometry", "Stories", "Notifications", "Archives", "Storage", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(name: "SimulationTests", dependencies: ["Simulation", "Geometry"]),
        .testTarget(name: "WaymarkClientTests", dependencies: ["WaymarkClient"]),
        .testTarget(
            name: "AppTests",
            dependencies: [
                "App", "Web", "Library", "Geometry", "Stories", "StoryMap", "Gazetteer", "GazetteerCompiler",
                "Geofencing", "Notifications", "Formats", "Basemap", "MapDrawing", "Passkeys", "OpenID", "Storage",
                "Importing", "Messaging", "Observing", "Projections", "Queries", "WaymarkClient",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            exclude: ["Golden/answers.txt"]
        ),
    ]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    // The checks test what is delivered, so they build for release; optimising the tests themselves only takes time.
    if target.type == .test {
        let fast = ["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"]
        target.swiftSettings?.append(.unsafeFlags(fast, .when(configuration: .release)))
    }
    // The checks set it; a newcomer's build does not break on somebody's deprecation.
    if Context.environment["WAYMARK_STRICT"] != nil {
        target.swiftSettings?
            .append(contentsOf: [
                .treatAllWarnings(as: .error), .treatWarning("ExplicitSendable", as: .error),
            ])
    }
}
