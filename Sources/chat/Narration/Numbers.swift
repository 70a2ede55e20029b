// The numbers that refer to printed items: messages, questions and requests share one sequence, so a number is unique.
// An item keeps its number until the program ends.

import ChatDomain

/// The printed items by number.
struct Numbers {
    /// An item with a number.
    enum Subject: Hashable {
        case row(Chat.Row.ID)
        case question(QuestionID)
        case request(DeviceID)
    }

    private var subjects: [Subject] = []
    private var numbers: [Subject: Int] = [:]

    /// The number of an item; assigns the next one if it has none.
    mutating func number(of subject: Subject) -> Int {
        if let number = numbers[subject] { return number }
        subjects.append(subject)
        numbers[subject] = subjects.count
        return subjects.count
    }

    /// The number of an item; nil if it was not printed.
    func shownNumber(of subject: Subject) -> Int? { numbers[subject] }

    /// The item with a number; nil if there is none.
    func subject(_ number: Int) -> Subject? {
        subjects.indices.contains(number - 1) ? subjects[number - 1] : nil
    }

    /// Forgets an item; a later item with the same name is a new one.
    mutating func forget(_ subject: Subject) {
        numbers[subject] = nil
    }
}
