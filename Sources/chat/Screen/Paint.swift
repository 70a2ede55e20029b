// Optional colour, by the tone of a line and the style of its characters; without colour the words are the same.

/// Turns cells into the codes of a terminal (ECMA-48, select graphic rendition).
struct Paint: Equatable {
    let isOn: Bool
    /// The codes of a background for code: with both colours set, it is readable on any theme.
    private let code: String

    /// Whether a terminal gets colour: not if the person opts out (no-color.org), nor if the terminal is incapable.
    init(environment: [String: String]) {
        let isUnwanted = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isOn = !isUnwanted && Paint.isCapable(environment: environment)
        // Consoles and terminals of hardware have eight colours; all others have the palette of xterm.
        let terminal = environment["TERM"] ?? ""
        let isSmall = terminal == "linux" || terminal.hasPrefix("vt") || terminal == "ansi"
        code = isSmall ? "37;40" : "38;5;252;48;5;236"
    }

    /// Whether a terminal supports more than plain lines.
    static func isCapable(environment: [String: String]) -> Bool {
        environment["TERM"].map { !$0.isEmpty && $0 != "dumb" } ?? false
    }

    /// The text of a row with its codes; each change of style begins with a reset.
    func painted(_ cells: [Cell]) -> String {
        guard isOn else { return cells.text }
        var text = ""
        var style: Style = []
        for cell in cells {
            if cell.style != style {
                if !style.isEmpty { text += "\u{1B}[0m" }
                if !cell.style.isEmpty { text += "\u{1B}[\(codes(cell.style))m" }
                style = cell.style
            }
            text.append(cell.character)
        }
        return style.isEmpty ? text : text + "\u{1B}[0m"
    }

    /// 1 is bold, 2 faint, 3 italic, 4 underlined, 9 struck; 32 to 36 are colours that every theme can change.
    private func codes(_ style: Style) -> String {
        var codes: [String] = []
        if style.contains(.bold) { codes.append("1") }
        if style.contains(.faint) { codes.append("2") }
        if style.contains(.italic) { codes.append("3") }
        if style.contains(.underlined) { codes.append("4") }
        if style.contains(.struck) { codes.append("9") }
        if style.contains(.green) { codes.append("32") }
        if style.contains(.yellow) { codes.append("33") }
        if style.contains(.magenta) { codes.append("35") }
        if style.contains(.cyan) { codes.append("36") }
        if style.contains(.code) { codes.append(code) }
        return codes.joined(separator: ";")
    }
}

extension Line.Tone {
    /// The style of the head and of the body.
    var styles: (head: Style, body: Style) {
        switch self {
        case .mine: ([.bold, .green], [])
        case .theirs: ([.bold, .cyan], [])
        case .assistant: ([.bold, .magenta], [])
        case .news, .passing: (.faint, .faint)
        case .warning: (.yellow, .yellow)
        case .program: (.cyan, [])
        case .title: (.bold, .bold)
        }
    }
}
