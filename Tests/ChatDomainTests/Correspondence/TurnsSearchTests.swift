// Everything that can happen between questions and replies, searched to closure (TurnsWorld.swift).

import TestVolume
import Testing

@testable import ChatDomain

@Suite("Turns, searched to closure")
struct TurnsSearchTests {
    private typealias Case = (name: String, states: Int, budget: TurnsWorld.Budget)

    private static let short: [Case] = [
        ("three questions, one reply fails", 3_000, .init(failures: 1, growth: false)),
        ("growing replies", 10_000, .init(messages: 2, retries: 1, failures: 1, lateAcknowledgements: 1)),
        ("a lost connection", 3_000, .init(messages: 2, elsewhere: 1, cuts: 1, growth: false)),
        (
            "two of another device", 4_000,
            .init(messages: 1, elsewhere: 2, cuts: 1, stops: 1, growth: false)
        ),
        ("two lost connections", 3_000, .init(cuts: 2, growth: false)),
        ("named, lost on the way", 500, .init(losses: 1, growth: false, isNamed: true)),
        ("named, slow and cut", 500, .init(messages: 2, cuts: 1, losses: 1, impatience: 1, isNamed: true)),
        ("named, asked again", 200, .init(messages: 2, retries: 1, losses: 1, impatience: 1, isNamed: true)),
        ("slow replies", 2_000, .init(impatience: 2, growth: false)),
        ("two retries after a loss", 1_000, .init(messages: 2, retries: 2, losses: 2, growth: false)),
        (
            "deleted, failed, asked again", 3_000,
            .init(messages: 2, retries: 1, deletions: 1, failures: 1, growth: false)
        ),
        (
            "an echo in doubt, failed", 2_000,
            .init(messages: 2, cuts: 1, retellings: 1, strangers: 1, failures: 1, growth: false)
        ),
        (
            "an echo in doubt, stopped", 2_000,
            .init(messages: 2, cuts: 1, retellings: 1, stops: 1, strangers: 1, growth: false)
        ),
        (
            "an echo in doubt, deleted", 2_000,
            .init(messages: 2, cuts: 1, retellings: 1, deletions: 1, strangers: 1, growth: false)
        ),
    ]

    private static let long: [Case] = [
        ("three questions with retries", 15_000, .init(retries: 1, failures: 2, growth: false)),
        (
            "three questions, each asked twice", 30_000,
            .init(retries: 3, failures: 3, isEchoed: true, growth: false)
        ),
        (
            "another device", 15_000,
            .init(messages: 2, elsewhere: 1, stops: 1, failures: 1, growth: false)
        ),
        (
            "a replayed history", 8_000,
            .init(messages: 2, elsewhere: 1, cuts: 1, retellings: 1, hasEarlier: true, growth: false)
        ),
        (
            "replayed while a deadline passes", 5_000,
            .init(messages: 2, cuts: 1, retellings: 1, impatience: 1, hasEarlier: true)
        ),
        ("lost on the way", 10_000, .init(losses: 2)),
        (
            "lost, failed and cut", 5_000,
            .init(messages: 2, retries: 1, cuts: 1, failures: 1, losses: 1, growth: false)
        ),
        ("a restart", 10_000, .init(messages: 2, elsewhere: 1, cuts: 1, restarts: 1, growth: false)),
        ("a restart after a loss", 5_000, .init(messages: 2, retries: 1, restarts: 1, losses: 1)),
        ("two retries of a message", 5_000, .init(messages: 2, retries: 2, failures: 2, growth: false)),
        (
            "deleted, cut", 5_000,
            .init(messages: 2, elsewhere: 1, cuts: 1, deletions: 1, growth: false)
        ),
        (
            "an echo in doubt", 8_000,
            .init(
                messages: 2, elsewhere: 1, cuts: 1, retellings: 1, strangers: 1, hasEarlier: true,
                growth: false)
        ),
        (
            "two echoes in doubt", 8_000,
            .init(messages: 3, cuts: 2, retellings: 1, strangers: 2, growth: false)
        ),
    ]

    @Test(
        "C12, S6: each reply is that to its question, and what has none is said so",
        arguments: thoroughly(short + long, otherwise: short))
    fileprivate func closure(_ name: String, _ least: Int, _ budget: TurnsWorld.Budget) {
        ClosureSearch(TurnsWorld(budget)).expectLawful("Turns, \(name)", atLeast: least)
    }
}
