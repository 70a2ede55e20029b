// swift-tools-version: 6.2
import PackageDescription

// What an app does with the library, in a package of its own: the samples of the README beside Foundation and SwiftUI's
// names, and the feature of Docs/YourFeature.md.
let package = Package(
    name: "embedding",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "chat", path: "../..")],
    targets: [
        .target(name: "SystemNames"),
        .target(
            name: "Embedding",
            dependencies: [
                "SystemNames", .product(name: "ChatDomain", package: "chat"),
                .product(name: "ChatEffects", package: "chat"),
            ]),
        .target(
            name: "Reminders",
            dependencies: [
                .product(name: "ChatDomain", package: "chat"), .product(name: "ChatEffects", package: "chat"),
            ]),
        .testTarget(
            name: "RemindersTests",
            dependencies: [
                "Reminders", .product(name: "ChatDomain", package: "chat"),
                .product(name: "ChatEffects", package: "chat"),
                .product(name: "ChatTesting", package: "chat"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
