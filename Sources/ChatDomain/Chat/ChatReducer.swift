extension Chat {
    public func reduce(_ state: inout State, _ action: Action, in context: inout Context) -> [Effect] { [] }
}
