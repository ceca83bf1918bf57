/// Assigns numbers to distinct values in order of first appearance.
struct Interner<Value: Hashable & Sendable>: Sendable {
    private(set) var values: [Value] = []
    private var numbers: [Value: UInt32] = [:]

    /// Returns the number of `value`, assigning the next one if it is new.
    mutating func intern(_ value: Value) -> UInt32 {
        if let known = numbers[value] { return known }
        let number = UInt32(values.count)
        numbers[value] = number
        values.append(value)
        return number
    }

    /// Returns the number of `value`, or `nil` if it never appeared.
    func number(of value: Value) -> UInt32? { numbers[value] }

    /// Returns the value of a number assigned by this interner.
    subscript(number: UInt32) -> Value { values[Int(number)] }
}
