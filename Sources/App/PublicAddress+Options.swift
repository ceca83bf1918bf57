package import Web

extension PublicAddress {
    /// Creates the address of a service with these options.
    package convenience init(options: WaymarkService.Options) {
        self.init(
            url: options.publicURL,
            host: options.host,
            port: options.port,
            trustsProxy: options.trustsProxy,
            isEncrypted: options.certificates != nil
        )
    }
}
