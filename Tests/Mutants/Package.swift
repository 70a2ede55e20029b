// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because it builds and runs the project, with bugs in it. `.ci/mutants` runs it.
let package = Package(
    name: "mutants",
    platforms: [.macOS(.v14)],
    targets: [.executableTarget(name: "mutants")],
    swiftLanguageModes: [.v6]
)
