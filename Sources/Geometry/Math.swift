#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The elementary functions missing from the standard library, from the platform's libm.
///
/// All angles are in radians unless a name says degrees. Results may differ in the last bit between platforms.
public enum Math: Sendable {
    /// Returns the sine of an angle in radians.
    public static func sine(_ radians: Double) -> Double { sin(radians) }

    /// Returns the cosine of an angle in radians.
    public static func cosine(_ radians: Double) -> Double { cos(radians) }

    /// Returns the tangent of an angle in radians.
    public static func tangent(_ radians: Double) -> Double { tan(radians) }

    /// Returns the angle in radians, 0...π, whose cosine is `value`; `value` is clamped to -1...1.
    public static func arcCosine(_ value: Double) -> Double { acos(min(1, max(-1, value))) }

    /// Returns the angle in radians, -π/2...π/2, whose sine is `value`; `value` is clamped to -1...1.
    public static func arcSine(_ value: Double) -> Double { asin(min(1, max(-1, value))) }

    /// Returns the angle in radians, -π...π, of the vector (x, y).
    public static func arcTangent(y: Double, x: Double) -> Double { atan2(y, x) }

    /// Returns the angle in radians, -π/2...π/2, whose tangent is `value`.
    public static func arcTangent(_ value: Double) -> Double { atan(value) }

    /// Returns e raised to `value`.
    public static func exponential(_ value: Double) -> Double { exp(value) }

    /// Returns the natural logarithm of `value`.
    public static func naturalLogarithm(_ value: Double) -> Double { log(value) }

    /// Returns the logarithm of `value` to base ten.
    public static func decimalLogarithm(_ value: Double) -> Double { log10(value) }

    /// Returns `base` raised to `exponent`.
    public static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

    /// Returns the hyperbolic sine of `value`.
    public static func hyperbolicSine(_ value: Double) -> Double { sinh(value) }

    /// Returns the complementary error function of `value`.
    public static func complementaryError(_ value: Double) -> Double { erfc(value) }

    /// Returns the length of the vector (x, y) without intermediate overflow.
    public static func hypotenuse(_ x: Double, _ y: Double) -> Double { hypot(x, y) }

    /// Returns the cumulative distribution function of the standard normal distribution.
    public static func normalDistribution(_ value: Double) -> Double {
        0.5 * erfc(-value / 2.0.squareRoot())
    }

    /// Returns `degrees` as radians.
    public static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }

    /// Returns `radians` as degrees.
    public static func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
}
