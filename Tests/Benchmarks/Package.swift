// swift-tools-version: 6.2
import PackageDescription

// Run by: swift run -c release --package-path Tests/Benchmarks benchmarks
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "chat", path: "../..")
    ],
    targets: [
        .target(name: "AllocationCount"),
        .target(name: "BareReducer"),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "AllocationCount",
                "BareReducer",
                .product(name: "ChatDomain", package: "chat"),
                .product(name: "ChatEffects", package: "chat"),
                .product(name: "ChatTesting", package: "chat"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
