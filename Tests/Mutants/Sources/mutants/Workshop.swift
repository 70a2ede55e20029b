// The build that has all bugs in it. The sources are copied into a folder, rewritten and built once: optimised, so that the
// kit is as fast as it is meant to be, but with the tests as they are, which nobody waits for. The environment variable
// MUTANT chooses the bug of a process.

import Foundation

struct Workshop: Sendable {
    let root: URL
    var folder: URL { root.appendingPathComponent(".build/mutants") }
    var products: URL { folder.appendingPathComponent(".build/release") }

    /// The switch, as it is compiled into the library.
    private static let chosen = """
        // Written by the build with seeded bugs.
        import Foundation

        private let chosen = ProcessInfo.processInfo.environment["MUTANT"].flatMap { Int($0) } ?? 0

        public func mutant(_ number: Int) -> Bool { number == chosen }

        """

    /// The copy of the package, by paths, with all bugs in it. Throws when the table does not fit.
    func sources(_ mutants: [Mutant]) throws -> [String: Data] {
        var files = ["Package.swift": try package()]
        files["Sources/ChatDomain/Core/Mutant.swift"] = Data(Workshop.chosen.utf8)
        for top in ["Sources", "Tests", "Docs", "README.md", ".ci"] { try gather(top, into: &files) }
        for (file, entries) in Dictionary(grouping: mutants, by: { $0.file }) {
            guard let source = files["Sources/\(file)"] else {
                throw Problem("there is no file Sources/\(file)")
            }
            let text = try Mutant.apply(entries, to: String(decoding: source, as: UTF8.self))
            files["Sources/\(file)"] = Data(text.utf8)
        }
        return files
    }

    /// Writes the copy. A file that is as before is not touched, so that it is not built again.
    private func write(_ files: [String: Data]) throws {
        for (path, content) in files {
            let target = folder.appendingPathComponent(path)
            if (try? Data(contentsOf: target)) == content { continue }
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try content.write(to: target)
        }
        for top in ["Sources", "Tests"] {
            for path in Workshop.paths(below: folder.appendingPathComponent(top))
            where files["\(top)/\(path)"] == nil {
                try FileManager.default.removeItem(at: folder.appendingPathComponent("\(top)/\(path)"))
            }
        }
    }

    private func gather(_ top: String, into files: inout [String: Data]) throws {
        let start = root.appendingPathComponent(top)
        if let content = try? Data(contentsOf: start) { files[top] = content }
        for path in Workshop.paths(below: start) where files["\(top)/\(path)"] == nil {
            files["\(top)/\(path)"] = try Data(contentsOf: start.appendingPathComponent(path))
        }
    }

    /// The files below a folder but for what a build leaves.
    private static func paths(below folder: URL) -> [String] {
        guard let files = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        var paths: [String] = []
        for case let path as String in files where !path.split(separator: "/").contains(".build") {
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(
                atPath: folder.appendingPathComponent(path).path, isDirectory: &isFolder)
            if isThere, !isFolder.boolValue { paths.append(path) }
        }
        return paths
    }

    /// The package, with tests that are not optimised: that would take minutes.
    private func package() throws -> Data {
        let source = try String(
            contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let loop = """

            for target in package.targets where target.type == .test {
                target.swiftSettings = [.unsafeFlags(["-Onone"])]
            }

            """
        return Data((source + loop).utf8)
    }

    /// Builds the program and the tests, and goes where they are.
    func build(_ files: [String: Data]) async throws {
        try write(files)
        guard FileManager.default.changeCurrentDirectoryPath(folder.path) else {
            throw Problem("nobody can go to \(folder.path)")
        }
        let arguments = ["build", "-c", "release", "-Xswiftc", "-enable-testing", "--build-tests"]
        let run = try await Shell.run("swift", arguments, isShown: true, limit: 7_200)
        guard run.end == .quiet else { throw Problem("the build with all bugs failed") }
    }
}
