// The numbers by which a person refers to what was shown: messages, questions and requests count in one row, so
// that a number names one thing. A thing keeps its number as long as the program runs.

import ChatDomain

/// What was shown, by number.
struct Numbers {
    /// Something that can be referred to.
    enum Subject: Hashable {
        case row(Chat.Row.ID)
        case question(QuestionID)
        case request(DeviceID)
    }

    private var subjects: [Subject] = []
    private var numbers: [Subject: Int] = [:]

    /// The number of something, which it gets here if it has none.
    mutating func number(of subject: Subject) -> Int {
        if let number = numbers[subject] { return number }
        subjects.append(subject)
        numbers[subject] = subjects.count
        return subjects.count
    }

    /// The number under which something was shown.
    func shownNumber(of subject: Subject) -> Int? { numbers[subject] }

    /// What was shown with a number.
    func subject(_ number: Int) -> Subject? {
        subjects.indices.contains(number - 1) ? subjects[number - 1] : nil
    }

    /// Something is gone; what gets the same name later is something else.
    mutating func forget(_ subject: Subject) {
        numbers[subject] = nil
    }
}
