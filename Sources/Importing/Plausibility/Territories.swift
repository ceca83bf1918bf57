/// The countries whose names stand, or stood, for others too.
enum Territories {
    /// Returns whether land of one country may be called by the name of the other: it is the same, belongs to it, or once
    /// did.
    static func areRelated(_ first: String, _ second: String?) -> Bool {
        guard let second else { return false }
        if first == second { return true }
        return covered[first]?.contains(second) == true || covered[second]?.contains(first) == true
    }

    /// Returns whether a state was once a part of the other; both by their names.
    static func areRelated(states first: String?, _ second: String?) -> Bool {
        guard let first, let second else { return false }
        return dividedStates[first]?.contains(second) == true || dividedStates[second]?.contains(first) == true
    }

    private static let dividedStates: [String: Set<String>] = [
        "Connecticut": ["Ohio"], "Georgia": ["Alabama", "Mississippi"], "Massachusetts": ["Maine"],
        "New York": ["Vermont"], "North Carolina": ["Tennessee"], "Virginia": ["Kentucky", "West Virginia"],
    ]

    /// By the code of a country: its territories, what was a part of it in the past centuries, and what is disputed.
    private static let covered: [String: Set<String>] = {
        let lines: [(String, String)] = [
            ("ar", "fk gs"), ("at", "ba cz hr hu it me pl ro rs si sk ua"), ("au", "cc cx hm nf pg"),
            ("be", "bi cd rw"), ("br", "uy"), ("cn", "hk mn mo tw"), ("co", "pa"), ("cy", "nc"), ("cz", "sk ua"),
            ("de", "cz dk fr lt pl ru"), ("dk", "de fo gl is no"), ("es", "ad cu eh gi gq ma ph pr"),
            ("et", "er"), ("fi", "ax ru"),
            ("fr", "bl dz gf gp ht kh la ma mf mq nc pf pm re sn tf tn vn wf yt"), ("ge", "ru"),
            (
                "gb",
                "ag ai bb bm bs cy dm eg fk gd gg gh gi gs hk ie il im in io je jm ke kn ky lc lk mm ms mt ng pk pn ps sg sh tc "
                    + "tt us vc vg za zw"
            ),
            ("gr", "mk tr"), ("hu", "at hr ro rs si sk ua"), ("id", "tl"), ("il", "ps sy"), ("in", "bd lk mm pk"),
            ("it", "er et hr ly sm so va"), ("jp", "cn kp kr ru tw"), ("kp", "kr"), ("ma", "eh"), ("mx", "us"),
            ("my", "bn sg"), ("nl", "aw be bq cw id sr sx"), ("no", "bv sj"), ("nz", "ck nu tk ws"), ("pk", "bd"),
            ("pl", "by lt ua"), ("pt", "ao br cv gw mo mz st tl"), ("ro", "bg md ua"),
            ("rs", "ba hr me mk si xk"), ("ru", "am az by ee fi ge kg kz lt lv md pl tj tm ua us uz"),
            ("sd", "ss"), ("se", "fi no"), ("so", "dj et"), ("sy", "lb"),
            ("tr", "al am ba bg cy eg gr il iq jo lb ly me mk ps ro rs sa sy xk ye"),
            ("us", "as cu gu mh mp ph pr pw um vi"), ("ye", "sa"), ("za", "ls na sz"),
        ]
        return Dictionary(
            lines.map { ($0.0, Set($0.1.split(separator: " ").map(String.init))) },
            uniquingKeysWith: { $0.union($1) }
        )
    }()
}
