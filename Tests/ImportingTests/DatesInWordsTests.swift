import Importing
import Stories
import Testing

@Suite("Words in the dates of archives and families")
struct DatesInWordsTests {
    @Test(
        "LOC-07 Dates in words mean every day that they may mean, and their words are kept",
        arguments: [openBeginnings, openEnds, betweenTwo, marchYears, dayLists, parts, notes].flatMap(DateTable.rows)
    )
    func words(text: String, meaning: String) {
        #expect(DateTable.meaning(text) == meaning)
        #expect(DateReading(text).date(of: text)?.text == text)
    }

    @Test("LOC-07 However many words a date has, it is read at once", .timeLimit(.minutes(1)))
    func nested() {
        let words = Array(repeating: "before since", count: 14).joined(separator: " ")
        #expect(DateTable.meaning("\(words) 1900 to 1901 – 1902 / 1903 - 1904 and 1905") == "words")
        #expect(DateTable.meaning("after ca. 1905 and before ca. 1911") == "1900-01-01/1916-12-31")
    }

    private static let openBeginnings = """
        to 1920 | ../1920-12-31
        to May 1920 | ../1920-05-31
        through 1920 | ../1920-12-31
        up to and including 1920 | ../1920-12-31
        until May 1911 | ../1911-05-31
        until 3 May 1911 | ../1911-05-03
        until 3-5 May 1911 | ../1911-05-05
        by May 1911 | ../1911-05-31
        no later than 3 May 1911 | ../1911-05-03
        1911 at the latest | ../1911-12-31
        bis Mai 1911 | ../1911-05-31
        bis zum 3. Mai 1911 | ../1911-05-03
        wohl bis Ende 1911 | ../1911-12-31
        nicht nach 1911 | ../1911-12-31
        spätestens 1911 | ../1911-12-31
        jusqu'en mai 1911 | ../1911-05-31
        jusqu'au 3 mai 1911 | ../1911-05-03
        pas après 1911 | ../1911-12-31
        au plus tard en 1911 | ../1911-12-31
        hasta mayo de 1911 | ../1911-05-31
        no después de mayo de 1911 | ../1911-05-31
        fino al 3 maggio 1911 | ../1911-05-03
        non dopo il 1911 | ../1911-12-31
        tot en met 1911 | ../1911-12-31
        niet na 1911 | ../1911-12-31
        até maio de 1911 | ../1911-05-31
        sometime before 1911 | ../1910-12-31
        anteriore al 1911 | ../1910-12-31
        """

    private static let openEnds = """
        1911 ff. | 1911-01-01/..
        1911ff. | 1911-01-01/..
        1911 und später | 1911-01-01/..
        nicht vor 1911 | 1911-01-01/..
        1911 et suiv. | 1911-01-01/..
        1911 ou plus tard | 1911-01-01/..
        1911 à nos jours | 1911-01-01/..
        pas avant mai 1911 | 1911-05-01/..
        no antes de 1911 | 1911-01-01/..
        1911 o más tarde | 1911-01-01/..
        non prima del 1911 | 1911-01-01/..
        dal 1911 in poi | 1911-01-01/..
        1911 of later | 1911-01-01/..
        1911 e depois | 1911-01-01/..
        1911 to the present day | 1911-01-01/..
        """

    private static let betweenTwo = """
        after 1905, before 1911 | 1906-01-01/1910-12-31
        after 1905 and before 1911 | 1906-01-01/1910-12-31
        after 1905-before 1911 | 1906-01-01/1910-12-31
        nach 1905 und vor 1911 | 1906-01-01/1910-12-31
        después de 1905 y antes de 1911 | 1906-01-01/1910-12-31
        after 1905 until 1911 | 1906-01-01/1911-12-31
        before 1911-1915 | ../1915-12-31
        after 1911-1915 | 1912-01-01/..
        before 1911, after 1905 | words
        after 1911, before 1905 | words
        before 3-5 May 1911 | ../1911-05-02
        after 3 to 5 May 1911 | 1911-05-06/..
        early to mid 1920s | 1920-01-01/1929-12-31
        mid-to-late 1920s | 1920-01-01/1929-12-31
        from early to mid 1920s | 1920-01-01/1929-12-31
        Anfang bis Mitte Mai 1911 | 1911-05-01/1911-05-31
        Montag bis Mittwoch, 3.-5. Mai 1911 | 1911-05-03/1911-05-05
        spring to summer 1911 | 1911-01-01/1911-12-31
        """

    private static let marchYears = """
        2 Feb 1699/1700 | 1700-02-02/1700-02-02
        Feb 1699/1700 | 1700-02-01/1700-02-28
        11 Feb. 1731/2 | 1732-02-11/1732-02-11
        Feb. 2, 1710/11 | 1711-02-02/1711-02-02
        1710/11 Feb. 2 | 1711-02-02/1711-02-02
        1698/9 Jan 5 | 1699-01-05/1699-01-05
        before 2 Feb 1699/1700 | ../1700-02-01
        ca. 2 Feb 1699/1700 | 1700-01-28/1700-02-07
        2 Feb 1699/1700 - 3 Mar 1701/2 | 1700-02-02/1702-03-03
        3 May 1699/1700 | 1699-05-03/1700-12-31
        2 Feb 1699/1701 | 1699-02-02/1701-12-31
        3 Feb 1899/1900 | 1899-02-03/1900-12-31
        1911/12 May | 1911-05-12/1911-05-12
        """

    private static let dayLists = """
        3./4.5.1911 | 1911-05-03/1911-05-04
        3.-5.5.1911 | 1911-05-03/1911-05-05
        1.-3.6.1911 | 1911-06-01/1911-06-03
        20.-22.5.1911 | 1911-05-20/1911-05-22
        20. u. 21. Mai 1911 | 1911-05-20/1911-05-21
        30.4.-2.5.1911 | 1911-04-30/1911-05-02
        5.-7.1911 | 1911-05-01/1911-07-31
        20-22/5/1911 | 1911-05-20/1911-05-22
        3rd-5th May 1911 | 1911-05-03/1911-05-05
        1911 Sept 3-5 | 1911-09-03/1911-09-05
        1911 May–June | 1911-05-01/1911-06-30
        May 1911 – June 1912 | 1911-05-01/1912-06-30
        17. V. 1911 | 1911-05-17/1911-05-17
        00.05.1911 | 1911-05-01/1911-05-31
        05/00/1911 | 1911-05-01/1911-05-31
        00.00.1911 | 1911-01-01/1911-12-31
        05.00.1911 | words
        1ro de mayo de 1911 | 1911-05-01/1911-05-01
        op 3 mei 1911 | 1911-05-03/1911-05-03
        """

    private static let parts = """
        2nd quarter 1911 | 1911-04-01/1911-06-30
        1911 Q1 | 1911-01-01/1911-03-31
        4. Quartal 1911 | 1911-10-01/1911-12-31
        1er trimestre 1911 | 1911-01-01/1911-03-31
        1st-2nd quarter 1911 | 1911-01-01/1911-06-30
        last quarter of 1911 | 1911-01-01/1911-12-31
        3rd quarter of the 19th century | 1801-01-01/1900-12-31
        5th quarter 1911 | words
        first half of 19th century | 1801-01-01/1900-12-31
        1. Hälfte 19. Jh. | 1801-01-01/1900-12-31
        1ère moitié XIXe siècle | 1801-01-01/1900-12-31
        fin XIXe s. | 1801-01-01/1900-12-31
        XVIIIe-XIXe s. | 1701-01-01/1900-12-31
        ss. XVIII-XIX | 1701-01-01/1900-12-31
        Herbst/Winter 1911 | 1911-01-01/1912-03-20
        Spätsommer 1911 | 1911-01-01/1911-12-31
        Weihnachten 1911 | 1911-12-24/1911-12-26
        Heiligabend 1911 | 1911-12-24/1911-12-24
        Silvester 1911 | 1911-12-31/1911-12-31
        Natal de 1911 | 1911-12-24/1911-12-26
        Natal, 1911 | in part 1911-01-01/1911-12-31
        Neujahr 1911 | 1911-01-01/1911-01-01
        Ostern 1911 | words
        """

    private static let notes = """
        1911 i.e. 1912 | 1911-01-01/1912-12-31
        1911 [recte 1912] | 1911-01-01/1912-12-31
        1911 [sic] | 1911-01-01/1911-12-31
        1911 (approximate) | 1906-01-01/1916-12-31
        sometime in the 1920s | 1920-01-01/1929-12-31
        zw. 1911 und 1912 | 1911-01-01/1912-12-31
        i. J. 1911 | 1911-01-01/1911-12-31
        undatiert | undated
        non daté | undated
        s.l.n.d. | undated
        Letter to Anna, 1911 | in part 1911-01-01/1911-12-31
        Schuljahr 1911/12 | words
        """
}
