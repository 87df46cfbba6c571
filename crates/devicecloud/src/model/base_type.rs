use super::wire_enum::wire_enum;

wire_enum! {
    /// The type of a property's values.
    BaseType {
        /// 0 or 1.
        Boolean = "boolean",
        /// A 32-bit integer.
        Integer = "integer",
        /// A number with two decimal places.
        Decimal = "decimal",
        /// A text of up to 1024 bytes.
        String = "string",
        /// A file; the value is its URL.
        File = "file",
        /// A long text.
        Message = "message",
    }
}
