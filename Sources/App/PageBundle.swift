import Foundation

/// Joins the modules of a page into one script, so that a phone asks once instead of seventy times.
///
/// No bundler, because the program would need Node to be built, and because our modules keep to a few forms: an import is
/// one line with names in braces, an export stands before `const`, `function`, `async function` or `class`, and no two modules
/// import each other. Each module becomes a function that runs once and returns what it exports, an asynchronous one where
/// the module awaits at its top; the page's own module stands last and bare. Anything else is a ``Failure``.
package struct PageBundle: Sendable {
    /// What stands in a module and cannot be joined.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        /// The name of the module's file.
        package let module: String
        /// The number of the line, from 1; 0 if the module as a whole is meant.
        package let line: Int
        /// What is wrong and what to do.
        package let problem: String

        package var description: String { line == 0 ? "\(module): \(problem)" : "\(module), line \(line): \(problem)" }
    }

    /// A module, read.
    private struct Module {
        var imports: [String] = []
        var exports: [String] = []
        var lines: [String] = []
        /// Whether a line awaits outside a function.
        var awaits = false
    }

    private let modules: [String: Module]

    /// The modules that no other imports: those of the pages, by name.
    package let entries: [String]

    /// Reads modules, by the names of their files.
    ///
    /// - Throws: ``Failure`` for a line in a form that is not known, and for an import of a module that is not there.
    package init(_ texts: [String: String]) throws(Failure) {
        var modules: [String: Module] = [:]
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) {
            modules[name] = try PageBundle.read(text, name: name)
        }
        for (name, module) in modules.sorted(by: { $0.key < $1.key }) {
            for other in module.imports where modules[other] == nil {
                throw Failure(module: name, line: 0, problem: "imports \(other), which is not there")
            }
        }
        self.modules = modules
        let imported = Set(modules.values.flatMap(\.imports))
        entries = modules.keys.filter { !imported.contains($0) }.sorted()
    }

    /// Returns the script of a page: the module and all that it imports, each after those it imports itself.
    ///
    /// - Throws: ``Failure`` if modules import each other.
    package func script(of entry: String) throws(Failure) -> String {
        var order: [String] = []
        try visit(entry, from: [], order: &order)
        var lines: [String] = []
        for name in order {
            guard let module = modules[name] else { continue }
            guard name != entry else {
                lines += module.lines
                continue
            }
            let start = module.awaits ? "await (async () => {" : "(() => {"
            lines.append("const \(PageBundle.variable(name)) = \(start)")
            lines += module.lines
            lines.append("return { \(module.exports.joined(separator: ", ")) };")
            lines.append("})();")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func visit(_ name: String, from path: [String], order: inout [String]) throws(Failure) {
        guard !order.contains(name), let module = modules[name] else { return }
        if path.contains(name) {
            throw Failure(module: name, line: 0, problem: "imports itself by way of \(path.joined(separator: ", "))")
        }
        for other in module.imports { try visit(other, from: path + [name], order: &order) }
        order.append(name)
    }
}

// Reading a module.
extension PageBundle {
    private static let declarations = ["const ", "function ", "async function ", "class "]

    private static func read(_ text: String, name: String) throws(Failure) -> Module {
        var module = Module()
        let lines = text.components(separatedBy: "\n")
        // A text in backquotes that goes over several lines may contain anything: then nothing is left out.
        let isShortened = lines.allSatisfy { !$0.components(separatedBy: "`").count.isMultiple(of: 2) }
        for (index, line) in lines.enumerated() {
            do {
                if let read = try read(line, into: &module) {
                    let short = isShortened ? shortened(read) : read
                    if !isShortened || !short.isEmpty { module.lines.append(short) }
                }
            } catch {
                throw Failure(module: name, line: index + 1, problem: error.problem)
            }
            if awaits(line) { module.awaits = true }
        }
        return module
    }

    /// Returns a line as it stands in the script; `nil` if it is left out.
    private static func read(_ line: String, into module: inout Module) throws(Failure) -> String? {
        if line.hasPrefix("import ") || line.hasPrefix("import{") { return try imported(line, into: &module) }
        guard line.hasPrefix("export") else {
            if line.contains("import(") || line.contains("import.meta") {
                throw problem("a module cannot be loaded from here; import it at the top")
            }
            return line
        }
        let rest = String(line.dropFirst("export ".count))
        guard line.hasPrefix("export "), let form = declarations.first(where: rest.hasPrefix) else {
            throw problem("write “export” before const, function, async function or class")
        }
        let exported = rest.dropFirst(form.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
        guard !exported.isEmpty else { throw problem("an export declares one name") }
        module.exports.append(String(exported))
        return rest
    }

    /// Reads `import { a, b as c } from "./x.js";` and returns the line that takes these from the module.
    private static func imported(_ line: String, into module: inout Module) throws(Failure) -> String {
        let parts = line.components(separatedBy: " from ")
        guard parts.count == 2, parts[0].hasPrefix("import { "), parts[0].hasSuffix(" }"),
            parts[1].hasPrefix("\"./"), parts[1].hasSuffix(".js\";")
        else { throw problem("write an import as one line: import { name } from \"./module.js\";") }
        let other = String(parts[1].dropFirst(3).dropLast(2))
        let names = parts[0].dropFirst("import { ".count).dropLast(2).replacing(" as ", with: ": ")
        if !module.imports.contains(other) { module.imports.append(other) }
        return "const { \(names) } = \(variable(other));"
    }

    /// Returns a line without its indentation; nothing for a comment.
    private static func shortened(_ line: String) -> String {
        let text = line.utf8.drop { $0 == UInt8(ascii: " ") }
        return text.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) ? "" : String(text) ?? line
    }

    /// Whether a line of a module awaits where no function stands around it: only lines that begin at the margin do.
    private static func awaits(_ line: String) -> Bool {
        guard let first = line.utf8.first, first != UInt8(ascii: " "), !line.hasPrefix("//") else { return false }
        return line.contains("await ") && !line.contains("async")
    }

    /// The name under which a script holds a module.
    private static func variable(_ name: String) -> String {
        "$" + String(name.dropLast(3).map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    private static func problem(_ words: String) -> Failure { Failure(module: "", line: 0, problem: words) }
}
