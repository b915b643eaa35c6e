//! The hash with which front ends and kernel name the file of a cell.

/// Factor and shift of MurmurHash2.
const FACTOR: u32 = 0x5bd1_e995;
const SHIFT: u32 = 24;

/// MurmurHash2 with 32 bits, as JupyterLab computes it.
pub fn murmur2(data: &[u8], seed: u32) -> u32 {
    // The length counts modulo 2^32, as in the original.
    let mut hash = seed ^ data.len() as u32;
    let (words, rest) = data.as_chunks::<4>();
    for word in words {
        let mut word = u32::from_le_bytes(*word).wrapping_mul(FACTOR);
        word = (word ^ (word >> SHIFT)).wrapping_mul(FACTOR);
        hash = hash.wrapping_mul(FACTOR) ^ word;
    }
    if !rest.is_empty() {
        for (at, byte) in rest.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * at);
        }
        hash = hash.wrapping_mul(FACTOR);
    }
    hash = (hash ^ (hash >> 13)).wrapping_mul(FACTOR);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_other_kernels() {
        // Computed with `murmur2_x86` of ipykernel.
        const SEED: u32 = 0xc70f_6907;
        for (text, hash) in VECTORS {
            assert_eq!(murmur2(text.as_bytes(), SEED), hash, "{text}");
        }
    }

    const VECTORS: [(&str, u32); 9] = [
        ("", 0xedd3_9288),
        ("a", 0x8129_eeee),
        ("ab", 0xa733_01b9),
        ("abc", 0xc7bb_dbb5),
        ("abcd", 0x2ff7_0f61),
        ("print(1)", 0xe0f1_e860),
        ("x = 1\ny = 2\n", 0x7300_37c9),
        ("größe := \"✓\"", 0x026e_326d),
        ("do f() -> int {\n\treturn 1\n}\n", 0x850b_64f4),
    ];
}
