//! Secrets, such as the tokens of the app and of sites.

/// Compares two secrets in a time that does not depend on where they differ.
pub fn is_same_secret(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one
            .bytes()
            .zip(other.bytes())
            .fold(0, |all, (a, b)| all | (a ^ b))
            == 0
}

#[cfg(test)]
mod tests {
    use super::is_same_secret;

    #[test]
    fn a_secret_is_the_same_only_as_a_whole() {
        assert!(is_same_secret("abc", "abc"));
        for other in ["", "ab", "abd", "xbc", "abcd"] {
            assert!(!is_same_secret("abc", other), "{other}");
        }
    }
}
