/// The characters that HTML writes with a name or a number between `&` and `;` (HTML 4.01, §24).
enum HTMLEntity {
    /// Returns the text with the characters for its entities; those that are not known stay as they are.
    ///
    /// - Complexity: O(characters).
    static func decoded(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            output += rest[..<start]
            rest = rest[start...].dropFirst()
            guard let end = rest.prefix(longest).firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self))
            else {
                output.append(UInt8(ascii: "&"))
                continue
            }
            output += String(Character(scalar)).utf8
            rest = rest[(end + 1)...]
        }
        return String(decoding: output + rest, as: UTF8.self)
    }

    /// The maximum length of a name or number with its semicolon.
    private static let longest = 12

    private static func scalar(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return named[name] }
        let isHexadecimal = name.hasPrefix("#x") || name.hasPrefix("#X")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard let number = UInt32(digits, radix: isHexadecimal ? 16 : 10),
            number >= 0x20 || [9, 10, 13].contains(number)
        else { return nil }
        // Programs of Windows write the numbers of their own set.
        if (0x80...0x9F).contains(number) { return Unicode.Scalar(XMLText.windows1252[Int(number) - 0x80]) }
        return number == 0xA0 ? " " : Unicode.Scalar(number)
    }

    private static let named: [String: Unicode.Scalar] = {
        var all = special
        for (first, names) in [(160, latin), (913, greek)] {
            for (offset, name) in names.split(separator: " ").enumerated() where name != "-" {
                all[String(name)] = Unicode.Scalar(UInt32(first + offset))
            }
        }
        // Texts are searched for words, between which there are ordinary spaces.
        all["nbsp"] = " "
        return all
    }()

    /// The names of U+00A0 to U+00FF, in this order.
    private static let latin = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
        micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig \
        Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
        Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
        ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc \
        uuml yacute thorn yuml
        """
    /// The names of U+0391 to U+03C9, in this order; some have none.
    private static let greek = """
        Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi \
        Chi Psi Omega - - - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi \
        rho sigmaf sigma tau upsilon phi chi psi omega
        """
    private static let special: [String: Unicode.Scalar] = [
        "quot": "\"", "amp": "&", "lt": "<", "gt": ">", "apos": "'", "OElig": "Œ", "oelig": "œ", "Scaron": "Š",
        "scaron": "š", "Yuml": "Ÿ", "fnof": "ƒ", "circ": "ˆ", "tilde": "˜", "ensp": "\u{2002}", "emsp": "\u{2003}",
        "thinsp": "\u{2009}", "zwnj": "\u{200C}", "zwj": "\u{200D}", "lrm": "\u{200E}", "rlm": "\u{200F}", "ndash": "–",
        "mdash": "—", "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”", "bdquo": "„", "dagger": "†",
        "Dagger": "‡", "bull": "•", "hellip": "…", "permil": "‰", "prime": "′", "Prime": "″", "lsaquo": "‹",
        "rsaquo": "›", "oline": "‾", "frasl": "⁄", "euro": "€", "trade": "™", "larr": "←", "uarr": "↑", "rarr": "→",
        "darr": "↓", "harr": "↔", "minus": "−", "radic": "√", "infin": "∞", "asymp": "≈", "ne": "≠", "equiv": "≡",
        "le": "≤", "ge": "≥", "loz": "◊", "spades": "♠", "clubs": "♣", "hearts": "♥", "diams": "♦",
    ]
}
