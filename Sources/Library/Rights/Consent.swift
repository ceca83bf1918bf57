/// What a user agrees to when turning notifications on.
public enum Consent: Sendable {
    /// The version of the explanation below; it changes with every change of its meaning.
    public static let version = "2026-11"
    /// What is stored and why.
    public static let explanation = """
        Waymark compares the positions your devices send with places that have stories, to tell you once when you come \
        near. It keeps your last position and which places you are at for at most a day, and which stories you were \
        told of so that it never tells you twice. Positions themselves are kept only if you ask for it, for as many days as you say. You can turn this off at any time.
        """
}
