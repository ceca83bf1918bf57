/// The consent that a user gives by turning notifications on.
public enum Consent: Sendable {
    /// The version of the explanation; it changes whenever the meaning of the explanation does.
    public static let version = "2026-11"
    /// The explanation shown to the user: the data that is stored, and why.
    public static let explanation = """
        Waymark compares the positions your devices send with places that have stories, to tell you once when you come \
        near. It keeps your last position and which places you are at for at most a day, and which stories you were \
        told of so that it never tells you twice. Positions themselves are kept only if you ask for it, for as many days as you say. You can turn this off at any time.
        """
}
