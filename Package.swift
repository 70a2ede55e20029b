// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "chat",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "ChatDomain", targets: ["ChatDomain"]),
        .library(name: "ChatEffects", targets: ["ChatEffects"]),
        .library(name: "ChatTesting", targets: ["ChatTesting"]),
        .executable(name: "chat", targets: ["chat"]),
    ],
    targets: [
        .target(name: "ChatDomain"),
        .target(name: "ChatEffects", dependencies: ["ChatDomain"]),
        .target(name: "ChatTesting", dependencies: ["ChatDomain", "ChatEffects"]),
        .executableTarget(name: "chat", dependencies: ["ChatDomain", "ChatEffects", "ChatTesting"]),
        .target(name: "TestVolume", path: "Tests/TestVolume"),
        .testTarget(name: "ChatDomainTests", dependencies: ["ChatDomain", "TestVolume"]),
        .testTarget(
            name: "ChatEffectsTests",
            dependencies: ["ChatDomain", "ChatEffects", "ChatTesting", "TestVolume"]),
        .testTarget(
            name: "ChatTestingTests",
            dependencies: ["ChatTesting", "ChatDomain", "ChatEffects", "TestVolume"]),
        .testTarget(
            name: "ChatProgramTests",
            dependencies: ["chat", "ChatDomain", "ChatEffects", "ChatTesting", "TestVolume"]),
        .testTarget(name: "DocumentationTests", dependencies: ["ChatDomain", "ChatEffects"]),
    ],
    swiftLanguageModes: [.v6]
)
