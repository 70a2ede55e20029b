// The files of the composer (C14). A picked file has its position at once; the message can be sent when the bytes are
// stored. Start with `pick`. It decides between inline and upload, because storage keeps the two differently.

extension Chat {
    /// A picked file whose bytes are being saved. It stays until the disk answers, although the composer may no longer
    /// have the file, so that a silent disk holds the bytes of a few files at most (L8).
    package struct Copying: DomainValue {
        var id: AttachmentID
        let owner: UserID
        var attempt: Attempt
        /// The bytes, until the disk gets them. The draft that names the file goes first, so that no bytes stay which
        /// nothing names (L8).
        var data: AttachmentData?
    }
}

extension Chat.Conversation {
    mutating func pick(_ file: PickedFile, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let account = shared.account else { return }
        guard Int64(draft.attachments.count) < step.configuration.fileLimit else {
            banner = step.configuration.tooManyFiles
            return
        }
        guard Int64(draft.copied.count + draft.copies.count) < step.configuration.fileLimit else {
            banner = .notSaved(.unavailable)
            return
        }
        let byteCount = Int64(file.bytes.count)
        guard byteCount <= step.configuration.uploadLimit else {
            banner = .attachmentTooLarge
            return
        }
        let inline = saturatingSum(byteCount, draft.attachments.inlineByteCount)
        let isInline =
            inline <= step.configuration.inlineLimit && step.configuration.inlineTypes.contains(file.mimeType)
        let attachment = Chat.Attachment(
            id: AttachmentID("f_" + step.context.entropy.uuid()), owner: account.user, kind: file.kind,
            mimeType: file.mimeType, name: file.name, byteCount: byteCount,
            source: isInline ? .inline : .file(.waiting))
        draft.attachments.append(attachment)
        draft.copies.append(
            Chat.Copying(
                id: attachment.id, owner: account.user, attempt: step.context.nextAttempt(),
                data: AttachmentData(bytes: file.bytes, isInline: isInline)))
        step.add(.start(.copying(attachment.id), after: step.configuration.storageLimit))
        draft.isDirty = true
        saveDraft(&shared, &step)
    }

    /// Hands the bytes of a picked file to the disk, unless it has got them. They have the whole time from then on.
    mutating func copy(_ index: Int, _ step: inout Chat.Step) {
        let copying = draft.copies[index]
        guard let data = copying.data else { return }
        draft.copies[index].data = nil
        step.add(.save(.attachment(data), under: .attachment(copying.owner, copying.id), copying.attempt))
        step.add(.start(.copying(copying.id), after: step.configuration.storageLimit))
    }

    mutating func unpick(_ file: AttachmentID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let index = draft.attachments.firstIndex(where: { $0.id == file }) else { return }
        let removed = draft.attachments.remove(at: index)
        draftChanged(&step)
        guard let index = draft.copy(of: file) else { return erase([removed], &step) }
        step.add(.cancel(.copying(file)))
        if draft.copies[index].data != nil { draft.copies.remove(at: index) }
    }

    mutating func attachmentStored(
        _ answer: StorageAnswer<Chat.Record>, _ file: AttachmentID, _ attempt: Attempt,
        _ shared: inout Chat.Shared, _ step: inout Chat.Step
    ) {
        guard let index = draft.copy(of: file), draft.copies[index].attempt == attempt else { return }
        let copying = draft.copies.remove(at: index)
        guard draft.attachments.contains(where: { $0.id == file }) else { return erase(copying, &step) }
        step.add(.cancel(.copying(file)))
        guard answer != .saved else { return }
        if case .failed(let failure) = answer { banner = .notSaved(failure) }
        unpick(file, &shared, &step)
    }

    mutating func copyTimedOut(_ file: AttachmentID, _ shared: inout Chat.Shared, _ step: inout Chat.Step) {
        guard let index = draft.copy(of: file) else { return }
        // A draft that is not saved in time holds up no file.
        guard draft.copies[index].data == nil else { return copy(index, &step) }
        banner = .notSaved(.unavailable)
        unpick(file, &shared, &step)
    }

    func erase(_ copying: Chat.Copying, _ step: inout Chat.Step) {
        step.add(.erase(.attachment(copying.owner, copying.id), step.context.nextAttempt()))
    }

    /// Erases the stored bytes; an asset has none.
    func erase(_ files: [Chat.Attachment], _ step: inout Chat.Step) {
        for file in files where file.kind != .asset {
            step.add(.erase(.attachment(file.owner, file.id), step.context.nextAttempt()))
        }
    }
}
