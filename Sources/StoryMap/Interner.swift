/// Numbers distinct values in the order of their first appearance.
struct Interner<Value: Hashable & Sendable>: Sendable {
    private(set) var values: [Value] = []
    private var numbers: [Value: UInt32] = [:]

    /// Returns the number of `value`, giving it the next one if it is new.
    mutating func intern(_ value: Value) -> UInt32 {
        if let known = numbers[value] { return known }
        let number = UInt32(values.count)
        numbers[value] = number
        values.append(value)
        return number
    }

    /// The number of `value`, or `nil` when it never appeared.
    func number(of value: Value) -> UInt32? { numbers[value] }

    /// The value of a number that this interner gave.
    subscript(number: UInt32) -> Value { values[Int(number)] }
}
