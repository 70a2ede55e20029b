// What somebody experiences who types into the program, told as what they type and what it says.

@testable import ChatDomain
import ChatEffects
import Testing

@testable import chat

@Suite("Program: messages")
struct MessageStoryTests {
    @Test("a name, a message, its answer: each has a number and is said once")
    func firstConversation() async {
        var desk = Desk()
        let said = await desk.type("Ada", "Hello")
        #expect(
            said == [
                "Waiting for approval...", "Signed in as Ada. /help lists the commands.", "* Connecting...",
                "* Connected.", "1. Ada: Hello", "(Assistant is typing)", "2. assistant: You said: Hello",
            ])
        #expect(!desk.hasRefused)
    }

    @Test(
        "P6: that there is no connection is said once for all attempts, and so is that there is one again")
    func pairingWithoutServer() async {
        var desk = Desk { $0.behaviour.rules = [.init(.handshake, .drop, times: 3)] }
        let said = await desk.type("Ada")
        #expect(
            said.prefix(3) == [
                "Not connected to server: the connection was lost. Trying again...",
                "Waiting for approval...", "Signed in as Ada. /help lists the commands.",
            ])
    }

    @Test("C13: an unsent message can be edited and deleted, with its number or without")
    func changing() async {
        var desk = Desk()
        await desk.type("Ada", "/offline", "one", "two")
        #expect(await desk.type("/edit 1 three") == ["1. Ada: three"])
        #expect(await desk.type("/delete") == ["* Message 2 is deleted."])
        #expect(await desk.type("/edit 2 four") == ["There is no message 2."])
        let said = await desk.type("/online")
        #expect(said.contains("3. assistant: You said: three"))
        #expect(!said.contains { $0.contains("two") })
    }

    @Test("C13: a sent message is hidden, and an edit of it is a new message behind it")
    func changingWhatHasGone() async {
        var desk = Desk()
        await desk.type("Ada", "Hello")
        let said = await desk.type("/edit 1 Hallo")
        #expect(said.first == "* Message 1 has gone already: the new text goes behind it.")
        #expect(said.contains("3. Ada: Hallo"))
        #expect(await desk.type("/delete 1") == ["* Message 1 is hidden here; the server has it."])
        #expect(await desk.type("/edit 2 mine") == ["Message 2 was not written here."])
        #expect(await desk.type("/edit 3").first?.hasPrefix("What is message 3 to say?") == true)
    }

    @Test("C12: a failed answer offers a retry, and the message keeps its number under its new id")
    func retrying() async {
        var desk = Desk { server in
            server.behaviour.rules = [
                .init(.reply, .refuse(code: "server_error", message: "Too\u{1B}[2J busy"), times: 1)
            ]
        }
        let said = await desk.type("Ada", "Hello")
        #expect(said.last == "   ! Too[2J busy (/retry 1 or /delete 1)")
        #expect(await desk.type("/retry 7") == ["There is no message 7."])
        #expect(await desk.type("/retry") == ["(Assistant is typing)", "2. assistant: You said: Hello"])
        #expect(await desk.type("/retry") == ["There is nothing to retry."])
        #expect(await desk.type("/retry 1") == ["Message 1 needs no retry."])
    }

    @Test("C8: a message of long ago is held until it is sent or deleted, and a script goes on meanwhile")
    func held() async {
        var desk = Desk()
        await desk.type("Ada", "/offline", "one", "two", "/wait 13h")
        let said = await desk.type("/online")
        #expect(said.last?.hasPrefix("   ! Written a while ago and not sent.") == true)
        #expect(said.last?.hasSuffix("(/send 1 or /delete 1)") == true)
        #expect(await desk.type("/send 1").contains("3. assistant: You said: one"))
        #expect(await desk.type("/delete 2") == ["* Message 2 is deleted."])
        #expect(await desk.type("/send") == ["There is no draft and no held message."])
    }

    @Test("C20: a reply that comes in can be stopped")
    func stopping() async {
        var desk = Desk { $0.behaviour.rules = [.init(.token(2), .delay(.seconds(20)))] }
        await desk.type("Ada")
        #expect(await desk.type("/stop") == ["No reply is coming in."])
        // The reply stands still behind its first word.
        await desk.chat.act([.chat(.draftEdited("Hello")), .chat(.sent)])
        await desk.chat.wait(.seconds(5))
        #expect(await desk.type("/stop") == ["2. assistant: You", "   (stopped)"])
        #expect(await desk.type("/show 1") == ["2. assistant (Just now): You", "   (stopped)"])
    }

    @Test("a draft that was left comes back behind a message that is typed beside it, and /send sends it")
    func leftDraft() async {
        var desk = Desk()
        await desk.type("Ada")
        await desk.chat.act([.chat(.draftEdited("half"))])
        let said = await desk.type("Hello")
        #expect(said.first == "1. Ada: Hello")
        #expect(said.contains("draft: half (/send or /discard)"))
        #expect(await desk.type("/send").contains("3. Ada: half"))
        #expect(!desk.hasRefused)
    }

    @Test("a draft that is not wanted goes with its files, and of a long one only the beginning is said")
    func discarding() async {
        var desk = Desk()
        await desk.type("Ada")
        let said = await desk.type(String(repeating: "a", count: 70_000))
        #expect(said.last == "draft: " + String(repeating: "a", count: 400) + "… (/send or /discard)")
        #expect(await desk.type("/discard") == ["* The draft is gone."])
        #expect(await desk.type("/discard") == ["There is no draft."])
        #expect(await desk.type("Hello").last == "2. assistant: You said: Hello")
    }

    @Test("L5: two lines that are refused one after the other are both in the draft")
    func refusedLines() async {
        var desk = Desk()
        let (first, second) = (
            String(repeating: "a", count: 70_000), String(repeating: "b", count: 70_000)
        )
        await desk.type("Ada", first, second)
        #expect(desk.state.chat.conversation.draft.text.string == first + "\n" + second)
        #expect(desk.hasRefused)
    }

    @Test("A9: a row older than a minute shows its time")
    func times() async {
        var desk = Desk()
        await desk.type("Ada", "Hello")
        var later = Desk(store: desk.store, wall: Desk.noon + .minutes(6))
        #expect(await later.type("/show 1") == ["2. assistant (5m ago): You said: Hello"])
    }

    @Test("C15: a banner that is repeated is said again")
    func banners() async {
        var desk = Desk()
        await desk.type("Ada")
        let long = String(repeating: "a", count: 70_000)
        let first = await desk.type(long)
        #expect(first.contains("! Message too long, please shorten"))
        #expect(await desk.type(long).contains("! Message too long, please shorten"))
        #expect(desk.hasRefused)
        #expect(await desk.type("/dismiss") == ["* Dismissed."])
        #expect(await desk.type("/dismiss") == ["There is nothing to dismiss."])
    }

    @Test("R2: in the background the connection ends, and a script still goes on")
    func background() async {
        var desk = Desk()
        await desk.type("Ada", "/background")
        #expect(await desk.type("/wait 3s") == ["* Not connected to server"])
        #expect(await desk.type("/background") == ["In the background already."])
        #expect(
            await desk.type("/reconnect") == ["You are in the background; /foreground ends that."])
        #expect(await desk.type("/foreground").last == "* Connected again.")
    }
}

@Suite("Program: how it ends")
struct EndingTests {
    @Test("all is complete when all was taken, sent and answered, and before anything was asked")
    func complete() async {
        var desk = Desk()
        #expect(desk.ending == .complete)
        await desk.type("Ada", "Hello", "/ask Who?")
        #expect(desk.ending == .complete)
    }

    @Test("C12: a message whose reply failed is not answered, until a retry is")
    func failedReply() async {
        var desk = Desk { server in
            server.behaviour.rules = [.init(.reply, .refuse(code: "server_error", message: "busy"), times: 1)]
        }
        await desk.type("Ada", "Hello")
        #expect(desk.ending == .unanswered)
        await desk.type("/new Work")
        #expect(desk.ending == .unanswered)
        await desk.type("/switch 1", "/retry")
        #expect(desk.ending == .complete)
    }

    @Test("C20: a reply that the person has stopped is not missed")
    func stoppedReply() async {
        var desk = Desk { $0.behaviour.rules = [.init(.token(2), .delay(.seconds(20)))] }
        await desk.type("Ada")
        await desk.chat.act([.chat(.draftEdited("Hello")), .chat(.sent)])
        await desk.chat.wait(.seconds(5))
        await desk.type("/stop")
        #expect(desk.ending == .complete)
    }

    @Test("A6: a question that waits for the network, or failed, is not answered")
    func unansweredQuestion() async {
        var desk = Desk()
        await desk.type("Ada", "/offline", "/ask Who?")
        #expect(desk.ending == .unanswered)
        await desk.type("/online")
        #expect(desk.ending == .complete)
    }

    @Test("quit waits for no answer, but names what was not taken")
    func quitting() {
        #expect(Ending(quittingAfterRefusal: false) == .complete)
        #expect(Ending(quittingAfterRefusal: true) == .refused)
    }

    @Test("A1: a question that is refused is not taken")
    func refusedQuestion() async {
        var desk = Desk()
        await desk.type("Ada", "/ask " + String(repeating: "a", count: 3_000))
        #expect(desk.ending == .refused)
    }

    @Test("L8: a conversation too many is not taken")
    func refusedConversation() async {
        var desk = Desk()
        await desk.type("Ada")
        var state = desk.state
        state.chat.conversation.banner = .tooManyConversations
        #expect(Ending(state, hasRefused: state.hasRefusal) == .refused)
    }
}

@Suite("Program: the connection")
struct ConnectionStoryTests {
    @Test("C2: the network comes and goes, what is written meanwhile goes when it is back")
    func network() async {
        var desk = Desk()
        await desk.type("Ada")
        #expect(await desk.type("/offline") == ["* You are offline now."])
        #expect(await desk.type("Hello") == ["1. Ada: Hello"])
        #expect(await desk.type("/show") == ["1. Ada (Just now): Hello (waiting)"])
        #expect(await desk.type("/reconnect") == ["You are offline; /online ends that."])
        #expect(
            await desk.type("/online") == [
                "* You are online now.", "* Connecting...", "* Connected again.", "(Assistant is typing)",
                "2. assistant: You said: Hello",
            ])
        #expect(await desk.type("/reconnect") == ["There is a connection."])
        #expect(await desk.type("/online") == ["You are online already."])
        #expect(await desk.type("/offline", "/offline").last == "You are offline already.")
    }

    @Test("before the first connection that there is none is no news; later it is")
    func firstConnection() async {
        var desk = Desk()
        await desk.type("Ada")
        let connected = desk.state
        await desk.type("/background", "/wait 3s")
        var narrator = Narrator(wording: .neutral)
        let sentence = "* Not connected to server"
        #expect(!narrator.news(desk.state, at: Desk.noon).contains { $0.text == sentence })
        #expect(narrator.news(connected, at: Desk.noon).contains { $0.text == "* Connected." })
        #expect(narrator.news(desk.state, at: Desk.noon).contains { $0.text == sentence })
    }

    @Test("C2: a long wait for a connection names what connects at once")
    func longReconnecting() async {
        var desk = Desk()
        await desk.type("Ada", "/offline")
        _ = await desk.changeServer { $0.behaviour.rules = [.init(.handshake, .drop)] }
        let said = await desk.type("/online", "/wait 30s")
        let offer = said.firstIndex(of: "* Reconnecting... (/reconnect tries at once)") ?? 0
        #expect(said[..<offer].contains("* Reconnecting..."))
    }

    @Test("C2: the sentence of a refused connection is shown without its control characters")
    func refusedConnection() async {
        var desk = Desk()
        await desk.type("Ada", "/offline")
        _ = await desk.changeServer { server in
            server.behaviour.rules = [
                .init(.handshake, .refuse(code: "x", message: "Full\u{1B}[2J\u{202E}"))
            ]
        }
        let said = await desk.type("/online")
        #expect(!said.joined().unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E })
        #expect(said.last?.contains("Full") == true)
    }

    @Test("P10: a sign-in after a sign-out finds the history; nobody else sees it")
    func signingOut() async {
        var desk = Desk()
        await desk.type("Ada", "Hello")
        #expect(await desk.type("/signout") == ["* You are signed out."])
        #expect(await desk.type("/show") == ["There are no messages."])
        let said = await desk.type("Ada")
        #expect(said.contains("1. Ada: Hello"))
        #expect(await desk.type("/signout", "Bob").contains { $0.hasPrefix("Signed in as Bob.") })
        #expect(await desk.type("/show") == ["There are no messages."])
    }
}

@Suite("Program: getting in")
struct PairingStoryTests {
    @Test("P5: text typed behind a refused name does not become a name")
    func refusedName() async {
        var desk = Desk { server in
            server.behaviour.rules = [
                .init(.pairing, .refuse(code: "pair_denied", message: "Admin rejected pairing request"))
            ]
        }
        #expect(await desk.type("Ada").last == "! Admin rejected pairing request")
        #expect(await desk.type("Hello") == ["Not sent: you are not in. Press Enter to try again."])
        #expect(desk.hasRefused)
        #expect(desk.state.pairing.name == "Ada")
    }

    @Test("P10: text typed behind a refused device does not become a name")
    func refusedDevice() async {
        var desk = Desk()
        await desk.type("Ada", "/offline")
        _ = await desk.changeServer { server in
            server.behaviour.rules = [
                .init(.authentication, .refuse(code: "device_not_approved", message: ""))
            ]
        }
        let said = await desk.type("/online")
        #expect(said.last == "! You were signed out. Please connect again.")
        #expect(
            await desk.type("Hello") == ["Not sent: you were signed out. Press Enter to begin anew."])
        #expect(desk.state.pairing.name != "Hello")
        #expect(await desk.type("", "Grace").contains { $0.hasPrefix("Signed in as ") })
    }

    @Test("an empty name is said to be none, and the next line is the name")
    func emptyName() async {
        var desk = Desk()
        #expect(await desk.type("") == ["! Name cannot be empty"])
        #expect(await desk.type("Ada").last == "* Connected.")
    }

    @Test("the same name refused twice is said twice")
    func emptyNameTwice() async {
        var desk = Desk()
        #expect(await desk.type("", "") == ["! Name cannot be empty", "! Name cannot be empty"])
        #expect(desk.chat.narrator.prompt(desk.state, at: Desk.noon) == "Your name: ")
    }

    @Test("while an answer is waited for, a line is not taken for a name, and /cancel is")
    func waiting() async {
        var desk = Desk { $0.behaviour.rules = [.init(.pairing, .silence)] }
        await desk.type()
        await desk.chat.act([.pairing(.nameEdited("Ada")), .pairing(.submitted)])
        let situation = Situation(state: desk.state, numbers: Numbers(), wording: .neutral)
        #expect(situation.steps(for: Input("Hello")) == [.refuse("Not sent: please wait, or type /cancel.")])
        #expect(!desk.state.isReadyForInput)
        #expect(await desk.type("/cancel") == [])
        #expect(desk.state.isReadyForInput)
    }

    @Test("without anybody signed in, what needs that says so")
    func nobody() async {
        var desk = Desk()
        for line in ["/suggest", "/attach x", "/signout", "/reconnect"] {
            #expect(await desk.type(line) == ["Not yet: nobody is signed in."])
        }
        #expect(await desk.type("/cancel") == ["There is nothing to cancel."])
    }
}
