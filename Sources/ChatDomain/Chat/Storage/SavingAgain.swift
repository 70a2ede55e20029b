// Saves what the disk has refused once more (L5). A full disk stays full for a while, so no timer does, but each occasion
// on which the disk may have room again or the system may end the process: the app goes to the background or comes back,
// chat is left, the person turns to another conversation, or memory is short. One rule for all records. Start with
// `saveAll`.

extension Chat.State {
    /// Saves all that is not stored, also for people who have signed out.
    mutating func saveAll(_ step: inout Chat.Step) {
        // First, because the records of a new conversation wait for it.
        shared.list.record.retry()
        saveList(&step)
        atEach(&step) { $0.saveAll(&$1, &$2) }
        shared.pacing.retry()
        shared.writePacing(&step)
        saveDeparted(&step)
    }
}

extension Chat.Conversation {
    /// Saves all of the conversation that is not stored. The pages follow at the end of the step.
    mutating func saveAll(_ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        outbox.record.retry()
        draft.record.retry()
        transcript.pages.retry()
        if outbox.record.isToBeSaved { saveOutbox(&shared, &step) }
        saveDraft(&shared, &step)
    }
}
