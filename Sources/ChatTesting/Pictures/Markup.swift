// Text in XML and in Mermaid. A text of a server or a person is never markup.

enum Markup {
    /// The text with every special character of XML escaped; control characters are left out, because no XML document
    /// may contain them.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case _ where scalar.value < 0x20 && scalar != "\n" && scalar != "\t": continue
            case "\u{FFFE}", "\u{FFFF}": continue
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The text for Mermaid: letters, digits and a few signs stay; every other character becomes `#number;`, which
    /// Mermaid shows as the character.
    static func mermaid(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            if isPlain || " .,/()“”…_-".unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "#\(scalar.value);"
            }
        }
        return result
    }
}
