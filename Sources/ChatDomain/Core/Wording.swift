// Every sentence that a person can read, in one value. Projections look reasons up here. An app replaces
// the whole, or single fields of one of the two voices.

/// A sentence, perhaps with one place for a detail, written “{}”.
public struct Phrase: PlainValue, ExpressibleByStringLiteral {
    /// The sentence as written.
    public let text: ExactText

    /// Creates a phrase.
    public init(_ text: ExactText) { self.text = text }

    public init(stringLiteral value: String) { text = ExactText(value) }

    /// The sentence with the detail in its place, if it has one. O(n).
    public func callAsFunction(_ detail: ExactText) -> ExactText {
        let bytes = text.utf8
        for index in bytes.indices.dropLast()
        where bytes[index] == UInt8(ascii: "{") && bytes[index + 1] == UInt8(ascii: "}") {
            let filled = bytes[..<index] + detail.utf8 + bytes[(index + 2)...]
            return ExactText(decoding: Array(filled))
        }
        return text
    }
}

/// The sentences of one voice.
public struct Wording: PlainValue {
    // MARK: Pairing
    /// Above the name field.
    public var yourName: ExactText = "Your name"
    /// On the button that submits the name.
    public var connect: ExactText = "Connect"
    /// While the request waits for an admin.
    public var waitingForApproval: ExactText = "Waiting for approval..."
    /// While the server cannot be asked and will be asked again (P6); its detail is the reason.
    public var askingAgain: Phrase = "Not connected to server: {}. Trying again..."
    /// The code to compare; its detail is the code.
    public var code: Phrase = "Code: {}"
    /// On the button that leads back from a failure.
    public var tryAgain: ExactText = "Try Again"
    /// On the button that gives up waiting.
    public var cancel: ExactText = "Cancel"
    /// While the stored records are loaded.
    public var restoring: ExactText = "One moment..."
    /// The name is empty (P2).
    public var emptyName: ExactText = "Name cannot be empty"
    /// An admin denied the request and gave no reason (P5).
    public var pairingDenied: ExactText = "An admin denied the request."
    /// The server rejected the request and gave no reason (P5).
    public var pairingRejected: ExactText = "The server rejected the request."
    /// Nobody answered the request (P5, P6).
    public var pairingTimedOut: ExactText = "Nobody answered the request in time. Please try again."
    /// This device's storage cannot be read or written (P1); its detail is the reason.
    public var pairingStorage: Phrase = "This device's storage could not be used: {}"
    /// The credentials could not be saved (P4).
    public var notRemembered: ExactText = "You are in, but this device will not remember you."
    /// The credentials could not be erased (P10).
    public var notErased: ExactText = "Your sign-in could not be erased from this device."
    /// The stored data of a person could not be erased (P10).
    public var dataNotErased: ExactText = "What is stored of you could not be erased from this device."
    /// An admin's decision could not be sent (P9).
    public var decisionNotSent: ExactText = "Not connected. The request is still waiting for your decision."
    /// The server has rejected an admin's decision (P9); its detail is the reason.
    public var decisionRefused: Phrase = "The request is still waiting for your decision: {}"

    // MARK: Connection
    /// A connection could not be made; its detail is the reason.
    public var connectFailed: Phrase = "Failed to connect: {}"
    /// A message could not be sent; its detail is the reason.
    public var sendFailed: Phrase = "Failed to send: {}"
    /// Something needs a connection and there is none.
    public var notConnected: ExactText = "Not connected to server"
    /// This device has no network.
    public var offline: ExactText = "Not connected to server"
    /// Another device has taken the session (C3).
    public var sessionReplaced: ExactText =
        "This conversation was opened on another device. Reconnect to continue here."
    /// The server demands a wait (C3); the front end adds the time.
    public var serverAskedToWait: ExactText = "The server asked to wait before trying again."
    /// A connection is being made.
    public var connecting: ExactText = "Connecting..."
    /// A connection was lost and will be made again.
    public var reconnecting: ExactText = "Reconnecting..."
    /// The server has discarded some messages since the last visit (C5).
    public var replayTruncated: ExactText = "Some older messages are no longer on the server."
    /// There is no room for another unsent message (limits).
    public var outboxFull: ExactText = "Too many messages are waiting to be sent."
    /// A message has the maximum number of files (limits).
    public var tooManyAttachments: ExactText = "No more files fit into this message."
    /// A file is too large (limits).
    public var attachmentTooLarge: ExactText = "This file is too large."
    /// The transport takes no files.
    public var filesNotTaken: ExactText = "Files cannot be sent in this chat."
    /// A file could not be uploaded (C14).
    public var uploadFailed: ExactText = "A file could not be uploaded. Please try again."
    /// The bytes of a file are gone, and its message cannot be sent any more (C14).
    public var fileMissing: ExactText = "A file of this message is no longer on this device."
    /// A message is old and not sent, and waits for consent (limits).
    public var heldMessage: ExactText = "Written a while ago and not sent. Send it anyway?"
    /// A message of the server is over the limit, and is left out (L8).
    public var messageTooLong: ExactText = "A message is too long to be shown here."
    /// The maximum number of conversations exists (L8).
    public var tooManyConversations: ExactText = "There are too many conversations. Close one first."
    /// A conversation with an unsent message is not closed (C19).
    public var conversationHasUnsent: ExactText =
        "Something here has not been sent. Send or delete it before you close."
    /// The title of the main conversation.
    public var mainConversation: ExactText = "Chat"
    /// A conversation without a title.
    public var untitledConversation: ExactText = "New conversation"
    /// A message or a draft could not be saved (C7); its detail is the reason.
    public var notSaved: Phrase = "Could not save on this device: {}"
    /// A stored record could not be read (R5); its detail is the reason.
    public var notRestored: Phrase = "Something stored on this device could not be read: {}"
    /// The credentials are no longer accepted (P10, S9).
    public var signInAgain: ExactText = "You were signed out. Please connect again."
    /// There are no credentials (S9).
    public var signInFirst: ExactText = "Please connect before you continue."
    /// On the button that removes a banner.
    public var dismiss: ExactText = "Dismiss"

    // MARK: Replies
    /// A stream could not begin, or its answer was malformed.
    public var replyInvalid: ExactText = "The answer could not be read. Please try again."
    /// Any other error of the server.
    public var replyFailed: ExactText = "The server could not answer. Please try again."
    /// The connection was lost before any text.
    public var lostBeforeText: ExactText = "The connection was lost before the answer. Please try again."
    /// The connection was lost after some text, and a retry is offered.
    public var lostAfterText: ExactText = "The connection was lost. Retry to hear the rest."
    /// The same where no retry is offered, as for another device's question.
    public var lostWithoutRetry: ExactText = "The connection was lost before the end of the answer."
    /// A reply was cut at the limit (C21).
    public var replyTooLong: ExactText = "The answer was too long and has been cut."
    /// The server has the message and no reply came (C12).
    public var noReply: ExactText = "No answer came. Please try again."
    /// On the button that asks again.
    public var retry: ExactText = "Retry"
    /// The label of that button for a screen reader (S17).
    public var retryLabel: ExactText = "Retry sending message"
    /// While a reply is awaited and none of its text is shown (S17).
    public var typing: ExactText = "Assistant is typing"

    // MARK: Assistant
    /// Shown before the first question (A7).
    public var welcome: ExactText = "Hi! Ask me anything about your clients or conversations."
    /// Examples to begin with (A7).
    public var examples: [ExactText] = [
        "What did [client] say about [topic]?", "Summarize my conversation with [client]",
        "Which clients haven't messaged recently?",
    ]
    /// While an answer is awaited (A2).
    public var thinking: ExactText = "AI is thinking..."
    /// The answer has been awaited for 3 s (A2).
    public var stillThinking: ExactText = "This may take a moment..."
    /// The text is empty (A1).
    public var emptyMessage: ExactText = "Message cannot be empty"
    /// The text is too long (A1).
    public var longMessage: ExactText = "Message too long, please shorten"
    /// The assistant was asked without network (A6).
    public var assistantOffline: ExactText = "No internet connection. Check your network and try again."
    /// The assistant did not answer in time (A6).
    public var assistantTimedOut: ExactText = "Request took too long. Try asking in a different way."
    /// The assistant is not available (A6).
    public var assistantUnavailable: ExactText =
        "AI assistant is temporarily unavailable. Try again in a moment."
    /// The assistant's own error (A6); its detail is that error.
    public var assistantError: Phrase = "AI Error: {}"
    /// The assistant was asked without a sign-in (A6).
    public var assistantSignIn: ExactText = "Please log in to use AI assistant"
    /// Any other failure (A6).
    public var assistantFailed: ExactText = "Something went wrong. Please try again."
    /// A question waits for its slot (A8).
    public var awaitingSlot: ExactText = "Too many questions at once. This one is asked in a moment."
    /// There is no room for another unanswered question (limits).
    public var assistantQueueFull: ExactText = "Too many questions are waiting. Send this one a little later."
    /// A conversation is full of questions that failed (L8).
    public var assistantConversationFull: ExactText =
        "Too many questions have no answer. Try those again first."
    /// The author of a question, for a screen reader (S17).
    public var personSpeaker: ExactText = "You"
    /// The author of an answer, for a screen reader (S17).
    public var assistantSpeaker: ExactText = "Assistant"

    // MARK: Times
    /// Less than a minute ago (A9).
    public var justNow: ExactText = "Just now"
    /// Minutes ago (A9); its detail is their number.
    public var minutesAgo: Phrase = "{}m ago"
    /// Hours ago (A9); its detail is their number.
    public var hoursAgo: Phrase = "{}h ago"
    /// On the day before (A9).
    public var yesterday: ExactText = "Yesterday"

    // MARK: Reasons
    /// Details for the phrases above.
    public var reasons = Reasons()

    /// Short reasons that follow a colon.
    public struct Reasons: PlainValue {
        /// This device has no network.
        public var offline: ExactText = "no network"
        /// The server could not be reached.
        public var unreachable: ExactText = "the server could not be reached"
        /// The connection was lost.
        public var lost: ExactText = "the connection was lost"
        /// There was no answer in time.
        public var timedOut: ExactText = "no answer in time"
        /// The connection would not be safe.
        public var insecure: ExactText = "not safe: check its certificate; without wss://, use a TLS proxy"
        /// Something was too large.
        public var tooLarge: ExactText = "too large"
        /// An answer could not be read.
        public var malformed: ExactText = "the answer could not be read"
        /// The token is not on this device.
        public var secretMissing: ExactText = "the sign-in is no longer on this device"
        /// Stored bytes are not on this device.
        public var recordMissing: ExactText = "a file is no longer on this device"
        /// The server refused and gave no reason.
        public var refused: ExactText = "the server refused"
        /// No room is left.
        public var storageFull: ExactText = "no room is left"
        /// A record cannot be read now.
        public var storageUnreadable: ExactText = "it cannot be read now"
        /// A record was damaged and set aside.
        public var storageDamaged: ExactText = "it was damaged and has been set aside"
        /// A newer version of the app wrote a record.
        public var storageNewer: ExactText = "a newer version of the app wrote it"
        /// Any other failure of storage.
        public var storageUnavailable: ExactText = "it does not answer"
    }

    /// Creates the neutral voice.
    public init() {}

    /// The neutral voice. It is made once, because it holds a hundred texts.
    public static let neutral = Wording()

    /// A coach's voice, in the first person.
    public static let coach: Wording = {
        var wording = Wording()
        wording.replyInvalid = "I had trouble connecting. Let's try again."
        wording.connectFailed = "I had trouble connecting. Let's try again."
        wording.signInAgain = "I had trouble remembering you. Please sign in again."
        wording.signInFirst = "Please sign in to continue our conversation."
        wording.replyFailed = "Coach is taking a moment. Let's try again."
        wording.sendFailed = "Coach is taking a moment. Let's try again."
        wording.offline = "I couldn't connect right now. Let's try again when you're back online."
        wording.lostBeforeText = "Our connection was interrupted. Let's try again."
        wording.lostAfterText = "Our conversation was interrupted. Tap retry to continue."
        wording.lostWithoutRetry = "Our conversation was interrupted before I had finished."
        wording.noReply = "Coach is taking a moment. Let's try again."
        wording.replyTooLong = "I had more to say than fits here. Let's go on from this."
        wording.serverAskedToWait = "I need a short rest. Let's go on in a while."
        wording.typing = "Coach is typing"
        wording.askingAgain = "I couldn't connect right now. I'm trying again..."
        return wording
    }()

    /// The short reason why an exchange broke.
    public func reason(_ failure: CallFailure) -> ExactText {
        switch failure {
        case .offline: reasons.offline
        case .unreachable: reasons.unreachable
        case .lost: reasons.lost
        case .timedOut: reasons.timedOut
        case .insecure: reasons.insecure
        case .tooLarge: reasons.tooLarge
        case .malformed: reasons.malformed
        case .secretMissing: reasons.secretMissing
        case .recordMissing: reasons.recordMissing
        }
    }

    /// The short reason why a call ended, or the server's own words.
    func reason(_ end: CallEnd) -> ExactText {
        switch end {
        case .failed(let failure): reason(failure)
        case .refused(_, _, let message):
            message.isEmpty ? reasons.refused : message.withoutControlCharacters
        case .completed, .closed: reasons.lost
        }
    }

    /// The short reason why storage failed.
    public func reason(_ failure: StorageFailure) -> ExactText {
        switch failure {
        case .full: reasons.storageFull
        case .unreadable: reasons.storageUnreadable
        case .damaged: reasons.storageDamaged
        case .newer: reasons.storageNewer
        case .unavailable: reasons.storageUnavailable
        }
    }
}
