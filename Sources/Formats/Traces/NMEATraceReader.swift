import Geometry
import Stories

/// Reads RMC, GGA and GST sentences of NMEA 0183 from any talker; sentences with the same time of day form one point.
struct NMEATraceReader {
    private var builder: TraceBuilder
    private var epoch = Epoch()
    private var sawChecksum = false
    private var sawSentence = false
    /// The date of the last RMC sentence, advanced at midnight for sentences with only a time of day.
    private var day: CalendarDay?
    private var timeOfDay = 0

    private init(builder: TraceBuilder) { self.builder = builder }

    /// The combined data of consecutive sentences with the same time of day.
    private struct Epoch {
        var line = 0
        var timeOfDay: Int?
        var coordinate: Coordinate?
        var isInvalid = false
        var speed: Double?
        var course: Double?
        var dilution: Double?
        var deviation: Double?
    }

    /// Reads a log.
    ///
    /// - Throws: ``TraceError``.
    static func read(_ bytes: [UInt8], into builder: TraceBuilder) throws -> Trace {
        var reader = NMEATraceReader(builder: builder)
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            try reader.readLine(line, number: number)
        }
        try reader.endEpoch()
        guard reader.sawSentence else {
            let problem = "not a trace: no RMC or GGA sentence with a valid checksum"
            throw builder.error(.notATrace, at: .file, problem, "record RMC and GGA sentences")
        }
        return reader.builder.finish(.nmea)
    }

    /// Returns whether a line contains an RMC or GGA sentence, possibly after a logger's own output.
    static func isLikely(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.split(separator: UInt8(ascii: "\n"))
            .contains { line in
                guard let dollar = line.firstIndex(of: UInt8(ascii: "$")) else { return false }
                let type = line[(dollar + 1)...].prefix { $0 != UInt8(ascii: ",") }
                return type.count == 5 && [Array("RMC".utf8), Array("GGA".utf8)].contains(Array(type.suffix(3)))
            }
    }

    private mutating func readLine(_ line: ArraySlice<UInt8>, number: Int) throws {
        guard let dollar = line.firstIndex(of: UInt8(ascii: "$")) else { return }
        // NMEA allows 82 bytes; receivers with more digits write slightly more.
        let sentence = line[(dollar + 1)...].prefix(250)
        let type = sentence.prefix { $0 != UInt8(ascii: ",") }
        guard type.count == 5, type.allSatisfy({ $0 >= 0x30 && $0 < 0x5B }) else { return }
        let name = String(decoding: type.suffix(3), as: UTF8.self)
        guard ["RMC", "GGA", "GST"].contains(name) else { return }
        guard let body = checked(sentence) else {
            return builder.note(.line(number), "the checksum is wrong or missing; the sentence is left out")
        }
        sawSentence = true
        let fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map {
                String(decoding: $0, as: UTF8.self)
            }
        guard fields.count >= (name == "RMC" ? 10 : 9) else {
            return builder.note(.line(number), "the sentence is too short and is left out")
        }
        try beginEpoch(fields[1], line: number)
        switch name {
        case "RMC": try readRMC(fields, line: number)
        case "GGA": try readGGA(fields, line: number)
        default: readGST(fields)
        }
    }

    /// Returns the text before the `*` of a sentence if the checksum (the XOR of all its bytes) matches.
    ///
    /// A sentence without a checksum is accepted as long as no earlier sentence in the file had one.
    private mutating func checked(_ sentence: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let star = sentence.firstIndex(of: UInt8(ascii: "*")) else {
            guard !sawChecksum else { return nil }
            return sentence.last == UInt8(ascii: "\r") ? sentence.dropLast() : sentence
        }
        sawChecksum = true
        let digits = String(decoding: sentence[(star + 1)...].prefix(2), as: UTF8.self)
        let body = sentence[..<star]
        guard digits.utf8.count == 2, let wanted = UInt8(digits, radix: 16) else { return nil }
        return body.reduce(0, ^) == wanted ? body : nil
    }

    private mutating func beginEpoch(_ time: String, line: Int) throws {
        let milliseconds = NMEATraceReader.timeOfDay(time)
        if milliseconds != nil, milliseconds == epoch.timeOfDay { return }
        try endEpoch()
        epoch.line = line
        epoch.timeOfDay = milliseconds
    }

    /// Reads `$--RMC,hhmmss.ss,A,ddmm.mm,N,dddmm.mm,E,knots,course,ddmmyy,…`.
    private mutating func readRMC(_ fields: [String], line: Int) throws {
        if let date = NMEATraceReader.date(fields[9]) {
            day = date
            timeOfDay = epoch.timeOfDay ?? 0
        }
        guard fields[2] == "A" else { return epoch.isInvalid = true }
        epoch.speed = TraceText.number(fields[7]).map { $0 * 1852 / 3600 }
        epoch.course = TraceText.number(fields[8])
        epoch.coordinate = try coordinate(fields[3...6], line: line)
    }

    /// Reads `$--GGA,hhmmss.ss,ddmm.mm,N,dddmm.mm,E,quality,satellites,hdop,…`.
    private mutating func readGGA(_ fields: [String], line: Int) throws {
        guard let quality = Int(fields[6]), quality > 0 else { return epoch.isInvalid = true }
        epoch.dilution = TraceText.number(fields[8])
        // RMC and GGA have the same position at one moment; RMC is used if both are present.
        let position = try coordinate(fields[2...5], line: line)
        epoch.coordinate = epoch.coordinate ?? position
    }

    /// Reads `$--GST,hhmmss.ss,rms,major,minor,orientation,σ latitude,σ longitude,…`, in metres.
    private mutating func readGST(_ fields: [String]) {
        let north = TraceText.number(fields[6])
        let east = TraceText.number(fields[7])
        guard let north, let east else { return }
        // For equal standard deviations σ on both axes, the radius that contains 68.27 % is σ·√(−2 ln 0.3173) = 1.515
        // σ.
        epoch.deviation = 1.515 * ((north * north + east * east) / 2).squareRoot()
    }

    private mutating func endEpoch() throws {
        defer { epoch = Epoch() }
        guard epoch.line > 0 else { return }
        guard !epoch.isInvalid else {
            return builder.note(.line(epoch.line), "the receiver had no valid position; the point is left out")
        }
        guard let coordinate = epoch.coordinate else { return }
        let point = TracePoint(
            time: instant(),
            coordinate: coordinate,
            accuracy: TraceText.accuracy(epoch.deviation) ?? TraceText.accuracy(dilution: epoch.dilution),
            speed: TraceText.speed(epoch.speed),
            course: TraceText.course(epoch.course)
        )
        try builder.add(point, at: .line(epoch.line))
    }

    /// Returns the time of the current point: its time of day on the date of the last RMC sentence, or on the following
    /// day if the clock has passed midnight since then.
    private mutating func instant() -> Timestamp? {
        guard let time = epoch.timeOfDay, let current = day else { return nil }
        if time < timeOfDay - 43_200_000, current.daysSince1970 < Int32.max {
            day = CalendarDay(daysSince1970: current.daysSince1970 + 1)
        }
        timeOfDay = time
        return Timestamp(milliseconds: Int64(day?.daysSince1970 ?? 0) * 86_400_000 + Int64(time))
    }

    /// Parses latitude, hemisphere, longitude, hemisphere; `nil` if all are empty.
    private func coordinate(_ fields: ArraySlice<String>, line: Int) throws -> Coordinate? {
        let fields = Array(fields)
        guard fields.contains(where: { !$0.isEmpty }) else { return nil }
        let latitude = NMEATraceReader.degrees(fields[0], fields[1], positive: "N", negative: "S")
        let longitude = NMEATraceReader.degrees(fields[2], fields[3], positive: "E", negative: "W")
        if let latitude, let longitude, let coordinate = Coordinate(latitude: latitude, longitude: longitude) {
            return coordinate
        }
        let problem = "the position is not ddmm.mmmm,N|S,dddmm.mmmm,E|W"
        throw builder.error(.invalidValue, at: .line(line), problem, "correct the sentence or remove it")
    }

    /// Returns degrees from `dddmm.mmmm` and a hemisphere.
    private static func degrees(_ text: String, _ side: String, positive: String, negative: String) -> Double? {
        guard side == positive || side == negative else { return nil }
        guard let number = TraceText.number(text), number >= 0, number < 100_000 else { return nil }
        let whole = (number / 100).rounded(.down)
        let minutes = number - whole * 100
        guard minutes < 60 else { return nil }
        return (whole + minutes / 60) * (side == negative ? -1 : 1)
    }

    /// Returns milliseconds since midnight from `hhmmss` or `hhmmss.sss`.
    private static func timeOfDay(_ text: String) -> Int? {
        guard text.utf8.count >= 6, let number = TraceText.number(text), number >= 0, number < 240_000 else {
            return nil
        }
        let whole = Int(number)
        let (hour, minute, second) = (whole / 10_000, whole / 100 % 100, whole % 100)
        guard minute < 60, second <= 60 else { return nil }
        let fraction = min(999, Int(((number - Double(whole)) * 1000).rounded()))
        return (hour * 3600 + minute * 60 + second) * 1000 + fraction
    }

    /// Returns a day from `ddmmyy`, in the years 1980–2079, the era of satellite positioning.
    private static func date(_ text: String) -> CalendarDay? {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ $0.decimalDigit != nil }), let number = Int(text) else {
            return nil
        }
        let year = number % 100
        return CalendarDay(year: year + (year < 80 ? 2000 : 1900), month: number / 100 % 100, day: number / 10_000)
    }
}
