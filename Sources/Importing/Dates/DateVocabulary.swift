import Stories

/// The words of dates in English, Spanish, French, German, Italian, Portuguese and Dutch, without accents.
enum DateVocabulary {
    /// A sequence of words, and what it means.
    struct Phrase {
        let words: [String]
        let tokens: [DateToken]
    }

    /// The phrases by their first word, the longest first.
    static let phrases: [String: [Phrase]] = {
        var phrases: [String: [Phrase]] = [:]
        func add(_ text: String, _ tokens: [DateToken]) {
            for text in text.split(separator: "|") {
                let words = text.split(separator: " ").map(String.init)
                guard let first = words.first else { continue }
                phrases[first, default: []].append(Phrase(words: words, tokens: tokens))
            }
        }
        for (text, token) in meanings { add(text, [token]) }
        for (name, century) in [("seventeen", 1700), ("eighteen", 1800), ("nineteen", 1900)] {
            for (index, decade) in decades.enumerated() {
                let years = DateToken.years((century + index * 10)...(century + index * 10 + 9))
                add("\(name) \(decade)|\(name) - \(decade)", [years])
            }
        }
        for (index, name) in ordinals.enumerated() { add(name, [.number(index + 14, digits: 2)]) }
        add("twenty first|twenty - first", [.number(21, digits: 2)])
        for (index, name) in italianCenturies.enumerated() {
            add(name, [.years((1200 + index * 100)...(1299 + index * 100))])
        }
        for (index, name) in romans.enumerated() {
            add("s \(name)|ss \(name)", [.century, .number(index + 12, digits: 2)])
        }
        for (index, names) in shortDecades.enumerated() { add(names, [.shortDecade(20 + index * 10)]) }
        for (index, names) in tens.enumerated() { add(names, [.tens(20 + index * 10)]) }
        for (names, month, days) in holidays {
            let numbers = days.map { DateToken.number($0, digits: $0 < 10 ? 1 : 2) }
            add(names, [.month(month)] + numbers)
        }
        add("to date|till date|until date", [.to, .now])
        // Of equally long phrases, the first that was added wins.
        return phrases.mapValues { list in
            list.enumerated().sorted { ($1.element.words.count, $0.offset) < ($0.element.words.count, $1.offset) }
                .map(\.element)
        }
    }()

    /// What phrases mean, separated by `|`.
    private static let meanings: [(String, DateToken)] = [
        (
            "bc|bce|b c|b c e|v chr|v christus|v u z|vor christus|voor christus|before christ|av j c|av j - c|avant j c"
                + "|avant j - c|avant jesus christ|a c|a de c|a e c|ac|aec|ante christum",
            .bc
        ),
        (
            "ad|a d|ce|c e|n chr|n christus|nach christus|na christus|d c|dc|d de c|ap j c|ap j - c|apres j c"
                + "|apres j - c|anno domini",
            .ad
        ),
        (
            "circa|ca|c|about|abt|approximately|approx|around|roughly|estimated|est|cal|calculated|fl|flourished|hacia|alrededor de|vers"
                + "|environ|env|um|etwa|ungefahr|zirka|gegen|cerca de|cerca|intorno al|intorno|verso|omstreeks|rond"
                + "|ongeveer|por volta de|aproximadamente|approximativement|aux environs de|approssimativamente|aprox"
                + "|approximate",
            .circa
        ),
        (
            "before|bef|pre|pre -|prior to|earlier than|ante|antes de|antes del|antes do|antes|avant|vor|prima di|prima del"
                + "|voor|anterior a|avanti|anteriore a|anteriore al",
            .before
        ),
        (
            "after|aft|post|post -|later than|despues de|despues del|despues|depois de|depois|apres|nach|dopo il|dopo|na"
                + "|posterior a|posteriore a|posteriore al",
            .after
        ),
        (
            "until|till|til|to|thru|through|up to|up to and including|to and including|by|not after|no later than"
                + "|not later than|hasta|no despues de|no despues del|no posterior a|jusqu en|jusqu a|jusqu au|jusqu aux"
                + "|jusque|pas apres|bis|bis zu|bis zum|bis zur|nicht nach|fino al|fino a|fino agli|sino al|non dopo il"
                + "|non dopo|tot|tot en met|t / m|niet na|ate|ate ao|nao depois de",
            .until
        ),
        (
            "since|not before|no earlier than|not earlier than|desde|depuis|seit|ab|sinds|vanaf|a partir de|a partire dal"
                + "|no antes de|no antes del|no anterior a|pas avant|nicht vor|non prima del|non prima di|niet voor"
                + "|nao antes de",
            .since
        ),
        ("from|von|vom|van|dal", .from),
        (
            "or later|and later|or after|and after|onwards|onward|at the earliest|ff|et seq|ou apres|et apres|ou plus tard"
                + "|et plus tard|au plus tot|et suiv|oder spater|und spater|fruhestens|o despues|y despues|o mas tarde"
                + "|y mas tarde|o dopo|e dopo|in poi|of later|en later|ou depois|e depois|ou mais tarde",
            .orLater
        ),
        (
            "or earlier|and earlier|or before|and before|at the latest|ou avant|et avant|au plus tard|oder fruher"
                + "|und fruher|spatestens|o antes|y antes|a mas tardar|o prima|e prima|al piu tardi|of eerder|uiterlijk"
                + "|ou antes|e antes",
            .orEarlier
        ),
        (
            "present|the present|present day|the present day|now|today|date to present|heute|hoy|presente|aujourd hui|nos jours|oggi|hoje|heden|ongoing",
            .now
        ),
        ("a|al|au", .to),
        ("and|or|und|u|oder|et|ou|y|e|o|en", .and),
        // What is meant follows what was written, as another date: `1911 i.e. 1912`.
        ("i e|d h|recte", .semicolon),
        (
            "century|centuries|cent|siglo|siglos|siecle|siecles|jahrhundert|jahrhunderts|jahrh|jh|jhdt|jhd|jhs|secolo|sec"
                + "|seculo|seculos|eeuw",
            .century
        ),
        ("decade|decade of|decada|decadas|decennie|decennio|anos|anni|annees|jaren", .decade),
        ("spring|primavera|printemps|fruhling|fruhjahr|lente|voorjaar", .season(.spring)),
        ("summer|verano|ete|sommer|fruhsommer|hochsommer|spatsommer|estate|verao|zomer", .season(.summer)),
        ("autumn|fall|otono|automne|herbst|fruhherbst|spatherbst|autunno|outono|herfst|najaar", .season(.autumn)),
        ("winter|invierno|hiver|inverno", .season(.winter)),
        ("half|third of|mitad|moitie|halfte|meta|metade|helft|viertel", .part),
        ("q|quarter|quarters|trimestre|quartal|kwartaal", .quarter),
        (
            "n d|nd|s d|sd|undated|unknown|no date|date unknown|unknown date|date not known|not known|none|n / a|n / d|not dated"
                + "|s f|s / f|s / d|sin fecha|fecha desconocida|sans date|date inconnue|ohne datum|ohne jahr|o d|o j"
                + "|datum unbekannt|unbekannt|senza data|data sconosciuta|sem data|data desconhecida|zonder datum|z d|z j"
                + "|onbekend|datum onbekend|inconnu|inconnue|desconocido|desconocida|sconosciuto|sconosciuta"
                + "|desconhecido|desconhecida|s a|s n|tbd|undatiert|nicht datiert|ungedatiert|non date|non datee|non datato"
                + "|non datata|s l n d",
            .unknown
        ),
        (
            "of|the|de|del|della|dell|nell|nel|di|la|le|les|el|il|den|der|dem|des|das|die|da|dos|du|d|l|am|im|in|on|em|no|at|do"
                + "|an|anno|ano|year|years|annee|jahr|jahre|jahren|i j|jaar|op|date|dated|data|datum|fecha|taken|recorded"
                + "|photographed|published|printed|made|created|issued|copyright|cop|p|zu|zum|os|as|los|las|gli",
            .filler
        ),
        (
            "between|bet|betw|btw|btwn|entre|zwischen|zw|tra|fra|tussen|but|sometime|some time|sic|probably|possibly|perhaps"
                + "|prob|poss|likely|maybe|uncertain|wohl|vermutlich|wahrscheinlich|vielleicht|probablement|peut etre"
                + "|peut - etre|probablemente|posiblemente|quizas|probabilmente|forse|provavelmente|talvez"
                + "|waarschijnlijk|vermoedelijk|misschien|first half|second half|first|second|third|fourth|last|int"
                + "|primer|primero|primera|segunda|primo|prima|seconda|primeira|premiere|premier|seconde|deuxieme|erste"
                + "|ersten|erstes|zweite|zweiten|zweites|eerste|tweede|p m|a m|uhr|utc|gmt|pm",
            .filler
        ),
        (
            "early|mid|middle|late|beginning|end|start|anfang|mitte|ende|fruhe|fruhes|fruhen|spate|spates|spaten|debut"
                + "|milieu|fin|mi|principios|mediados|finales|fines|comienzos|inizio|inizi|fine|meados|inicio|fins|final"
                + "|begin|midden|eind|einde",
            .detail
        ),
        (
            "monday|tuesday|wednesday|thursday|friday|saturday|sunday|lunes|martes|miercoles|jueves|viernes|sabado|domingo"
                + "|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|montag|dienstag|mittwoch|donnerstag|freitag"
                + "|samstag|sonnabend|sonntag|lunedi|martedi|mercoledi|giovedi|venerdi|sabato|domenica|segunda - feira"
                + "|terca - feira|quarta - feira|quinta - feira|sexta - feira|maandag|dinsdag|woensdag|donderdag|vrijdag"
                + "|zaterdag|zondag|mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|lun|mie|jue|vie|sab|dom|jeu|ven|sam|dim"
                + "|mer|gio",
            .detail
        ),
        ("mo|fr|sa|so|wo|vr|za|zo|ma|seg|ter|qua|qui|sex", .dayAbbreviation),
    ]

    /// Days with names that are the same in every year, with their month; Easter is not.
    private static let holidays: [(names: String, month: Int, days: [Int])] = [
        ("christmas day", 12, [25]),
        ("christmas eve|heiligabend|heiliger abend|nochebuena|kerstavond", 12, [24]),
        // `natal` alone is also a place.
        ("christmas|xmas|navidad|noel|weihnachten|natale|natal de|kerst|kerstmis", 12, [24, 26]),
        ("new year s eve|new years eve|silvester|nochevieja|oudejaarsavond", 12, [31]),
        ("new year s day|new years day|neujahr|neujahrstag|nouvel an|jour de l an|capodanno|nieuwjaar", 1, [1]),
    ]

    /// Decades without their century, from the twenties.
    private static let shortDecades = [
        "twenties|zwanziger|zwanzigerjahre", "thirties|dreissiger|dreissigerjahre", "forties|vierziger|vierzigerjahre",
        "fifties|funfziger|funfzigerjahre", "sixties|sechziger|sechzigerjahre", "seventies|siebziger|siebzigerjahre",
        "eighties|achtziger|achtzigerjahre", "nineties|neunziger|neunzigerjahre",
    ]

    /// Numbers that follow the word for years where it means a decade, from twenty.
    private static let tens = [
        "vingt|venti|veinte|vinte|twintig", "trente|trenta|treinta|trinta|dertig",
        "quarante|quaranta|cuarenta|quarenta|veertig", "cinquante|cinquanta|cincuenta|cinquenta|vijftig",
        "soixante|sessanta|sesenta|sessenta|zestig", "soixante - dix|settanta|setenta|zeventig",
        "quatre - vingt|ottanta|ochenta|oitenta|tachtig", "quatre - vingt - dix|novanta|noventa|negentig",
    ]

    private static let decades = [
        "noughts", "tens", "twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties",
    ]

    /// The centuries from the fourteenth.
    private static let ordinals = [
        "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
    ]

    /// The centuries from the one that begins in 1200.
    private static let italianCenturies = [
        "duecento", "trecento", "quattrocento", "cinquecento", "seicento", "settecento", "ottocento", "novecento",
    ]

    /// The centuries from the twelfth.
    private static let romans = ["xii", "xiii", "xiv", "xv", "xvi", "xvii", "xviii", "xix", "xx", "xxi"]

    private static let months = [
        ["january", "enero", "janvier", "januar", "janner", "gennaio", "janeiro", "januari"],
        ["february", "febrero", "fevrier", "februar", "febbraio", "fevereiro", "februari"],
        ["march", "marzo", "mars", "marz", "maerz", "marco", "maart", "mrt"],
        ["april", "abril", "avril", "aprile"],
        ["may", "mayo", "mai", "maggio", "maio", "mei"],
        ["june", "junio", "juin", "juni", "giugno", "junho"],
        ["july", "julio", "juillet", "juli", "luglio", "julho"],
        ["august", "agosto", "aout", "augustus"],
        ["september", "septiembre", "setiembre", "septembre", "settembre", "setembro"],
        ["october", "octubre", "octobre", "oktober", "ottobre", "outubro"],
        ["november", "noviembre", "novembre", "novembro"],
        ["december", "diciembre", "decembre", "dezember", "dicembre", "dezembro"],
    ]

    /// Returns the token of a word that begins no known phrase.
    static func token(_ word: String) -> DateToken {
        if let month = month(word) { return .month(month) }
        return roman(word).map(DateToken.roman) ?? .other
    }

    /// Returns the number of a month from its name or an abbreviation of at least three letters, unless it may be
    /// another month in another language.
    private static func month(_ word: String) -> Int? {
        guard word.utf8.count >= 3 else { return nil }
        let found = months.indices.filter { months[$0].contains { $0.hasPrefix(word) } }
        return found.count == 1 ? found[0] + 1 : nil
    }

    /// Returns the number in Roman numerals, as they count centuries: `xix`, `xixe`.
    private static func roman(_ word: String) -> Int? {
        let letters = word.prefix { "ivx".contains($0) }
        guard !letters.isEmpty, letters.count <= 6 else { return nil }
        guard ["", "e", "eme", "ieme", "o", "th", "de", "ste"].contains(word.dropFirst(letters.count)) else {
            return nil
        }
        var (sum, last) = (0, 0)
        for letter in letters.reversed() {
            let value = letter == "x" ? 10 : letter == "v" ? 5 : 1
            sum += value < last ? -value : value
            last = max(last, value)
        }
        return (1...30).contains(sum) ? sum : nil
    }

    /// Returns a character without its accents, as letters of ASCII where there are any.
    static func folded(_ character: Character) -> [Character] {
        if let plain = letters[character] { return Array(plain) }
        return [character]
    }

    private static let letters: [Character: String] = {
        var letters: [Character: String] = ["ß": "ss", "œ": "oe", "æ": "ae"]
        for (plain, accented) in [
            "a": "àáâãäåª", "c": "ç", "e": "èéêë", "i": "ìíîï", "n": "ñ", "o": "òóôõöº°", "u": "ùúûü", "y": "ýÿ",
        ] {
            for character in accented { letters[character] = plain }
        }
        return letters
    }()
}
