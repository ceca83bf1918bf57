import Foundation
import GRDB

extension StoryStore {
    /// The number of pages compared in one read: 16 MiB, some milliseconds.
    private static let pagesAtOnce: Int64 = 4_096

    /// The number of pages of the file.
    package func pageCount() async throws -> Int64 {
        guard let sums else { return 0 }
        return try await read { try DatabaseFile.pageCount(of: $0.db, pageSize: sums.pageSize) }
    }

    /// Compares all pages with their sums, or only `count` pages from page `start` on, from 1.
    ///
    /// Beside a running service, a page that is being written is read again. Pages with damage are remembered, as if a
    /// request had come across them.
    package func checkPages(from start: Int64 = 1, count: Int64 = .max) async throws -> CheckReport {
        var report = CheckReport()
        guard let sums, sums.checking != .off else {
            report.findings.append(
                CheckFinding(
                    "sums-missing",
                    "There are no checksums of the pages beside the database (\(path).sums), so flipped bits are not found.",
                    .byHand("Start 'waymark serve' once: it makes them")
                )
            )
            return report
        }
        var scan = PageScan()
        let total = try await pageCount()
        let end = count >= total - start + 1 ? total : start + count - 1
        var next = start
        while next <= end {
            let range = next...min(end, next + StoryStore.pagesAtOnce - 1)
            let part = try await read { try PageScan(of: $0.db, sums: sums, in: range) }
            scan.add(part)
            next = range.upperBound + 1
        }
        for page in scan.flipped { sums.note(.init(page: page, isCorrected: true)) }
        for page in scan.different { sums.note(.init(page: page, isCorrected: false)) }
        report.figures["pages"] = Int(scan.pages)
        report.figures["flipped_pages"] = scan.flipped.count
        report.figures["damaged_pages"] = scan.different.count
        report.findings = scan.findings
        return report
    }
}

extension PageScan {
    mutating func add(_ other: PageScan) {
        pages += other.pages
        unknown += other.unknown
        sumFlipped += other.sumFlipped
        flipped += other.flipped
        different += other.different
    }

    /// What is wrong, in words.
    fileprivate var findings: [CheckFinding] {
        var findings: [CheckFinding] = []
        if !flipped.isEmpty {
            findings.append(
                CheckFinding(
                    "page-flipped",
                    "\(PageScan.name(flipped)) flipped bits. Their checksums correct them whenever they are read, so nothing "
                        + "wrong is served. The disk or the memory of this machine may be failing.",
                    .repair
                )
            )
        }
        if !sumFlipped.isEmpty || !unknown.isEmpty {
            findings.append(
                CheckFinding(
                    "sum-damaged",
                    "The checksums of \((sumFlipped + unknown).count) pages are damaged or missing; the pages are not.",
                    .repair
                )
            )
        }
        if !different.isEmpty {
            findings.append(
                CheckFinding(
                    "page-damaged",
                    "\(PageScan.name(different)) other content than was written, and cannot be read.",
                    .byHand(
                        CheckFinding.restore
                            + ". If another program wrote the file on purpose, 'waymark check --accept' takes "
                            + "it as it is"
                    )
                )
            )
        }
        return findings
    }

    private static func name(_ pages: [Int64]) -> String {
        let shown = pages.prefix(10).map(String.init).joined(separator: ", ") + (pages.count > 10 ? " …" : "")
        return pages.count == 1 ? "Page \(shown) has" : "\(pages.count) pages (\(shown)) have"
    }
}
