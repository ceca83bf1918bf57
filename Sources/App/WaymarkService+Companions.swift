import Gazetteer
package import Library
import Observing
import ServiceLifecycle
import Storage

extension WaymarkService {
    /// The services that run beside the server.
    func companions(_ options: Options) -> [any Service] {
        var services = companions
        // First, so that it ends last and gets the spans of the others.
        if let collector = options.traces.collector {
            services.insert(SpanExport(collector: collector, logger: logger), at: 0)
        }
        if let port = options.metricsPort {
            let metrics = ServiceMetrics(library: library, registry: options.metrics)
            services.append(MetricsPort(port: port, metrics: metrics, logger: logger))
        }
        if let certificates = options.certificates {
            services.append(TLSUpkeep(certificates: certificates, library: library, logger: logger))
        }
        return brokerServices(options) + services + brokerIntake(options)
    }

    private var companions: [any Service] {
        // What only changes the database would fail every second, and say so.
        guard library.store.isWritable else {
            return [
                SearchPreparation(maps: library.maps, logger: logger), LiveBeat(library: library), basemapPreparation,
                addedTilesWatch,
            ]
        }
        return [
            ClockUpkeep(library: library, logger: logger), OutsideEdits(edits: library.outsideEdits, logger: logger),
            FenceTimers(fences: library.fences, logger: logger), Retention(library: library, logger: logger),
            ErasureUpkeep(library: library, logger: logger), SearchPreparation(maps: library.maps, logger: logger),
            DeliveryWorker(delivery: library.delivery, logger: logger),
            SignInMailing(library: library, logger: logger), CheckUpkeep(library: library, logger: logger),
            DigestRounds(delivery: library.delivery, invitations: library.invitations, logger: logger),
            LiveBeat(library: library), basemapPreparation, addedTilesWatch,
            BackupUpkeep(library: library, plan: backups, logger: logger),
        ]
    }

    /// Opens or compiles the basemaps.
    package var basemapPreparation: BasemapPreparation {
        BasemapPreparation(
            basemaps: basemaps,
            files: BasemapFiles(folders: folders, logger: logger),
            gazetteer: library.maps.placeSearch?.places,
            logger: logger
        )
    }

    /// Opens the tiles that the operator added, whenever they change.
    package var addedTilesWatch: AddedTilesWatch {
        AddedTilesWatch(basemaps: basemaps, added: AddedTiles(beside: library.store.path), logger: logger)
    }
}
