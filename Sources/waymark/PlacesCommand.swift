import Library
import App
import ArgumentParser
import Geometry
import Storage
import Stories

/// `waymark places`.
struct PlacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "places",
        abstract: "Lists, adds and removes named places; stories in one are announced together, under its name.",
        discussion: "Example: waymark places add \"Oakland Cemetery\" 33.7485 -84.3711 --radius 300 --owner ana",
        subcommands: [List.self, Add.self, Remove.self]
    )

    /// `waymark places list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the named places that a viewer may see, newest first.",
            discussion: "Example: waymark places list --as ana --bbox -84.40,33.74,-84.36,33.77"
        )

        @Option(name: .customLong("as"), help: "Show what this user may see; by default only public ones.")
        var viewer: String?
        @Option(parsing: .unconditional, help: "Only places whose centre is in the box W,S,E,N, in degrees.")
        var bbox: String?
        @Option(parsing: .unconditional, help: "The maximum number of places.")
        var limit = 100
        @Option(help: "The output format: text or json; by default, text on a terminal, otherwise json.")
        var format: PlaceFormat?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            try checkLimit(limit)
            let box = try bbox.map { try boundingBox($0) }
            let library = try await database.library(.readOnly)
            let eyes = try await namedViewer(viewer, in: library)
            let places = try await library.places.namedPlaces(visibleTo: eyes, in: box, limit: limit)
            switch format ?? (Console.isTerminal ? .text : .json) {
            case .json: Console.write(NamedPlaceJSON.page(places) + Array("\n".utf8))
            case .text:
                for place in places {
                    let metres = "\(Int(place.radius.rounded())) m"
                    let level = place.isHeld ? "\(place.privacy.rawValue), held" : place.privacy.rawValue
                    Console.line("\(place.id)  \(level)  \(place.owner)  \(place.name)  \(metres)")
                }
            }
        }
    }

    /// `waymark places add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Names a place and prints its id.",
            discussion: """
                With this command, a place can be public: its name is then shown to everyone.
                Example: waymark places add "Grandma's farm" 33.7554 -84.3736 --owner ana --privacy family_only
                """
        )

        @Argument(help: "The name of the place.")
        var name: String
        @Argument(parsing: .allUnrecognized, help: "Latitude and longitude of its centre in degrees.")
        var position: [String]
        @Option(
            parsing: .unconditional,
            help: "The radius in metres, 10 to 500; by default 75.",
            transform: givenNumber
        )
        var radius = NamedPlace.usualRadius
        @Option(help: "The owner of the place.")
        var owner: String
        @Option(help: "Who may see it: public, family_only or private.")
        var privacy = Privacy.private.rawValue
        @Option(help: "With family_only: the only family; by default all the owner's families.")
        var family: String?
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let values = try numbers(position, named: ["LAT", "LON"])
            guard let coordinate = Coordinate(latitude: values[0], longitude: values[1]) else {
                throw CommandFailure.usage("LAT must be between -90 and 90, LON between -180 and 180.")
            }
            var input = NamedPlaceInput()
            (input.name, input.radius) = (name, radius)
            guard let level = Privacy(rawValue: privacy) else {
                throw CommandFailure.usage("--privacy must be public, family_only or private.")
            }
            input.privacy = level
            if let family {
                guard let id = FamilyID(family) else {
                    throw CommandFailure.usage(
                        "--family: \(given(family)) is not the id of a family; 'waymark families list' shows the ids."
                    )
                }
                input.family = id
            }
            let user = try userID(owner)
            let library = try await database.library(.readWrite)
            defer { try? library.store.close() }
            guard try await library.viewer(of: user) != nil else {
                throw CommandFailure.usage(
                    "--owner: there is no user \(owner). 'waymark users list' lists the users."
                )
            }
            do {
                let made = try await library.places.addNamedPlace(input, at: coordinate, owner: user, mayBePublic: true)
                Console.line(made.id.rawValue)
                guard made.isHeld, made.privacy != .private else { return }
                Console.remark(
                    "It touches a sensitive area, so only \(user) can see it.",
                    quiet: database.quiet
                )
            } catch let refusal as NamedPlaceRefusal {
                let (field, message) = refusal.problem
                throw CommandFailure.usage(
                    (["name", "place"].contains(field) ? "The \(field) " : "--\(field) ") + message + "."
                )
            }
        }
    }

    /// `waymark places remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a named place, and its name from earlier notifications; stories stay as they are.",
            discussion: "Example: waymark places remove 0123456789abcdef0123456789abcdef"
        )

        @Argument(help: "The id of the place.")
        var id: String
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard let place = NamedPlaceID(id) else {
                throw CommandFailure.usage(
                    "\(given(id)) is not the id of a named place; 'waymark places list' shows the ids."
                )
            }
            let library = try await database.existingLibrary()
            defer { try? library.store.close() }
            guard try await library.places.removeNamedPlace(place) else {
                throw CommandFailure.usage("There is no named place \(id). 'waymark places list' lists the places.")
            }
            Console.remark("The place was removed; its stories are unchanged.", quiet: database.quiet)
        }
    }
}
