// Carries out steps, for all ways of running the chat: on virtual time, line by line, or on a terminal.

import ChatDomain

/// A way of running the chat.
protocol StepPerformer {
    /// The current state of the app.
    var state: ChatApp.State { get async }
    /// The current wall time of the app.
    var wall: WallTime { get async }
    /// The narrator, which knows the printed lines.
    var narrator: Narrator { get set }
    /// Whether the server is outside of the program.
    var hasRealServer: Bool { get }

    /// Sends actions, and then prints their results.
    mutating func act(_ actions: [ChatApp.Action]) async
    /// Prints lines.
    mutating func say(_ lines: [Line]) async
    /// Prints why a line was refused.
    mutating func refuse(_ sentence: String) async
    /// Keeps a text that was not sent; the reason is already printed.
    mutating func textStays() async
    /// Puts a text into the input line, or prints the sentence.
    mutating func fill(_ line: String, orSay sentence: String) async
    /// Applies an outside event to the server.
    mutating func changeServer(_ change: ServerChange) async
    /// Advances the clock, if it is virtual.
    mutating func wait(_ interval: Interval) async
}

extension StepPerformer {
    var hasRealServer: Bool { false }

    mutating func wait(_ interval: Interval) async {
        await refuse("Time passes by itself here; /wait is for --instant.")
    }

    /// Carries out the steps of a line. Returns false for the end of the program.
    mutating func perform(_ line: String) async -> Bool {
        let situation = Situation(
            state: await state, numbers: narrator.numbers, wording: narrator.wording,
            waitTime: narrator.waitTime(await wall), hasRealServer: hasRealServer)
        let input = Input(line)
        for step in situation.steps(for: input) {
            if step == .quit { return false }
            await perform(step)
            // A refused line stays in the input line, unless it is a correct command. Text is never lost.
            if case .refuse = step, !input.isCommand { await textStays() }
        }
        return true
    }

    private mutating func perform(_ step: Step) async {
        switch step {
        case .quit: break
        case .act(let actions): await act(actions)
        case .say(let lines): await say(lines)
        case .refuse(let sentence): await refuse(sentence)
        case .fill(let line, let sentence): await fill(line, orSay: sentence)
        case .recall(let former): await recall(former)
        case .recallQuestion:
            if !(await state).assistant.draft.trimmed.isEmpty { await textStays() }
        case .attach(let path): await attach(path)
        case .show(let count): await say(narrator.overview(await state, count: count, at: await wall))
        case .older:
            narrator.lookBack()
            await act([.chat(.olderRequested)])
        case .wait(let interval): await wait(interval)
        case .network(let isUp):
            await changeServer(.network(isUp: isUp))
            await act([.networkChanged(isUp: isUp)])
        }
    }

    private mutating func recall(_ former: ExactText) async {
        let composer = Chat.composer(await state.chat)
        if !composer.text.trimmed.isEmpty || !composer.attachments.isEmpty {
            await textStays()
            guard !former.isEmpty else { return }
            // Both texts are kept: the former draft comes first.
            await act([.chat(.draftEdited(ExactText(former.string + "\n" + composer.text.string)))])
        } else if !former.isEmpty {
            await act([.chat(.draftEdited(former))])
        }
    }

    private mutating func attach(_ path: String) async {
        do throws(UsageError) {
            let file = try FileToAttach.read(typed: path)
            await act([.chat(.bannerDismissed)])  // so that a repeated banner is printed again
            await act([.chat(.attachmentPicked(file))])
        } catch {
            await refuse(error.message)
            await textStays()  // the path was mistyped
        }
    }
}
