// The look of a character, without the codes of a terminal: only `Paint` knows those. Styled text is a row of cells,
// so that wrapping counts the same characters in any style.

/// The looks of a character.
struct Style: OptionSet, Hashable {
    let rawValue: UInt16

    static let bold = Style(rawValue: 1 << 0)
    static let faint = Style(rawValue: 1 << 1)
    static let italic = Style(rawValue: 1 << 2)
    static let underlined = Style(rawValue: 1 << 3)
    static let struck = Style(rawValue: 1 << 4)
    static let green = Style(rawValue: 1 << 5)
    static let yellow = Style(rawValue: 1 << 6)
    static let magenta = Style(rawValue: 1 << 7)
    static let cyan = Style(rawValue: 1 << 8)
    /// Code: a background of its own.
    static let code = Style(rawValue: 1 << 9)
}

/// A character with its looks.
struct Cell: Equatable {
    var character: Character
    var style: Style

    /// The columns that it takes.
    var width: Int { Layout.width(character) }
}

extension [Cell] {
    /// A text in one style.
    init(_ text: some StringProtocol, _ style: Style = []) {
        self = text.map { Cell(character: $0, style: style) }
    }

    /// The characters alone.
    var text: String { String(map { $0.character }) }

    /// The columns that they take.
    var width: Int { reduce(0) { $0 + $1.width } }

    /// The cells with a style added to each.
    func adding(_ style: Style) -> [Cell] {
        map { Cell(character: $0.character, style: $0.style.union(style)) }
    }
}
