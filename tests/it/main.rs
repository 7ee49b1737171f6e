//! The tests of the whole product, over its own protocol. (being built)
