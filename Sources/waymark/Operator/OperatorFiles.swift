import Foundation
import Importing

/// Hands the files that a command names over to the service that carries it out.
///
/// The service gets no other files than these, and the photographs of folders among them.
struct OperatorFiles {
    private let socket: OperatorSocket
    private let names: [String]
    private let converter: InputConverter?
    private let areGathered: Bool
    /// The photographs of the folders that were handed over, by the index of the folder.
    private var photos: [Int: GatheredPhotos] = [:]

    init(of command: any DoneByService, over socket: OperatorSocket) {
        self.socket = socket
        names = command.inputs
        converter = command.converter
        areGathered = command.gathersInputs
    }

    /// Sends what the service asks for, or that it cannot be read.
    mutating func hand(over asked: OperatorFetch) async {
        do {
            switch asked {
            case .line:
                guard let line = readLine() else { return refuse() }
                send(Array(line.utf8))
            case .file(let index):
                guard names.indices.contains(index) else { return refuse() }
                try await handFile(index)
            case .photo(let number, let folder):
                guard let photos = photos[folder], photos.names.indices.contains(number) else { return refuse() }
                send(try await photos.contents(of: number))
            }
        } catch {
            refuse()
        }
    }

    private mutating func handFile(_ index: Int) async throws {
        let name = names[index]
        if areGathered, name != "-", let gathered = try GatheredInput(name) {
            photos[index] = gathered.photos
            if let photos = gathered.photos { socket.send(.gathered, photos.listing) }
            return send(gathered.bytes)
        }
        let handle = name == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: name)
        guard let handle else { return refuse() }
        var part = [UInt8](try handle.read(upToCount: OperatorSocket.mostBytes) ?? Data())
        if let converter, converter.mayConvert(part, name: name) {
            part += try handle.read(upToCount: InputConverter.limit) ?? Data()
            return try await hand(over: part, of: name, by: converter)
        }
        while !part.isEmpty {
            guard socket.send(.data, part) else { return }
            part = [UInt8](try handle.read(upToCount: OperatorSocket.mostBytes) ?? Data())
        }
        socket.send(.end)
    }

    /// Sends a file as it was converted here: a service runs no other programs.
    private func hand(over bytes: [UInt8], of name: String, by converter: InputConverter) async throws {
        do {
            let title = name == "-" ? "standard-input" : name
            let converted = try await converter.converted(bytes, name: title)
            if let converted { socket.send(.converted, converted.origin.bytes) }
            send(converted?.bytes ?? bytes)
        } catch let problem as ImportProblem {
            socket.send(.refused, Array(problem.message.utf8))
        }
    }

    private func send(_ bytes: [UInt8]) { if socket.send(.data, bytes) { socket.send(.end) } }

    private func refuse() { socket.send(.unreadable) }
}
