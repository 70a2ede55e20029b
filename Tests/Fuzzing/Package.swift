// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because libFuzzer brings the program's `main`. `.ci/fuzz` builds and runs it.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "chat", path: "../..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "ChatDomain", package: "chat"), .product(name: "ChatEffects", package: "chat"),
                .product(name: "ChatTesting", package: "chat"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    ],
    swiftLanguageModes: [.v6]
)
