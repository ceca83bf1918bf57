/// Abbreviations of regions that are used in addresses but missing from the tables.
enum RegionAbbreviations: Sendable {
    /// Abbreviations by country and code of the region, as in the tables.
    private static let table: [String: [String]] = [
        "CA.10": ["P.Q."], "GB.NIR": ["N.I."], "MX.01": ["Ags."], "MX.02": ["B.C."], "MX.03": ["B.C.S."],
        "MX.04": ["Camp."], "MX.05": ["Chis."], "MX.06": ["Chih."], "MX.07": ["Coah."], "MX.08": ["Col."],
        "MX.10": ["Dgo."], "MX.11": ["Gto."], "MX.12": ["Gro."], "MX.13": ["Hgo."], "MX.14": ["Jal."],
        "MX.15": ["Edomex", "Méx."], "MX.16": ["Mich."], "MX.17": ["Mor."], "MX.18": ["Nay."], "MX.19": ["N.L."],
        "MX.20": ["Oax."], "MX.21": ["Pue."], "MX.22": ["Qro."], "MX.23": ["Q. Roo", "Q.R."], "MX.24": ["S.L.P."],
        "MX.25": ["Sin."], "MX.26": ["Son."], "MX.27": ["Tab."], "MX.28": ["Tamps."], "MX.29": ["Tlax."],
        "MX.30": ["Ver."], "MX.31": ["Yuc."], "MX.32": ["Zac."],
    ]

    /// Returns the abbreviations of a region, such as `MX.14`.
    static func of(_ region: String) -> [String] { table[region] ?? [] }
}
