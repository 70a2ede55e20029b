// The files of the composer (C14). A picked file gets its place at once; its bytes go to the app's storage, and
// a message with it can be sent as soon as they are there. It is decided here whether the message will carry it
// or it must be uploaded first, because that is how it is stored.

extension Chat {
    func pick(_ state: inout State, _ file: PickedFile, _ context: inout Context) -> [Effect] {
        guard let account = state.account else { return [] }
        let others = state.conversation.draft.attachments
        guard Int64(others.count) < configuration.fileLimit else {
            state.conversation.banner = tooManyFiles
            return []
        }
        let byteCount = Int64(file.bytes.count)
        guard byteCount <= configuration.uploadLimit else {
            state.conversation.banner = .attachmentTooLarge
            return []
        }
        let inline = others.filter { $0.source == .inline }.reduce(byteCount) {
            saturatingSum($0, $1.byteCount)
        }
        let isInline =
            inline <= configuration.inlineLimit && configuration.inlineTypes.contains(file.mimeType)
        let attachment = Attachment(
            id: AttachmentID("f_" + context.entropy.uuid()), owner: account.user, kind: file.kind,
            mimeType: file.mimeType, name: file.name, byteCount: byteCount,
            source: isInline ? .inline : .file(.waiting))
        let attempt = context.nextAttempt()
        state.conversation.draft.attachments.append(attachment)
        state.conversation.draft.copies.append(Copying(id: attachment.id, attempt: attempt))
        return [
            .save(
                .attachment(AttachmentData(bytes: file.bytes, isInline: isInline)),
                under: .attachment(account.user, attachment.id), attempt),
            .start(.copying(attachment.id), after: configuration.storageLimit),
        ]
    }

    /// Why a message may not have one file more.
    var tooManyFiles: Banner { configuration.fileLimit > 0 ? .tooManyAttachments : .filesNotTaken }

    /// The person does not want to send a file after all.
    func unpick(_ state: inout State, _ id: AttachmentID, _ context: inout Context) -> [Effect] {
        guard let index = state.conversation.draft.attachments.firstIndex(where: { $0.id == id }) else {
            return []
        }
        let removed = state.conversation.draft.attachments.remove(at: index)
        return endCopy(&state, id) + draftChanged(&state) + erase([removed], &context)
    }

    func attachmentStored(
        _ state: inout State, _ answer: StorageAnswer<Record>, _ id: AttachmentID, _ attempt: Attempt,
        _ context: inout Context
    ) -> [Effect] {
        guard state.conversation.draft.copies.contains(Copying(id: id, attempt: attempt)) else { return [] }
        guard answer != .saved else { return endCopy(&state, id) + draftChanged(&state) }
        if case .failed(let failure) = answer { state.conversation.banner = .notSaved(failure) }
        return unpick(&state, id, &context)
    }

    func copyTimedOut(_ state: inout State, _ id: AttachmentID, _ context: inout Context) -> [Effect] {
        guard state.conversation.draft.isCopying(id) else { return [] }
        state.conversation.banner = .notSaved(.unavailable)
        return unpick(&state, id, &context)
    }

    private func endCopy(_ state: inout State, _ id: AttachmentID) -> [Effect] {
        guard state.conversation.draft.isCopying(id) else { return [] }
        state.conversation.draft.copies.removeAll { $0.id == id }
        return [.cancel(.copying(id))]
    }

    private func draftChanged(_ state: inout State) -> [Effect] {
        state.conversation.draft.isDirty = true
        return [.start(.draftSave(state.conversation.id), after: configuration.draftDelay)]
    }

    /// Erases the bytes of attachments, as far as they are here.
    func erase(_ attachments: [Attachment], _ context: inout Context) -> [Effect] {
        attachments.filter { $0.kind != .asset }.map {
            .erase(.attachment($0.owner, $0.id), context.nextAttempt())
        }
    }
}

extension Chat.Draft {
    /// Whether the bytes of a file are being stored.
    func isCopying(_ id: AttachmentID) -> Bool { copies.contains { $0.id == id } }
}

extension Chat {
    /// A picked file whose bytes are on the way to storage.
    public struct Copying: DomainValue {
        /// The file.
        public let id: AttachmentID
        /// The save.
        public let attempt: Attempt
    }
}
